"""Crops of the levels of scenes with the maps to learn, and the process that makes them."""

import os
import pathlib
import random
import threading
import time

import numpy as np

from . import kinds
from .pyramid import levels
from .scene import Drawn, Material, Scene
from .targets import PLANES, maps

SIDE = 256  # pixels of a crop
SCENE = 512  # pixels of a scene
FULL = 3  # crops of the first level of each scene


def patch(drawn: Drawn, level: int, picture: np.ndarray, x: int, y: int, side: int, fill: int) -> tuple[np.ndarray, np.ndarray]:
    """A part of a level, with its maps. What lies outside of the picture has one colour."""
    by = 1 / (1 << level)
    boxes, cuts = drawn.boxes.copy(), drawn.cuts.copy()
    boxes[:, :4] *= by
    boxes[:, (0, 2)] -= x
    boxes[:, (1, 3)] -= y
    cuts = cuts * by - np.array([x, y, y], np.float32)
    part = picture[y : y + side, x : x + side]
    out = np.full((side, side, 3), fill, np.uint8)
    out[: part.shape[0], : part.shape[1]] = part
    planes = maps(boxes, cuts, side)
    # A row that the picture's own edge cuts is unknown, as one that the crop's edge cuts.
    if part.shape[0] < side:
        planes[5:, max(0, part.shape[0] // 2 - 3) : part.shape[0] // 2 + 1] = 0
        planes[0:2, part.shape[0] // 2 :] = 0
        planes[5:, part.shape[0] // 2 + 1 :] = np.array([0.3, 0.3, 0])[:, None, None]
    if part.shape[1] < side:
        planes[0:2, :, (part.shape[1] + 1) // 2 :] = 0
        planes[7, :, (part.shape[1] + 1) // 2 :] = 0
    return out, planes


class Quilt:
    """Crops that are sewn together of patches of a coarse level, each of another scene."""

    def __init__(self, side: int):
        self.side, self.n = side, 0
        self._new()

    def _new(self) -> None:
        self.picture = np.empty((SIDE, SIDE, 3), np.uint8)
        self.planes = np.empty((PLANES, SIDE // 2, SIDE // 2), np.float32)

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


def stream(scene: Scene):
    """Crops without end, with their planes in 16 bits."""
    r = scene.r
    quilts = {level: Quilt(SCENE >> level) for level in (2, 3)}
    while True:
        drawn = kinds.scene(scene, SCENE, SCENE)
        by_level = levels(drawn.picture)
        for level, times in ((0, FULL), (1, 1), (2, 1), (3, 1)):
            side = min(SIDE, SCENE >> level)
            if level >= len(by_level):
                continue
            h, w = by_level[level].shape[:2]
            for _ in range(times):
                x, y = r.randint(0, max(0, w - side)), r.randint(0, max(0, h - side))
                picture, planes = patch(drawn, level, by_level[level], x, y, side, r.randint(0, 255))
                if level >= 2:
                    full = quilts[level].add(picture, planes)
                    if full is None:
                        continue
                    picture, planes = full
                yield picture, planes.astype(np.float16)


def serve(cache: pathlib.Path, seed: int, queue) -> None:
    """Puts crops on a queue until the parent ends."""
    threading.Thread(target=follow, args=(os.getppid(),), daemon=True).start()
    r = random.Random(seed)
    for crop in stream(Scene(r, Material(cache, False, r))):
        queue.put(crop)


def follow(parent: int) -> None:
    """Ends this process when the parent has ended, even while it waits for the queue."""
    while os.getppid() == parent:
        time.sleep(2)
    os._exit(0)


def altered(picture: np.ndarray, r: random.Random) -> np.ndarray:
    """The crop inverted, with other colours or with less contrast, for some."""
    if r.random() < 0.2:
        picture = 255 - picture
    if r.random() < 0.25:
        picture = picture[:, :, r.sample([0, 1, 2], 3)]
    if r.random() < 0.25:
        low, top = r.randint(0, 60), r.randint(190, 255)
        picture = np.linspace(low, top, 256).astype(np.uint8)[picture]
    return picture
