"""Icons of free sets, drawn once into the cache: each one square, as coverage or in its own colours.

The sets are packages of npm that icons/package.json names. A stable hash of a set's name decides
whether it is only for judging.
"""

import json
import pathlib
import re
import shutil
import subprocess
import zlib

import cv2
import numpy as np
import skia

from .. import sources

HERE = pathlib.Path(__file__).resolve().parent / "icons"
SIDE = 48  # pixels of a drawing
PER_SET = 3000
LICENCES = ("MIT", "ISC", "Apache-2.0", "CC-BY-4.0")
# Icons that are letters, digits or words: neither rows nor icons for the training.
LETTERS = re.compile(r"alpha|letter|numer|digit|number|text|title|format|font|type|word|abc|case|roman|wordmark|language|translate|(^|-)[a-z0-9](-|$)|\d|math|currency|sort|bold|italic|underline|strike|heading|sign|calendar|gif|pdf|html|css|sql|hd|vip|new|sos|ad(-|$)", re.I)

SIZE = re.compile(r"-(12|16|20|24|28|32|48)(?=-|$)")  # in the names of some sets


def held(name: str) -> bool:
    """Whether a set, a family or a picture is for judging alone."""
    return zlib.crc32(name.encode()) % 5 == 0


def fetch(cache: pathlib.Path) -> None:
    folder = cache / "icons"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)
    for package in sorted((folder / "node_modules" / "@iconify-json").iterdir()):
        licence = json.loads((package / "info.json").read_text())["license"].get("spdx")
        if licence not in LICENCES:
            raise SystemExit(f"the icon set {package.name} has the licence {licence}; allowed are {', '.join(LICENCES)}")


def draw(cache: pathlib.Path) -> None:
    """Draws each set into CACHE/icons/NAME.npz."""
    for package in sorted((cache / "icons" / "node_modules" / "@iconify-json").iterdir()):
        to = cache / "icons" / (package.name + ".npz")
        if to.exists():
            continue
        known = json.loads((package / "icons.json").read_text())
        names = sorted((n for n in known["icons"] if not LETTERS.search(SIZE.sub("", n))), key=lambda n: zlib.crc32(n.encode()))[:PER_SET]
        plain, coloured = [], []
        for name in names:
            icon = known["icons"][name]
            size = [icon.get(k, known.get(k, 16)) for k in ("width", "height")]
            drawing = render(icon["body"], *size)
            if drawing is None:
                continue
            if "currentColor" in icon["body"]:
                plain.append(drawing[:, :, 3])
            else:
                coloured.append(drawing)
        part = to.with_suffix(".part")
        with part.open("wb") as f:
            np.savez_compressed(f, plain=np.array(plain, np.uint8).reshape(-1, SIDE, SIDE), coloured=np.array(coloured, np.uint8).reshape(-1, SIDE, SIDE, 4))
        part.replace(to)


def render(body: str, width: float, height: float) -> np.ndarray | None:
    """The drawing as RGBA whose colours are multiplied by the coverage; None if it is empty."""
    long = max(width, height)
    body = body.replace("currentColor", "#000")
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{SIDE}" height="{SIDE}" viewBox="{(width - long) / 2} {(height - long) / 2} {long} {long}">{body}</svg>'
    dom = skia.SVGDOM.MakeFromStream(skia.MemoryStream(svg.encode()))
    if dom is None:
        return None
    out = np.zeros((SIDE, SIDE, 4), np.uint8)
    surface = skia.Surface.MakeRasterDirect(skia.ImageInfo.Make(SIDE, SIDE, skia.kRGBA_8888_ColorType, skia.kPremul_AlphaType), out, SIDE * 4)
    dom.setContainerSize(skia.Size(SIDE, SIDE))
    dom.render(surface.getCanvas())
    return out if out[:, :, 3].mean() > 3 else None


class Icons:
    """The drawings of the sets for training, or of those for judging."""

    def __init__(self, cache: pathlib.Path, for_judging: bool):
        self.plain, self.coloured = [], []
        for file in sorted((cache / "icons").glob("*.npz")):
            if held(file.stem) == for_judging:
                with np.load(file) as d:
                    self.plain += [d["plain"]] if len(d["plain"]) else []
                    self.coloured += [d["coloured"]] if len(d["coloured"]) else []

    def pick(self, r, size: int, color, coloured: bool) -> tuple[np.ndarray, np.ndarray]:
        """Colours multiplied by the coverage, and the coverage: size x size x 3 and x 1, of 0 to 255."""
        sets = self.coloured if coloured and self.coloured else self.plain
        drawing = r.choice(sets)
        drawing = drawing[r.randrange(len(drawing))]
        if size != SIDE:
            drawing = cv2.resize(drawing, (size, size), interpolation=cv2.INTER_AREA if size < SIDE else cv2.INTER_LINEAR)
        drawing = drawing.astype(np.float32)
        if drawing.ndim == 3:
            return drawing[:, :, :3], drawing[:, :, 3:]
        return drawing[:, :, None] * (np.asarray(color, np.float32) / 255), drawing[:, :, None]
