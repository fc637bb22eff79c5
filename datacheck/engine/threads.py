"""What libraries read when they are imported or first asked for threads: only variables of the environment."""

import os

PER_ARENA = 8  # processors for which one more arena is worth what it keeps


def few_threads(threads: int | str) -> None:
    """Let polars have so many threads, linear algebra one, and the memory of both and of Python few arenas.

    polars' allocator (jemalloc) has four arenas a processor, the C library's eight, and each keeps what was freed in it
    for a while. On two processors, jemalloc's 8 arenas against one: a run over 252 MB held 1,707 against 1,485 MB, over
    1 GB 1,778 against 1,715; over 63 MB there were a sixth more page faults. The C library's 16 against one: over
    252 MB 1,567 and 1,527 against 1,398 MB. What a user has set stays; to give nothing back to the system
    (`dirty_decay_ms:-1,muzzy_decay_ms:-1`) took no less CPU over 1 GB, and 2,525 MB instead of 1,991.
    """
    arenas = max(1, (os.cpu_count() or 1) // PER_ARENA)
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads wait busily for one another: half of a network's CPU
    os.environ.setdefault("_RJEM_MALLOC_CONF", f"narenas:{arenas}")
    os.environ.setdefault("MALLOC_ARENA_MAX", str(arenas))  # of glibc, which reads it when a process begins
