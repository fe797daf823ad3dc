"""What every command line here shares: commands imported on use, one-line failures, real numbers.

A command is imported when it is used, so `jackpot meters` need not load the controller, `--help`
loads nothing but click, and Ctrl-C in the first second is click's to answer. A failure is one line,
never a traceback. The exit code tells a script what to do next; `jackpot --help` lists them.
"""

import ast
import datetime as dt
import functools
import importlib
import importlib.util
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.abc import InspectLoader
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import click

from jackpot.wire.errors import PlainError

if TYPE_CHECKING:
    from jackpot.wire.refusals import RefusedError


DISTRIBUTION = "jackpot-controller"
# A package that not everybody needs -> the extra that brings it.
EXTRAS = {"psycopg": "postgres"}
# Details of a refusal whose keys do not say that they are amounts of money.
_AMOUNTS = {"micros": "held", "wanted": "needed"}
_NAMES = {"sequence": "journal entry"}
# How gRPC says where it could not connect, and why.
_NOBODY = re.compile(r"\bipv[46]:(\S+): .*: ([^:]+)$")
P = ParamSpec("P")
T = TypeVar("T")


class LazyGroup(click.Group):
    """A group that knows where its commands are."""

    def __init__(
        self,
        *arguments: Any,
        modules: Mapping[str, str],
        extras: Mapping[str, str] | None = None,
        **named: Any,
    ) -> None:
        """`modules` has the module of every command, in the order in which they are listed.

        `extras` are the extras to name where a package is missing, if not those of `EXTRAS`.
        """
        super().__init__(*arguments, **named)
        self._modules = modules
        self._extras = {**EXTRAS, **(extras or {})}
        _keep_examples(self)

    def list_commands(self, _context: click.Context) -> list[str]:
        """The commands in the order in which a newcomer meets them."""
        return list(self._modules)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command, which has the same name in its module."""
        if name not in self._modules:
            return None
        with self._naming_extras(context, name):
            module = importlib.import_module(self._modules[name])
        command: click.Command = getattr(module, name.replace("-", "_"))
        _keep_examples(command)
        return command

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        with self._naming_extras(context):
            return super().invoke(context)

    @contextmanager
    def _naming_extras(self, context: click.Context, name: str = "") -> Iterator[None]:
        """Where an extra is not installed, say which one in one line."""
        try:
            yield
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package not in self._extras:
                raise
            command = f"{context.command_path} {name or context.invoked_subcommand}"
            install = f"pip install '{DISTRIBUTION}[{self._extras[package]}]'"
            raise click.ClickException(f"{command} needs {package}: {install}") from error

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with what their docstrings begin with, and import none of them."""
        room = formatter.width - 6 - max(map(len, self._modules))
        helps = {module: _docstrings(module) for module in dict.fromkeys(self._modules.values())}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, click.Command(name, help=helps[module][name]).get_short_help_str(room))
                    for name, module in self._modules.items()
                ]
            )


def _docstrings(module: str) -> dict[str, str]:
    """The docstrings of a module's functions, read from its source, by the names of commands."""
    spec = importlib.util.find_spec(module)
    source = (
        spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None
    )
    if source is None:  # installed without its source
        found = vars(importlib.import_module(module)).items()
        commands = ((name, each) for name, each in found if isinstance(each, click.Command))
        return {name.replace("_", "-"): each.help or "" for name, each in commands}
    functions = (each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef))
    return {each.name.replace("_", "-"): ast.get_docstring(each) or "" for each in functions}


def _keep_examples(command: click.Command) -> None:
    r"""Let click see the \b that keeps an example's lines: a raw docstring has two characters."""
    command.help = (command.help or "").replace(r"\b", "\b")
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _keep_examples(inner)


def print_json(value: object) -> None:
    """Print a value for machines."""
    import msgspec  # noqa: PLC0415 - `--help` must not wait for it

    click.echo(json.dumps(msgspec.to_builtins(value), indent=2))


class UnreachableException(click.ClickException):
    """Nobody answers there."""

    exit_code = 3


class NotConfirmedError(click.ClickException):
    """The person who was asked did not say yes."""

    exit_code = 4

    def __init__(self) -> None:
        super().__init__("not confirmed: nothing was done")


def one_line(command: Callable[P, T]) -> Callable[P, T]:
    """Print a known failure as one line and exit with its code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return command(*args, **kwargs)
        except PlainError as error:
            raise click.ClickException(str(error)) from error
        except click.ClickException:
            raise
        except Exception as error:
            if (told := _told(error)) is None:
                raise
            raise told from error

    return run


def _told(error: Exception) -> click.ClickException | None:
    """A failed call or a refusal as one line; gRPC is imported only where a command got so far."""
    import grpc  # noqa: PLC0415 - `--help` must not wait for it

    from jackpot.wire.refusals import RefusedError, UnreachableError, from_rpc_error  # noqa: PLC0415

    if isinstance(error, grpc.RpcError):
        error = from_rpc_error(error)
    if not isinstance(error, RefusedError):
        return None
    kind = UnreachableException if isinstance(error, UnreachableError) else click.ClickException
    return kind(refusal_text(error))


def refusal_text(error: "RefusedError") -> str:
    """A refusal as people read it: dollars, percent and local time instead of the wire's units."""
    if unreachable := not error.reason and _NOBODY.search(error.message):
        where, why = unreachable.groups()
        return f"{error.code}: no controller answers at {unquote(where)}: {why}"
    if error.code == "DEADLINE_EXCEEDED" and not error.reason:
        return f"{error.code}: the controller did not answer in time"
    details = ", ".join(_detail(*each) for each in sorted(error.metadata.items()))
    said = f"{error.reason or error.code}: {error.message}"
    return f"{said} ({details})" if details else said


def _detail(key: str, value: str) -> str:
    from jackpot.core.money import dollars, rate_text  # noqa: PLC0415 - as above

    plain = key.removesuffix("_micros").removesuffix("_bps").replace("_", " ")
    name = _NAMES.get(key, plain)
    if key.endswith("_time"):
        moment = dt.datetime.fromisoformat(value)
        return f"{name.removesuffix(' time')} {local_time(int(moment.timestamp()) * 1_000_000)}"
    if not value.removeprefix("-").isdecimal():
        return f"{name} {value}"
    number = int(value)
    if key in _AMOUNTS or key.endswith("_micros"):
        return f"{_AMOUNTS.get(key, name)} ${dollars(number)}"
    return f"{name} {rate_text(number)}" if key.endswith("_bps") else f"{name} {value}"


def local_time(time_micros: int, zone: str = "") -> str:
    """A moment to the second, in a time zone or in this machine's, with the zone's short name."""
    place = ZoneInfo(zone) if zone else None
    moment = dt.datetime.fromtimestamp(time_micros // 1_000_000, dt.UTC).astimezone(place)
    return moment.strftime("%Y-%m-%d %H:%M:%S %Z")


class FiniteRange(click.FloatRange):
    """A range of floats without `nan`, which no bound keeps out, and without `inf`."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, or a mistake in the usage."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number
