"""Check that proto/ breaks no client of the last release except where the break is accepted.

proto/released/ holds that release's image, built by buf, and accepted.txt with one line for each
accepted break. The check fails on a break that is not listed, and on a line that is no longer a
break. After 0.2.0 a release has no breaks, so the list stays empty.

Example:
  python tools/breaking.py            # check
  python tools/breaking.py --accept   # list today's breaks as accepted; also tell CHANGELOG.md
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACCEPTED = "proto/released/accepted.txt"
BUF = Path(sys.executable).parent / "buf"
BREAKS = 100  # buf's exit code when it has something to report


def image(root: Path) -> Path:
    """The image of the last release, named for its version."""
    (only,) = (root / "proto" / "released").glob("*.binpb")
    return only


def breaks(root: Path) -> set[str]:
    """Every break between the last release and the files of today, as `path RULE message`."""
    command = [BUF, "breaking", "proto", "--against", image(root), "--error-format", "json"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode not in (0, BREAKS) or any(one["type"] == "COMPILE" for one in found):
        raise SystemExit(f"buf could not compare proto/:\n{done.stdout}{done.stderr}")
    return {f"{one.get('path', 'proto')} {one['type']} {one['message']}" for one in found}


def main(root: Path = ROOT) -> int:
    """Compare, and name every difference between what is broken and what is accepted."""
    file, version, broken = root / ACCEPTED, image(root).stem, breaks(root)
    lines = file.read_text("utf-8").splitlines()
    if "--accept" in sys.argv:
        lines = [line for line in lines if line.startswith("#")] + sorted(broken)
        file.write_text("\n".join(lines) + "\n", "utf-8")
    accepted = {line for line in lines if line and not line.startswith("#")}
    for line in sorted(broken - accepted):
        print(f"breaks clients of {version}: {line}")
    for line in sorted(accepted - broken):
        print(f"no longer a break; remove it from {ACCEPTED}: {line}")
    if broken - accepted:
        print("Undo it, or accept it: `make breaking ARGS=--accept` and a line in CHANGELOG.md.")
    if broken == accepted:
        print(f"proto/: {len(broken)} accepted breaks since {version}, no others")
    return int(broken != accepted)


if __name__ == "__main__":
    sys.exit(main())
