"""Writes shards of samples for trainers, and waits while enough are there; or one file for validation.

    python -m windie_training.generate CACHE FOLDER --strips PROGRAM
    python -m windie_training.generate CACHE held.npz --strips PROGRAM --held browser --count 1500

Two thirds of the training's screens are those of `screens`; the others have the layouts of the text map, with
photographs, strikes, shadows, frames and icons.
"""

import argparse
import pathlib
import random
import time

import numpy as np

from . import fonts, lines, shards, strips, texts
from .screens import Painter, Text
from .textmap import kinds
from .textmap.scene import Material, Scene


class Layouts:
    """Screens with the layouts of the text map."""

    def __init__(self, r: random.Random, material: Material):
        self.r, self.scene = r, Scene(r, material)

    def screen(self) -> tuple[np.ndarray, list[Text]]:
        drawn = kinds.scene(self.scene, self.r.randint(200, 420), self.r.randint(360, 760))
        opaque = np.full((*drawn.picture.shape[:2], 1), 255, np.uint8)
        return np.concatenate([drawn.picture, opaque], axis=2), drawn.texts


class Mixed:
    """Screens of two painters: two thirds of the first."""

    def __init__(self, r: random.Random, plain: Painter, layouts: Layouts):
        self.r, self.plain, self.layouts = r, plain, layouts

    def screen(self) -> tuple[np.ndarray, list[Text]]:
        return (self.plain if self.r.random() < 2 / 3 else self.layouts).screen()


def painter(cache: pathlib.Path, held: str, r: random.Random):
    """What makes screens: the training's own, or another in the fonts and texts of validation."""
    if held == "browser":
        from .browser import Browser as kind
    elif held == "qt":
        from .qt import Qt as kind
    else:
        material = Material(cache, held == "layouts", r)
        layouts = Layouts(r, material)
        return layouts if held else Mixed(r, Painter(r, material.fonts, material.texts), layouts)
    return kind(r, fonts.Fonts(cache, True), texts.Texts(texts.load(cache, True), r))


def make(p, cutter: strips.Cutter, count: int) -> list[lines.Sample]:
    out: list[lines.Sample] = []
    while len(out) < count:
        picture, written = p.screen()
        out += lines.samples(p.r, written, cutter.cut(picture))
    p.r.shuffle(out)
    return out[:count]


def fill(p, cutter: strips.Cutter, folder: pathlib.Path, each: int, keep: int) -> None:
    """Writes shards without end, numbered on from the last one of an earlier run."""
    folder.mkdir(parents=True, exist_ok=True)
    counter = folder / "counter"
    while True:
        number = int(counter.read_text()) if counter.exists() else 0
        while len(list(folder.glob("*.npz"))) >= keep:
            time.sleep(2)
        p.r.seed(f"shard {number}")
        np.random.seed(number)
        started = time.process_time()
        shards.save(folder / f"{number:06d}.npz", make(p, cutter, each))
        counter.write_text(str(number + 1))
        print(f"shard {number}: {each} lines, {time.process_time() - started:.1f} s of this process", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cache", type=pathlib.Path)
    parser.add_argument("to", type=pathlib.Path)
    parser.add_argument("--strips", required=True, help="the program of ../strips")
    parser.add_argument("--held", choices=("", "browser", "qt", "layouts"), default="", help="draw with this one in the fonts and texts of validation, into one file")
    parser.add_argument("--count", type=int, default=3000, help="lines of a shard, or of the file")
    parser.add_argument("--keep", type=int, default=40, help="shards that wait for trainers")
    a = parser.parse_args()
    r = random.Random(a.held or "train")
    p, cutter = painter(a.cache, a.held, r), strips.Cutter(a.strips)
    if a.held:
        shards.save(a.to, make(p, cutter, a.count))
    else:
        fill(p, cutter, a.to, a.count, a.keep)
