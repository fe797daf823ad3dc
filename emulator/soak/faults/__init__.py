"""Break things while tables play: one class per fault, found here by the name `--faults` takes."""

import importlib
import pkgutil
from collections.abc import Iterable

from emulator.soak.faults.base import Fault, TableFault
from emulator.soak.options import Chances, Options

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

FAULTS: dict[str, type[Fault]] = dict(sorted(Fault.known.items()))


class UnknownFaultError(ValueError):
    """A fault that does not exist, or none named at all."""


def parse_faults(text: str) -> frozenset[str]:
    """Read "all", "none", "kill,late", "all,-disk", or "-disk", which is the same."""
    known = ", ".join(FAULTS)
    words = [part.strip() for part in text.split(",") if part.strip()]
    if not words:
        raise UnknownFaultError(f"no fault is named; choose from: all, none, {known}")
    if "none" in words:
        if len(words) > 1:
            raise UnknownFaultError('"none" can\'t be combined with other faults')
        return frozenset()
    found = set(FAULTS) if words[0].startswith("-") else set()
    for word in words:
        name = word.removeprefix("-")
        if word == "all":
            found |= FAULTS.keys()
        elif name not in FAULTS:
            raise UnknownFaultError(f"there is no fault {word!r}; choose from: {known}")
        elif word == name:
            found.add(name)
        else:
            found.discard(name)
    return frozenset(found)


def impossible_faults(options: Options) -> dict[str, str]:
    """The faults asked for that the options or this machine rule out, and why."""
    reasons = {name: FAULTS[name].why_impossible(options) for name in sorted(options.faults)}
    return {name: why for name, why in reasons.items() if why}


def chances_for(faults: Iterable[Fault]) -> Chances:
    """How often things happen at tables with these faults."""
    chances = Chances()
    for fault in faults:
        if isinstance(fault, TableFault):
            chances = Chances(**{**chances._asdict(), **fault.chances})
    return chances
