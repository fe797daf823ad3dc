"""`python -m jackpot` is the `jackpot` command."""

from jackpot.cli.main import main

main(prog_name="jackpot")
