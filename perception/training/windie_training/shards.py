"""Samples on disk: a generator writes shards into a folder, trainers read each a few times and delete it."""

import os
import pathlib
import random
import time

import numpy as np

from . import charset
from .lines import Sample
from .strips import HEIGHT


def save(path: pathlib.Path, samples: list[Sample]) -> None:
    """Writes a shard that appears whole. Strips are kept by columns, so that a line is one run."""
    part = path.with_suffix(".part")
    with part.open("wb") as f:
        np.savez(
            f,
            pixels=np.concatenate([s.ink.T.ravel() for s in samples]),
            widths=np.array([s.ink.shape[1] for s in samples], np.int32),
            texts=np.array([s.text for s in samples]),
            lengths=np.array([len(s.text) for s in samples], np.int32),
            middles=np.concatenate([s.middles for s in samples]).astype(np.float32),
        )
    os.replace(part, path)


def load(path: pathlib.Path) -> list[Sample]:
    with np.load(path) as d:
        pixels, widths, texts, lengths, middles = (d[k] for k in ("pixels", "widths", "texts", "lengths", "middles"))
    at = np.concatenate([[0], np.cumsum(widths)]) * HEIGHT
    letter = np.concatenate([[0], np.cumsum(lengths)])
    return [
        Sample(pixels[at[i] : at[i + 1]].reshape(-1, HEIGHT).T, charset.fold(str(texts[i])), middles[letter[i] : letter[i + 1]])
        for i in range(len(widths))
    ]


class Stream:
    """The samples of a folder for one of some readers, in batches of like widths, without end."""

    def __init__(self, folder: pathlib.Path, rank: int, readers: int, uses: int, r: random.Random):
        self.folder, self.rank, self.readers, self.uses, self.r = folder, rank, readers, uses, r
        self.used: dict[pathlib.Path, int] = {}

    def batches(self, size: int):
        while True:
            samples = self._next()
            self.r.shuffle(samples)
            chunks = [sorted(samples[i : i + 16 * size], key=lambda s: s.ink.shape[1]) for i in range(0, len(samples), 16 * size)]
            batches = [c[i : i + size] for c in chunks for i in range(0, len(c), size)]
            self.r.shuffle(batches)
            yield from batches

    def _next(self) -> list[Sample]:
        """A shard that was used least; one that was used often enough is deleted."""
        while True:
            mine = [p for p in sorted(self.folder.glob("*.npz")) if int(p.stem) % self.readers == self.rank]
            if mine:
                break
            time.sleep(1)
        least = min(self.used.get(p, 0) for p in mine)
        path = self.r.choice([p for p in mine if self.used.get(p, 0) == least])
        samples = load(path)
        self.used[path] = least + 1
        if self.used[path] >= self.uses:
            path.unlink(missing_ok=True)
            del self.used[path]
        return samples
