"""Write the pages of docs/reference that come from the code: commands, reasons, and the trace.

`python tools/reference.py` writes them; with --check it only fails when a page is stale. So a page
can't miss a command or a reason, and nobody copies one by hand.
"""

import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parent))  # also where a test loads this

from clauses import page as traceability_page  # type: ignore[import-not-found]  # a sibling

from emulator.cli import main as emulator
from jackpot.cli.main import main as jackpot
from jackpot.core.reasons import MEANINGS, Reason
from jackpot.rules.hand_titles import HAND_TITLES
from jackpot.wire import refusals as wire
from jackpot.wire.v1 import reason_pb2
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

This page lists every reason for a refusal. Your client must decide by the reason's name, which
never changes. It must not parse the sentence.

The controller makes its checks in the order of this list, and the first check that fails gives
the reason. Over gRPC, `google.rpc.ErrorInfo` carries the name, the domain `jackpot` and every
value that the message mentions.

| retry | meaning |
|---|---|
| never | the same request will fail again |
| later | the request can succeed once something at the table or the link has changed, such \
as a round that ended or a payout that was paid; send it again then, as a new request |
| same | send the same request again, with the same identity |
| attach | the epoch or number is not the expected one; attach again, and continue from the answer |

A program can read the same facts from [reason.proto](../../proto/jackpot/v1/reason.proto): each
value of `Reason` has the option `(jackpot.v1.meaning)`, with the code, the retry class and the
number use. [The table's contract](table-contract.md) says what a client must do for each retry
class.

The column "number" says whether a table's command uses its number when it is refused for this
reason. [The table's contract](table-contract.md#which-refusals-use-a-number) says how to
continue.

<!-- Written by tools/reference.py from jackpot/core/reasons.py: run `make reference`. -->

| reason | code | retry | number | meaning |
|---|---|---|---|---|
"""

TRACES = """\
# Traces

This page shows real exchanges with a controller, message for message: what a client sends, and
what it gets back. Use the exchanges to test your own client. Placeholders stand for times, ids and
random bytes. 64-bit numbers are strings, as in protobuf's JSON format.

The files are in [traces/](traces). A test repeats each exchange and compares every message. If
you change the contract, run `JACKPOT_TRACES=write pytest tests/golden/test_traces.py
tests/server/test_reasons.py`, then `make reference`.

<!-- Written by tools/reference.py from docs/reference/traces: run `make reference`. -->
"""

HANDS = """\
# Hands

This page lists every name that a hand can have in `Payout.hand`, `Hit.hand`, `PayLine.hand` and
`EnvyLine.hand`. The list is complete, so you can translate every name. The field `hand_title` next
to `hand` has the title for people.

The lines of a Bad Beat's paytable are not in this list, because they have the name of the
qualifying hand.

<!-- Written by tools/reference.py from jackpot/rules/hand_titles.py: run `make reference`. -->

| name | title |
|---|---|
"""

_NUMBERS = {
    reason_pb2.NUMBER_USE_USED: "used",
    reason_pb2.NUMBER_USE_UNUSED: "unused",
    reason_pb2.NUMBER_USE_USED_IF_READABLE: "used if it can be read",
    reason_pb2.NUMBER_USE_NOT_KNOWN: "not known",
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
        f"| `{reason}` | {meaning.code} | {meaning.retry} | "
        f"{_NUMBERS[wire.MEANINGS[reason].number]} | {meaning.sentence} |\n"
        for reason, meaning in ((reason, MEANINGS[reason]) for reason in Reason)
    )
    return REASONS + "".join(rows)


def traces_page() -> str:
    """docs/reference/traces.md."""
    folder = FOLDER / "traces"
    parts = [TRACES]
    for path in sorted(folder.glob("*.json")):
        trace = json.loads(path.read_text("utf-8"))
        parts.append(f"## {path.stem}\n\n{trace['about']}\n")
        for each in trace["exchanges"]:
            told = "answer" if "answer" in each else "error"
            shown = json.dumps({"request": each["request"], told: each[told]}, ensure_ascii=False)
            error = f": {each['error'].get('reason', '')}" if told == "error" else ""
            parts.append(f"`{each['rpc']}`{error}\n\n```json\n{shown}\n```\n")
    parts.append("## Every reason\n\n| reason | call | metadata |\n|---|---|---|")
    for reason in Reason:
        trace = json.loads((folder / "reasons" / f"{reason}.json").read_text("utf-8"))
        metadata = ", ".join(f"{k} {v}" for k, v in trace["error"].get("metadata", {}).items())
        link = f"[`{reason}`](traces/reasons/{reason}.json)"
        parts.append(f"| {link} | {trace.get('rpc', 'a stream')} | {metadata or 'none'} |")
    return "\n".join(parts) + "\n"


def hands_page() -> str:
    """docs/reference/hands.md."""
    rows = (f"| `{name}` | {title} |\n" for name, title in sorted(HAND_TITLES.items()))
    return HANDS + "".join(rows)


def pages() -> dict[Path, str]:
    """Each page that is written here, and what it must hold."""
    return {
        FOLDER / "cli.md": cli_page(),
        FOLDER / "reasons.md": reasons_page(),
        FOLDER / "hands.md": hands_page(),
        FOLDER / "traces.md": traces_page(),
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
