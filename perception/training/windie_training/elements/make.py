"""Makes pages and the truth about them, in files named by seed: NAME.png and NAME.json.

    python -m windie_training.elements.make CACHE OUT --count 100 --seed 1 [--held]

What is there already is not made again. Held pages are for validation alone: they have kits (kits.HELD: Carbon,
Element Plus, XP.css, Framework7, Semantic UI), icon sets (material.HELD_ICONS), typefaces, messages and layouts
(pages.HELD) that the others never have.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from . import pages
from .material import Material

HERE = pathlib.Path(__file__).resolve().parent
HINTINGS = ("none", "slight", "medium", "full")
BATCH = 60  # pages that one browser makes, all with one hinting
LOOKS = 0.35  # share of pages of the module `looks`, if there is one
SCALES = {1: 0.6, 1.25: 0.1, 1.5: 0.12, 2: 0.13, 3: 0.05}
MOST = 3_400_000  # pixels of a picture

FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>{root}/usr/share/fonts</dir>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include><cachedir>{cache}/fontconfig</cachedir></fontconfig>"""


class Shooter:
    """Renders pages in one browser after another."""

    def __init__(self, cache: pathlib.Path, hinting: str):
        config = cache / "kits" / "fonts.conf"
        config.write_text(FONTS.format(root=cache / "root", cache=cache))
        self.child = subprocess.Popen(
            ["node", str(HERE / "shoot.mjs"), hinting], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | {"FONTCONFIG_FILE": str(config)}
        )

    def shoot(self, job: dict) -> dict:
        """Renders one page and returns the answer, see shoot.mjs."""
        self.child.stdin.write(json.dumps(job) + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            raise RuntimeError("the browser ended; run node shoot.mjs by hand to see why")
        return json.loads(answer)

    def close(self) -> None:
        try:
            self.child.stdin.close()
            self.child.wait(30)
        except (OSError, subprocess.TimeoutExpired):
            self.child.kill()


def view(r: random.Random, phone: float) -> tuple[int, int, float]:
    """The width and height of a window in CSS pixels, and its scale."""
    scale = r.choices(list(SCALES), list(SCALES.values()))[0]
    if r.random() < phone or scale == 3:
        w, h = r.choice([360, 375, 390, 393, 412, 414, 430]), r.randint(620, 932)
    else:
        w, h = r.choice([r.randint(700, 1920), r.choice([800, 1024, 1280, 1366, 1440, 1536, 1600, 1920])]), r.randint(480, 1200)
        h = min(h, int(w * 1.1))
    while w * h * scale * scale > MOST:
        w, h = int(w * 0.9), int(h * 0.93)
    return max(w, 360), max(h, 480), scale


def page(m: Material, seed: int, only: str | None = None) -> tuple[str, dict]:
    """The HTML of a page, and what it is: kit, layout, width, height, scale."""
    r = random.Random(f"{seed}{'held' if m.held else ''}")
    m.start(r)
    looks = _looks() if only in (None, "looks") else None
    if looks and (only == "looks" or r.random() < LOOKS):
        html, w, h = looks.page(r, m)
        scale = view(r, 0.1)[2]
        while w * h * scale * scale > 1.3 * MOST and scale > 1:
            scale = max(s for s in SCALES if s < scale)
        return html, {"kit": "looks", "layout": "looks", "width": w, "height": h, "scale": scale}
    return pages.make(r, m, view, only)


def _looks():
    try:
        from . import looks

        return looks if hasattr(looks, "page") else None
    except ImportError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="the first page's; the others follow by one")
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--only", help="a kit, or looks")
    args = parser.parse_args()
    cache, out = args.cache.resolve(), args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    m = Material(cache, args.held)
    shooter, done, start = None, 0, time.time()
    with tempfile.TemporaryDirectory(prefix="elements-") as folder:
        file = pathlib.Path(folder, "page.html")
        for n in range(args.count):
            seed = args.seed + n
            name = f"{'h' if args.held else 'p'}{seed:07d}"
            if (out / f"{name}.png").exists():
                continue
            if shooter is None or done % BATCH == 0:
                if shooter:
                    shooter.close()
                shooter = Shooter(cache, random.Random(seed).choice(HINTINGS))
            done += 1
            try:
                html, job = page(m, seed, args.only)
                file.write_text(html)
                answer = shooter.shoot(job | {"page": str(file), "out": str(out / name)})
            except Exception as err:  # one page that fails must not end the making of thousands
                answer = {"error": repr(err)}
                if isinstance(err, (OSError, RuntimeError)):
                    shooter.close()
                    shooter = None
            if "error" in answer:
                print(f"{name}: {answer['error']}", file=sys.stderr, flush=True)
            elif done % 20 == 0:
                print(f"{done} pages, {done / (time.time() - start):.2f} a second", flush=True)
    if shooter:
        shooter.close()
    print(f"{done} pages, {done / max(1e-3, time.time() - start):.2f} a second")


if __name__ == "__main__":
    main()
