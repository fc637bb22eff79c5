"""What libraries read when they are imported or first asked for threads: only variables of the environment."""

import os

PER_ARENA = 8  # processors for which one more arena is worth what it keeps


def few_threads(threads: int | str) -> None:
    """Let polars have so many threads, linear algebra one, and the memory of polars few arenas.

    polars' allocator (jemalloc) has four arenas a processor, and each keeps what was freed in it for a while: with one
    thread a fifth of all page faults and 70 MB of a child were that. What a user has set stays.
    """
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads wait busily for one another: half of a network's CPU
    os.environ.setdefault("_RJEM_MALLOC_CONF", f"narenas:{max(1, (os.cpu_count() or 1) // PER_ARENA)}")
