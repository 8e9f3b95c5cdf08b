"""Brings all that the scenes draw with into a cache folder: the reader's typefaces and texts, light faces,
icon sets and wallpapers.

    python -m windie_training.textmap.fetch CACHE
"""

import argparse
import pathlib
import subprocess

import cv2
from fontTools.ttLib import TTFont

from .. import fetch as reader
from . import icons

# Debian packages of wallpapers, with their licences.
WALLPAPERS = {
    "gnome-backgrounds": "CC-BY-SA-3.0, CC-BY-SA-2.0 and CC-BY-2.0",
    "mate-backgrounds": "GPL-2.0 or later, and CC-BY-SA-4.0",
    "plasma-workspace-wallpapers": "GPL-2.0 or later",
}
LIGHT = ("-200-normal", "-300-normal")
LONG = 1100  # pixels of a wallpaper's longer side in the cache


def light(cache: pathlib.Path) -> None:
    """Unpacks the light faces of npm's families to CACHE/light."""
    (cache / "light").mkdir(exist_ok=True)
    for packed in sorted((cache / "npm" / "node_modules" / "@fontsource").glob("*/files/*-latin-*.woff2")):
        to = cache / "light" / (packed.stem + ".ttf")
        if to.exists() or not packed.stem.endswith(LIGHT):
            continue
        font = TTFont(packed)
        font.flavor = None
        font.save(to)


def wallpapers(cache: pathlib.Path) -> None:
    """Unpacks the wallpapers and makes them small, to CACHE/photos."""
    deb, root, out = cache / "photo-deb", cache / "photo-root", cache / "photos"
    deb.mkdir(exist_ok=True)
    out.mkdir(exist_ok=True)
    for package in WALLPAPERS:
        if not list(deb.glob(f"{package}_*.deb")):
            subprocess.run(["apt-get", "download", "-q", package], cwd=deb, check=True)
            subprocess.run(["dpkg", "-x", next(deb.glob(f"{package}_*.deb")), root], check=True)
    seen = set()
    for file in sorted(root.rglob("*")):
        if file.suffix not in (".jpg", ".jpeg", ".png", ".webp", ".jxl") or not file.is_file() or file.stat().st_size < 60_000 or "screenshot" in file.name:
            continue
        name = "-".join(file.parts[-4:-2]) + "-" + file.stem
        key = file.parts[-4] if file.parts[-2] == "images" else name
        if key in seen or (out / (name + ".jpg")).exists():
            continue
        picture = cv2.imread(str(file))
        if picture is None or min(picture.shape[:2]) < 300:
            continue
        seen.add(key)
        s = min(1.0, LONG / max(picture.shape[:2]))
        cv2.imwrite(str(out / (name + ".jpg")), cv2.resize(picture, None, fx=s, fy=s, interpolation=cv2.INTER_AREA), [cv2.IMWRITE_JPEG_QUALITY, 92])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cache", type=pathlib.Path)
    cache = parser.parse_args().cache.resolve()
    reader.debian(cache)
    reader.npm(cache)
    light(cache)
    icons.fetch(cache)
    icons.draw(cache)
    wallpapers(cache)
