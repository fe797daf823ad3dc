"""`jackpot serve`: a controller, until it is told to stop."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.parameters import FILE, settings, theme_option
from jackpot.console import one_line
from jackpot.tuning import paused_collector, raise_file_limit

if TYPE_CHECKING:
    from jackpot.auth.gate import Gate
    from jackpot.display.web.app import Settings
    from jackpot.engine.commit_points import Faults
    from jackpot.server.controller import Controller
    from jackpot.store.journal import Journal

MAX_FRONTS = 64


@click.command()
@click.option(
    "--site",
    "site_paths",
    type=FILE,
    required=True,
    multiple=True,
    help="The site file, which defines links and tables. Repeat the option for more sites.",
)
@click.option(
    "--store",
    "--data",
    "store",
    metavar="ADDRESS",
    help="Where to keep the journal: a directory, or postgresql://… "
    "[default: what the site file says]",
)
@click.option(
    "--new-site",
    "new_sites",
    metavar="SITE",
    multiple=True,
    help="Start this new site in a store that already holds other sites; may be repeated.",
)
@click.option(
    "--accept-lost-commits",
    is_flag=True,
    help="Start even if the database's settings let it lose commits that it acknowledged.",
)
@click.option(
    "--grpc",
    "address",
    metavar="HOST:PORT",
    help="Where to listen for tables, and for staff unless they have --staff; port 0 picks a free "
    "port. [default: what the site file says]",
)
@click.option(
    "--staff",
    metavar="HOST:PORT",
    help="Where to listen for staff, who can then call nowhere else; needs --cert and --ca. The "
    "word none turns it off. [default: what the site files say, or where tables call]",
)
@click.option(
    "--http",
    metavar="HOST:PORT",
    help="Where to serve the first site's signs and pages. "
    "[default: what each site file says; if it says nothing, no signs and pages]",
)
@click.option(
    "--cert",
    type=FILE,
    help="The controller's certificate; its .key file must be beside it. Without a certificate, "
    "only this machine can "
    "connect.",
)
@click.option(
    "--ca",
    type=FILE,
    help="The authority's ca.pem; its list of revoked certificates must be beside it.",
)
@click.option(
    "--fronts",
    type=click.IntRange(0, MAX_FRONTS),
    help="How many processes accept gRPC connections; 0 runs all in one process, pages too. "
    "[default: 2, or 1 on two processors]",
)
@click.option(
    "--witness",
    metavar="FILE",
    help="A file outside the data directory that records the latest journal entry, so that a "
    "rolled-back journal is noticed. The word none turns this off. [default: beside the data "
    "directory, or beside the site file]",
)
@click.option(
    "--staff-on-loopback",
    is_flag=True,
    help="Without TLS: show staff pages and metrics to every browser on this machine. Use it only "
    "if no proxy forwards other people's requests.",
)
@click.option(
    "--pins",
    type=FILE,
    help="The file that keeps people's PINs, as hashes. "
    "[default: pins.json in the directory of the journal; none with PostgreSQL]",
)
@theme_option
@click.pass_obj
@one_line
@paused_collector()
def serve(
    faults: "Faults | None",
    site_paths: tuple[Path, ...],
    store: str | None,
    address: str | None,
    staff: str | None,
    http: str | None,
    cert: Path | None,
    ca: Path | None,
    theme: Path | None,
    new_sites: tuple[str, ...],
    witness: str | None,
    pins: Path | None,
    *,
    fronts: int | None,
    accept_lost_commits: bool,
    staff_on_loopback: bool,
) -> None:
    r"""Run a controller.

    To stop the controller, press Ctrl-C or send SIGTERM. It first answers the requests
    under way.

    \b
    Example:
      jackpot serve --site site.toml --data /var/lib/jackpot \
        --cert ca/issued/controller-SERIAL.pem --ca ca/ca.pem
      jackpot serve --site a.toml --site b.toml \
        --store postgresql://db1,db2/jackpot
    """
    import uvloop

    from jackpot.auth.pins import PINS
    from jackpot.engine.commit_points import none as no_faults
    from jackpot.rules.site import load_site_file
    from jackpot.server.controller import make_controller
    from jackpot.store.opening import is_postgres, journal_opener, weakness

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    raise_file_limit()
    files = [load_site_file(path) for path in site_paths]
    for path, each in zip(site_paths, files, strict=True):
        for warning in each.warnings:
            click.echo(f"{path}:{warning}", err=True)
    file, sites = files[0], [each.site for each in files]
    if len({site.id for site in sites}) < len(sites):
        raise click.UsageError("two of the site files have the same site id")
    for new in new_sites:
        if new not in {site.id for site in sites}:
            raise click.UsageError(f"--new-site {new}: no site file has this id")
    where = address or file.server.listen[0]
    staff = staff or _staff_address({each.server.staff for each in files})
    staff = "" if staff == "none" else staff
    if (cert is None) != (ca is None):
        raise click.UsageError("give both --cert and --ca, or neither")
    if staff_on_loopback and cert:
        raise click.UsageError("--staff-on-loopback can't be combined with --cert and --ca")
    store = store or file.server.data
    witness_path = _witness_path(witness, store, site_paths[0])
    gate = _gate(cert, ca, witness_path, *(site.id for site in sites)) if cert and ca else None
    if staff_on_loopback:
        click.echo(
            "warning: STAFF PAGES ARE OPEN to everybody on this machine, and to everybody behind a "
            "proxy that adds no headers (--staff-on-loopback)",
            err=True,
        )
    shown = {file.site.id: http} if http else {each.site.id: each.server.http for each in files}
    shown = {site: where for site, where in shown.items() if where}
    if weak := weakness(store):
        click.echo(f"warning: {weak}", err=True)
    if witness_path is None:
        click.echo(
            "warning: the witness is off, so the controller does not notice a rolled-back "
            "journal or an outdated list of revoked certificates",
            err=True,
        )
    if pins is None and not is_postgres(store):
        pins = Path(store) / PINS
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        make = partial(
            make_controller,
            file.site,
            store,
            gate,
            *sites[1:],
            accept_lost_commits=accept_lost_commits,
            fronts=fronts,
            witness=witness_path,
            pins=pins,
            faults=faults or no_faults,  # only a controller under test has any
        )
        opener = journal_opener(store, accept_lost_commits=accept_lost_commits)
        served = [site.id for site in sites]
        check = partial(_verify_sites, opener, served, new_sites, witness_path)
        # Pages are loaded only where they are served.
        wanted = bool(shown or theme)
        look = settings(theme, staff_on_loopback=staff_on_loopback) if wanted else None
        runner.run(_serve(make, store, check, where, staff, gate, shown, look))


def _staff_address(named: set[str]) -> str:
    """Where the site files have staff call; empty where tables do."""
    named = named - {""}
    if len(named) > 1:
        raise click.UsageError(
            f"the site files name several addresses for staff: {', '.join(sorted(named))}; "
            "give one with --staff"
        )
    return "".join(named)


def _witness_path(asked: str | None, store: str, site_file: Path) -> Path | None:
    """Where the witness is: never in the folder that somebody may put back as it was."""
    from jackpot.engine.witness import default_path
    from jackpot.store.opening import is_postgres

    if asked == "none":
        return None
    usual = default_path(site_file.with_suffix("") if is_postgres(store) else store)
    path = Path(asked or usual).resolve()  # a link may lead into that folder
    if not is_postgres(store) and path.is_relative_to(Path(store).resolve()):
        raise click.UsageError(
            f"the witness {asked or usual} is inside the data directory; give a path outside it "
            "with --witness"
        )
    return path


def _gate(cert: Path, ca: Path, witness: Path | None, *sites: str) -> "Gate":
    """The gate, which keeps the newest list of revoked certificates where the journal's head is."""
    from jackpot.auth.authority import CRL
    from jackpot.auth.gate import Files, Gate

    kept = witness.with_name(f"{witness.name}.{CRL}") if witness else None
    return Gate(Files.beside(cert, ca, kept), *sites)


