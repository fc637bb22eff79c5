"""Start training only on data that passed. Made from datacheck's own sources, see hatch_build.py."""

from datacheck_guard.errors import RefusedError as RefusedError
from datacheck_guard.gate.guard import require_passed as require_passed
from datacheck_guard.version import __version__ as __version__
