"""How many files a process may open: every table, sign and watcher is one."""

import contextlib
import resource


def raise_file_limit() -> None:
    """Let this process open as many as it may.

    The usual 1,024 is for programs that use select(), which nothing here does.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # macOS says "unlimited" and means less
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