def _verify_sites(
    opener: "Callable[[], Journal]",
    served: list[str],
    new_sites: tuple[str, ...],
    witness: Path | None,
) -> None:
    """Raise where the store can't be used, or a start would begin a site that nobody asked for.

    The same where a journal was rolled back.
    """
    from jackpot.engine.witness import read_witness, verify_sites
    from jackpot.server.setup import SetupError, unasked

    if witness is not None:
        verify_sites(witness, opener, served)
    with closing(opener()) as journal:
        held = journal.heads()
    if witness is not None and (unseen := {*served} & held.keys() - read_witness(witness).keys()):
        # The first start with a witness says so too; any later one means that it was taken away.
        click.echo(
            f"warning: the witness {witness} has no record of {', '.join(sorted(unseen))}: if the "
            "journal was rolled back before this start, the controller can't tell",
            err=True,
        )
    if new := unasked(held, served, new_sites):
        known, wanted = ", ".join(sorted(held)), ", ".join(new)
        asked = " ".join(f"--new-site {site}" for site in new)
        raise SetupError(
            f"the store holds {known}, but the site file names {wanted}; nothing was written. "
            f"If the id was changed, set it back; to start {wanted} as a new site, add {asked}"
        )


async def _serve(
    make: "Callable[[], Controller]",
    store: str,
    check: Callable[[], None],
    address: str,
    staff: str,
    gate: "Gate | None",
    http: dict[str, str],
    look: "Settings | None",
) -> None:
    from jackpot.software import this_software
    from jackpot.tuning import calm_collector

    controller = make()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with AsyncExitStack() as stack:
        # A start that fails must leave no seed in the journal, so addresses come first. Whoever
        # asks for a page meanwhile waits for it.
        places = {}
        if http:
            from jackpot.display.web.serving import listen

            places = {site: stack.enter_context(listen(each)) for site, each in http.items()}
        for place in places.values():
            place.listen()
        controller.take(address, staff)
        stack.callback(controller.release)
        check()  # whatever is wrong with the store is told here, and not by a writer
        where = await controller.start(address, staff)
        stack.push_async_callback(controller.stop)
        calm_collector()
        software = await asyncio.to_thread(this_software)
        for problem in software.problems:
            logging.getLogger(__name__).error(
                "the installed files differ from the release: %s", problem
            )
        logging.getLogger(__name__).info("%s, release: %s", software.label, software.check)
        guard = "with TLS" if gate else "without TLS, for this machine only"
        served = ",".join(site.id for site in controller.sites)
        click.echo(f"serving {served} on {where} {guard}")
        if "staff" in controller.addresses:
            click.echo(f"staff on {controller.addresses['staff']}")
        sys.stdout.flush()
        if look and places:
            from jackpot.display.web.beside import pages

            for url in await stack.enter_async_context(pages(controller, store, places, look)):
                click.echo(f"signs and pages on {url}")
            sys.stdout.flush()
        await stopped.wait()
    click.echo("stopped")
