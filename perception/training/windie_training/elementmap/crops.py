"""Crops of the levels of screens with the maps to learn, and the process that makes them."""

import os
import pathlib
import random
import threading
import time

import cv2
import numpy as np

from ..textmap.crops import SIDE, altered, follow
from ..textmap.pyramid import half
from . import CORES
from .pages import page
from .targets import PARTS, maps

LEVELS = 5
PATCHES = (256, 256, 256, 128, 64)  # pixels of a level's patches; smaller ones are sewn together
TIMES = (5, 3, 2, 1, 1)  # patches of each level of a screen


def degraded(picture: np.ndarray, elements: np.ndarray, r: random.Random) -> tuple[np.ndarray, np.ndarray]:
    """The screen rescaled, as JPEG, or with noise, for some."""
    if r.random() < 0.4:
        s = r.choice([0.75, 0.8, 0.9, 1.1, 1.25, 1.4])
        picture = cv2.resize(picture, None, fx=s, fy=s, interpolation=r.choice([cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
        elements = elements.copy()
        elements[:, :4] *= s
    if r.random() < 0.35:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, r.randint(60, 95)])
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if r.random() < 0.1:
        picture = cv2.GaussianBlur(picture, (3, 3), r.uniform(0.3, 0.7))
    return picture, elements


def patch(picture: np.ndarray, elements: np.ndarray, x: int, y: int, side: int, fill: int) -> tuple[np.ndarray, np.ndarray]:
    """A part of a level, with its maps. What lies outside of the picture has one colour."""
    own = elements.copy()
    own[:, (0, 2)] -= x
    own[:, (1, 3)] -= y
    part = picture[y : y + side, x : x + side]
    out = np.full((side, side, 3), fill, np.uint8)
    out[: part.shape[0], : part.shape[1]] = part
    planes = maps(own, side)
    return out, planes


class Quilt:
    """Crops that are sewn together of patches of a coarse level, each of another screen."""

    def __init__(self, side: int):
        self.side, self.n = side, 0
        self._new()

    def _new(self) -> None:
        self.picture = np.empty((SIDE, SIDE, 3), np.uint8)
        self.planes = np.empty((CORES * PARTS, SIDE // 2, SIDE // 2), np.float16)

    def add(self, picture: np.ndarray, planes: np.ndarray):
        """The crop if it is full now."""
        row = SIDE // self.side
        y, x = self.n // row * self.side, self.n % row * self.side
        self.picture[y : y + self.side, x : x + self.side] = picture
        self.planes[:, y // 2 : (y + self.side) // 2, x // 2 : (x + self.side) // 2] = planes
        self.n += 1
        if self.n < row * row:
            return None
        out = self.picture, self.planes
        self.n = 0
        self._new()
        return out


def stream(folders: list[pathlib.Path], r: random.Random):
    """Crops without end, with their planes in 16 bits."""
    quilts = [Quilt(side) for side in PATCHES]
    files, listed = [], 0.0
    while True:
        if time.time() - listed > 120:
            files, listed = [f for folder in folders for f in folder.glob("*.json")], time.time()
        try:
            picture, elements = page(r.choice(files))
        except (OSError, StopIteration, cv2.error):
            continue
        picture, elements = degraded(picture, elements, r)
        for level in range(LEVELS):
            if level:
                picture, elements = half(picture), elements.copy()
                elements[:, :4] /= 2
            h, w = picture.shape[:2]
            side = PATCHES[level]
            for _ in range(TIMES[level]):
                x, y = r.randint(0, max(0, w - side)), r.randint(0, max(0, h - side))
                if len(elements) and r.random() < 0.5:  # around an element
                    e = elements[r.randrange(len(elements))]
                    x = min(max(0, round(e[0]) - r.randint(0, side - 1)), max(0, w - side))
                    y = min(max(0, round(e[1]) - r.randint(0, side - 1)), max(0, h - side))
                crop = quilts[level].add(*patch(picture, elements, x, y, side, r.randint(0, 255)))
                if crop is not None:
                    yield crop


def serve(folders: list[pathlib.Path], seed: int, queue) -> None:
    """Puts crops on a queue until the parent ends."""
    threading.Thread(target=follow, args=(os.getppid(),), daemon=True).start()
    cv2.setNumThreads(1)
    for crop in stream(folders, random.Random(seed)):
        queue.put(crop)
