"""What a busy process asks of Python and of the system."""

import contextlib
import ctypes
import gc
import resource
from collections.abc import Iterator

_YOUNG, _MIDDLE, _OLD = 10_000, 10, 10


@contextlib.contextmanager
def paused_collector() -> Iterator[None]:
    """No garbage is looked for, until `calm_collector` at the latest.

    A start makes hundreds of thousands of objects that stay; looking through them again and again
    was a tenth of it.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def calm_collector() -> None:
    """Take what exists out of the garbage collector's sight, and let it look less often.

    Modules and the state live as long as the process; messages and events die young and without
    cycles. Looking through all of them every few hundred allocations cost up to a fifth of the
    throughput, and found next to nothing: a call that is refused leaves some forty objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    gc.enable()


def give_back_memory() -> None:
    """Give the system back what the C library keeps of memory that is free.

    It keeps the memory of thousands of connections that have gone, until another crowd needs more
    than that. Only glibc can be asked.
    """
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def raise_file_limit() -> None:
    """Let this process open as many files as it may: every table, sign and watcher is one.

    The usual 1,024 is for programs that use select(), which nothing here does.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # macOS says "unlimited" and means less
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
