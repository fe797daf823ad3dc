"""Write the pages of docs/reference that come from the code: commands, reasons, and the trace.

`python tools/reference.py` writes them; with --check it only fails when a page is stale. So a page
can't miss a command or a reason, and nobody copies one by hand.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parent))  # also where a test loads this

from clauses import page as traceability_page  # type: ignore[import-not-found]  # a sibling

from emulator.cli import main as emulator
from jackpot.cli.main import main as jackpot
from jackpot.core.reasons import MEANINGS, NO_NUMBER, Reason
from table_client.table.command import main as table

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"

COMMANDS = """\
# Commands

This page lists every command, with an example. `--help` of each command explains its options.
[Daily work](../operate/daily-work.md) shows them in use, with the exit codes.

<!-- Written by tools/reference.py from the commands' help: run `make reference`. -->
"""

REASONS = """\
# Reasons

This page lists every refusal. A client decides by the reason's name, which never changes, and never
parses the sentence.

The reasons are in order of precedence: the first check that fails is the answer. Over gRPC the name
is in `google.rpc.ErrorInfo`, with the domain `jackpot` and every value that the message mentions.

| retry | meaning |
|---|---|
| never | the same request will fail again |
| later | it may succeed when the state has changed; send it as a new request |
| same | send the same request again, with the same identity |

"Number" says whether a table's command that is refused for this reason has used its number:
[API](api.md#which-refusals-use-a-number) says what to do then.

<!-- Written by tools/reference.py from jackpot/core/reasons.py: run `make reference`. -->

| reason | code | retry | number | meaning |
|---|---|---|---|---|
"""

_NUMBERS = {
    Reason.STORE_UNAVAILABLE: "not known",
    Reason.MALFORMED: "used if it can be read",
    Reason.TOO_MANY: "used if it can be read",
    **dict.fromkeys(NO_NUMBER - {Reason.STORE_UNAVAILABLE}, "unused"),
}


def every_command(
    command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command and all commands below it, each with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from every_command(found, (*path, name))


def section(path: tuple[str, ...], command: click.Command) -> str:
    """What a command does, and its example, as its help has them."""
    text = "\n\n".join(inspect.cleandoc(each or "") for each in (command.help, command.epilog))
    text = text.replace("\b\n", "")
    about = " ".join(text.split("\n\n")[0].split())
    example = re.search(r"^Example:\n((?:[ \t]+.*\n?)+)", text, re.MULTILINE)
    shown = inspect.cleandoc("\n" + example[1]) if example else f"{' '.join(path)} --help"
    heading = "##" if len(path) == 1 else "###"
    return f"{heading} `{' '.join(path)}`\n\n{about}\n\n```\n{shown}\n```\n"


def cli_page() -> str:
    """docs/reference/cli.md."""
    programs = (("jackpot", jackpot), ("jackpot-table", table), ("jackpot-emulator", emulator))
    found = [each for name, program in programs for each in every_command(program, (name,))]
    return "\n".join([COMMANDS, *(section(path, command) for path, command in found)])


def reasons_page() -> str:
    """docs/reference/reasons.md."""
    rows = (
        f"| `{reason}` | {meaning.code} | {meaning.retry} | {_NUMBERS.get(reason, 'used')}"
        f" | {meaning.sentence} |\n"
        for reason, meaning in ((reason, MEANINGS[reason]) for reason in Reason)
    )
    return REASONS + "".join(rows)


def pages() -> dict[Path, str]:
    """Each page that is written here, and what it must hold."""
    return {
        FOLDER / "cli.md": cli_page(),
        FOLDER / "reasons.md": reasons_page(),
        FOLDER / "traceability.md": traceability_page(),
    }


def main() -> None:
    """Write the pages, or check them."""
    stale = [
        path
        for path, text in pages().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    if "--check" in sys.argv:
        if stale:
            names = ", ".join(path.name for path in stale)
            sys.exit(f"stale in docs/reference: {names}; run make reference")
        return
    for path in stale:
        path.write_text(pages()[path], "utf-8")
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
