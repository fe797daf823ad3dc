"""Every fault of a soak is one class that has all its parts; help and docs know each of them."""

import inspect
import random
import re
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

import emulator.soak.faults as package
from emulator.cli import main
from emulator.soak.faults import FAULTS, chances_for, parse_faults
from emulator.soak.faults.base import ClientFault, Fault, InjectedFault, TableFault, Target
from emulator.soak.options import Chances, Options
from emulator.soak.run import Soak

KINDS = (TableFault, InjectedFault, ClientFault)
DOCS = Path(__file__).parents[2] / "docs" / "operate" / "soak.md"


def fault_classes() -> list[type[Fault]]:
    """Every class in the package that is a fault; those with an underscore are for others."""
    modules = [
        import_module(f"{package.__name__}.{path.stem}")
        for path in Path(package.__file__).parent.glob("*.py")
        if path.stem != "__init__"
    ]
    found = {
        each
        for module in modules
        for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, Fault) and each not in (Fault, *KINDS) and each.__name__[0] != "_"
    }
    return sorted(found, key=lambda fault: fault.name)


def test_a_class_is_all_that_a_fault_needs() -> None:
    """Whatever class the package has is known by its name, and nothing else is."""
    assert fault_classes() == list(FAULTS.values())
    assert len(FAULTS) >= 15


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_has_all_its_parts(fault: type[Fault], tmp_path: Path) -> None:
    """A name, a text that fits, when it is possible, what it does, how it is felt, why it is."""
    assert re.fullmatch(r"[a-z]+", fault.name)
    assert 10 < len(fault.text) <= 80 - len(f"    {'':<11} ")
    assert not fault.text.endswith(".")
    assert inspect.getdoc(fault) != inspect.getdoc(fault.__mro__[1]), "its own docstring"
    assert sum(issubclass(fault, kind) for kind in KINDS) == 1
    assert not inspect.isabstract(fault)
    if issubclass(fault, TableFault):
        counted = fault.times_felt is not TableFault.times_felt
        assert counted + bool(fault.refusal) + bool(fault.counter) == 1, "one way to be felt"
    assert isinstance(fault.why_impossible(Options(store="postgresql://localhost/soak")), str)
    made = fault(Target(tmp_path, random.Random(1), 1.0))
    run = Soak(Options(tables=4), tmp_path)
    assert made.times_felt(run) == 0
    assert isinstance(made.figures(run), dict)


@pytest.mark.parametrize(
    "fault", [f for f in FAULTS.values() if issubclass(f, TableFault)], ids=lambda f: f.name
)
def test_a_fault_of_tables_changes_what_they_do(fault: type[Fault], tmp_path: Path) -> None:
    """It raises chances that are zero without it."""
    made = fault(Target(tmp_path, random.Random(1), 1.0))
    assert isinstance(made, TableFault)
    chances, usual = chances_for([made])._asdict(), Chances()._asdict()
    assert {name for name in usual if chances[name] != usual[name]} == set(made.chances)
    assert not any(usual[name] for name in made.chances)


def test_help_lists_every_fault() -> None:
    """Each with its text, whole and on one line."""
    said = CliRunner().invoke(main, ["soak", "--help"]).output.splitlines()
    for fault in FAULTS.values():
        assert f"    {fault.name:<11} {fault.text}" in said
        assert parse_faults(fault.name) == {fault.name}


def test_the_docs_table_lists_every_fault() -> None:
    """The first column of the table in the soak page names each of them once, and no other."""
    section = DOCS.read_text("utf-8").split("\n## Faults\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert sorted(name for cell in cells for name in re.findall(r"`(\w+)`", cell)) == list(FAULTS)


def test_a_fault_of_a_commit_needs_no_other(tmp_path: Path) -> None:
    """Controllers are started so that they can meet it, also without a clock that steps."""
    run = Soak(Options(tables=1, faults=frozenset({"commit"})), tmp_path)
    assert "emulator.soak.under_test" in run.controllers[0].command
