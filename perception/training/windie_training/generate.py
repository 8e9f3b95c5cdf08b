"""Writes shards of samples for trainers, and waits while enough are there; or one file for validation.

    python -m windie_training.generate CACHE FOLDER --strips PROGRAM
    python -m windie_training.generate CACHE held.npz --strips PROGRAM --held browser --count 1500
"""

import argparse
import pathlib
import random
import time

import numpy as np

from . import fonts, lines, shards, strips, texts


def painter(cache: pathlib.Path, held: str, r: random.Random):
    """What makes screens: the training's own, or another in the fonts and texts of validation."""
    if held == "browser":
        from .browser import Browser as kind
    elif held == "qt":
        from .qt import Qt as kind
    else:
        from .screens import Painter as kind
    return kind(r, fonts.Fonts(cache, bool(held)), texts.Texts(texts.load(cache, bool(held)), r))


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
    parser.add_argument("--held", choices=("", "browser", "qt"), default="", help="draw with this one in the fonts and texts of validation, into one file")
    parser.add_argument("--count", type=int, default=3000, help="lines of a shard, or of the file")
    parser.add_argument("--keep", type=int, default=40, help="shards that wait for trainers")
    a = parser.parse_args()
    r = random.Random(a.held or "train")
    p, cutter = painter(a.cache, a.held, r), strips.Cutter(a.strips)
    if a.held:
        shards.save(a.to, make(p, cutter, a.count))
    else:
        fill(p, cutter, a.to, a.count, a.keep)
