"""Run mutation tests of jackpot/core on a random sample, and print the score: `make mutants`.

mutmut makes thousands of copies of the core, each wrong in one place, and runs the tests that reach
that place. A mutant that makes a test fail is killed; one that no test notices survives, and shows
what the tests do not check. pyproject.toml says what is changed and which tests run.

Example:
  python tools/mutants.py                          # 200 mutants
  python tools/mutants.py --sample 0               # all of them: about an hour on two cores
  .venv/bin/mutmut show NAME                       # what a survivor changed
"""

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MUTMUT = Path(sys.executable).parent / "mutmut"
FIRST = "jackpot.core.money.x_share_micros__mutmut_1"
NOTICED = ("killed", "timeout", "segfault")


def mutmut(*arguments: str, capture: bool = False) -> str:
    """Run mutmut; what it prints, if asked for."""
    output = subprocess.PIPE if capture else None
    done = subprocess.run([MUTMUT, *arguments], cwd=ROOT, check=True, text=True, stdout=output)
    return done.stdout or ""


def results() -> dict[str, str]:
    """Every mutant by its name, with what became of it."""
    lines = mutmut("results", "--all", "true", capture=True).splitlines()
    return dict(line.strip().rsplit(": ", 1) for line in lines if "__mutmut_" in line)


def main() -> int:
    """Draw, run, and say what survived."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, default=200, help="how many mutants; 0 for all")
    parser.add_argument("--seed", type=int, default=657, help="draws the sample")
    parser.add_argument("--workers", default="2", help="how many run at once")
    parser.add_argument("--json", type=Path, help="also write the result to this file")
    options = parser.parse_args()
    run = ("run", "--max-children", options.workers)
    mutmut(*run, FIRST)  # makes all the mutants, and finds out which tests reach which
    names = sorted(results())
    if 0 < options.sample < len(names):
        drawn = random.Random(options.seed).sample(names, options.sample)
    else:
        drawn = names
    mutmut(*run, *drawn)
    became = {name: status for name, status in results().items() if name in set(drawn)}
    counts = Counter(became.values())
    noticed = sum(counts[status] for status in NOTICED)
    survivors = sorted(name for name, status in became.items() if status not in NOTICED)
    for name in survivors:
        print(f"{became[name]}: {name}")
    score = 100 * noticed / len(drawn)
    print(f"score {score:.1f}%: {noticed} of {len(drawn)} noticed, out of {len(names)} mutants")
    print(", ".join(f"{status} {count}" for status, count in counts.most_common()))
    if options.json:
        report = {"of": len(names), "seed": options.seed, "score": score, "mutants": became}
        options.json.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
