"""Start the `jackpot-emulator` command: what surrounds a controller, for tests and demos."""

import click

from jackpot.console import DISTRIBUTION, LazyGroup

_COMMANDS = {
    name: f"emulator.{name}.command" for name in ("devices", "soak", "bench", "fuzz", "conform")
}


@click.group(cls=LazyGroup, modules=_COMMANDS, extras={"numpy": "emulator"})
@click.version_option(package_name=DISTRIBUTION)
def main() -> None:
    r"""Emulate what surrounds a jackpot controller: devices, tables and faults.

    \b
    Example:
      jackpot-emulator devices --listen 127.0.0.1:7171
    """
