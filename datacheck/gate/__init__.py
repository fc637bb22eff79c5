"""The gate: versions of data, their verdicts, and what keeps a training job from starting on anything else."""
