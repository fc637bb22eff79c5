"""The version of this distribution; apart, so that whoever prints it needs nothing else."""

__version__ = "0.2.0.dev0"
