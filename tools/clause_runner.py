"""Run pytest again and again in one folder, each time in a fork that has not imported the project.

Importing pytest and the libraries takes longer than most of these runs. Reads one JSON list of
arguments a line, with the variables to set before them; answers with the exit code.
"""

import importlib
import json
import os
import sys
from contextlib import suppress

LIBRARIES = (
    "pytest _pytest.assertion.rewrite hypothesis xdist pytest_asyncio pytest_timeout "
    "msgspec click grpc google.rpc.status_pb2 cryptography.x509 tomllib sqlite3 asyncio"
)

# Plugins that are imported already can't have their assertions rewritten, and need not.
QUIETLY = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


def main() -> None:
    """Serve until the input ends."""
    for name in LIBRARIES.split():
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        arguments, variables = json.loads(line)
        child = os.fork()
        if not child:
            os.environ |= variables
            nowhere = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nowhere, descriptor)
            pytest = importlib.import_module("pytest")
            code = 1
            with suppress(BaseException):
                code = int(pytest.main([*arguments, *QUIETLY]))
            os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
