"""Brings the interface kits that pages are made with into a cache folder.

    python -m windie_training.elements.fetch CACHE

The icons, typefaces, texts and wallpapers come from windie_training.textmap.fetch, which must run before.
"""

import argparse
import json
import pathlib
import shutil
import subprocess

KITS = pathlib.Path(__file__).resolve().parent / "kits"
LICENCES = ("MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD")


def fetch(cache: pathlib.Path) -> None:
    """Installs what kits/package-lock.json names into CACHE/kits; no script of a package is run."""
    folder = cache / "kits"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(KITS / name, folder)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)
    check(folder)


def check(folder: pathlib.Path) -> None:
    """Ends the program if a kit has a licence that is not among LICENCES."""
    for kit in json.loads((folder / "package.json").read_text())["dependencies"]:
        licence = json.loads((folder / "node_modules" / kit / "package.json").read_text()).get("license")
        if licence not in LICENCES:
            raise SystemExit(f"the kit {kit} has the licence {licence}; allowed are {', '.join(LICENCES)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cache", type=pathlib.Path)
    fetch(parser.parse_args().cache.resolve())
