"""Brings the packages of `sources` into a cache folder, and the typefaces of npm as files that can be drawn with.

    python -m windie_training.fetch CACHE
"""

import argparse
import pathlib
import shutil
import subprocess

from fontTools.ttLib import TTFont

from . import sources

HERE = pathlib.Path(__file__).resolve().parent.parent
WEIGHTS = ("-400-normal", "-500-normal", "-600-normal", "-700-normal", "-400-italic")


def debian(cache: pathlib.Path) -> None:
    """Unpacks each Debian package below CACHE/root, without installing it."""
    packages = [*sources.FONTS, *sources.CATALOGUES, *sources.HELD_CATALOGUES]
    (cache / "deb").mkdir(parents=True, exist_ok=True)
    for package in packages:
        if not list((cache / "deb").glob(f"{package}_*.deb")):
            subprocess.run(["apt-get", "download", "-q", package], cwd=cache / "deb", check=True)
    for archive in sorted((cache / "deb").glob("*.deb")):
        stamp = cache / "root" / ".unpacked" / archive.name
        if not stamp.exists():
            subprocess.run(["dpkg", "-x", archive, cache / "root"], check=True)
            stamp.parent.mkdir(exist_ok=True)
            stamp.touch()


def npm(cache: pathlib.Path) -> None:
    """Installs what ../fonts/package-lock.json names, and unpacks its WOFF2 files to CACHE/woff."""
    folder = cache / "npm"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules" / "@fontsource").exists():
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / "fonts" / name, folder)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)
    (cache / "woff").mkdir(exist_ok=True)
    for packed in sorted((folder / "node_modules" / "@fontsource").glob("*/files/*.woff2")):
        to = cache / "woff" / (packed.stem + ".ttf")
        if to.exists() or not packed.stem.endswith(WEIGHTS) or "vietnamese" in packed.stem:
            continue
        font = TTFont(packed)
        if "cmap" in font and _of_use(font):
            font.flavor = None
            font.save(to)


def _of_use(font: TTFont) -> bool:
    """Whether the file has letters or signs of the alphabets that are trained."""
    from .charset import INDEX

    return sum(chr(c) in INDEX for c in font.getBestCmap()) >= 10


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cache", type=pathlib.Path)
    cache = parser.parse_args().cache.resolve()
    debian(cache)
    npm(cache)
