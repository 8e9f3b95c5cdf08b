"""From maps to elements."""

import cv2
import numpy as np
import torch

from ..textmap.boxes import infer, sigmoid
from ..textmap.pyramid import LEAST, half
from . import CLASSES, CORES, STATES, rest
from .crops import LEVELS

ON, SURE = 0.5, 0.6  # a core cell, the least of an element's surest cell
SHORT = (3.0, 60.0)  # of an element's shorter side in pixels of its level
HOME = 10.0  # from here to twice of it a level is the better one
SAME = 0.5  # two boxes of two levels are one element if they share more of both than this
EDGE = 2  # rows or columns of cells that say where a side is
COLUMNS = ("x0", "y0", "x1", "y1", "sure", "layer", "class", "kindness", *STATES)


def of_maps(m: np.ndarray) -> np.ndarray:
    """The elements of one level, in its pixels, by COLUMNS; kindness is the probability of the class."""
    out = []
    for layer in range(CORES):
        core = sigmoid(m[layer])
        count, label, stats, _ = cv2.connectedComponentsWithStats((core > ON).astype(np.uint8), connectivity=4)
        first = rest(layer)
        for i in range(1, count):
            x, y, w, h, _ = stats[i]
            part = label[y : y + h, x : x + w] == i
            sure = core[y : y + h, x : x + w][part]
            if sure.max() < SURE:
                continue
            rows, columns = np.nonzero(part)
            scores = m[first:, y : y + h, x : x + w][:, part]
            mx, my = 2.0 * (columns + x) + 1, 2.0 * (rows + y) + 1
            near = (columns < EDGE, rows < EDGE, columns >= w - EDGE, rows >= h - EDGE)
            box = [np.median((at - 2 ** s if n < 2 else at + 2 ** s)[k]) for n, (at, s, k) in enumerate(zip((mx, my, mx, my), scores[:4], near))]
            if not SHORT[0] <= min(box[2] - box[0], box[3] - box[1]) <= SHORT[1]:
                continue
            kinds = scores[4 : 4 + CLASSES].mean(1)
            kinds = np.exp(kinds - kinds.max())
            states = sigmoid(scores[4 + CLASSES : 4 + CLASSES + len(STATES)].mean(1))
            out.append((*box, sure.mean(), layer, kinds.argmax(), kinds.max() / kinds.sum(), *states))
    return np.array(out, np.float32).reshape(-1, len(COLUMNS))


def joined(by_level: list[np.ndarray]) -> np.ndarray:
    """The elements of all levels in pixels of the picture; of two that are one element the better one stays."""
    every = []
    for n, boxes in enumerate(by_level):
        boxes = boxes.copy()
        short = np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
        away = np.maximum(np.log2(short / (2 * HOME)), 0) + (np.maximum(np.log2(HOME / short), 0) if n else 0)
        boxes[:, :4] *= 1 << n
        every += [(float(a) - 0.5 * float(b[4]), n, b) for a, b in zip(away, boxes)]
    every.sort(key=lambda e: e[0])
    kept, level = np.zeros((0, len(COLUMNS)), np.float32), np.zeros(0, int)
    for _, n, b in every:
        if len(kept) and ((level != n) & (kept[:, 5] == b[5]) & (shared(kept, b) > SAME)).any():
            continue
        kept, level = np.concatenate([kept, b[None]]), np.append(level, n)
    return kept


def shared(boxes: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The intersection by the union of boxes and one box."""
    wide = np.maximum(np.minimum(boxes[:, 2], b[2]) - np.maximum(boxes[:, 0], b[0]), 0)
    high = np.maximum(np.minimum(boxes[:, 3], b[3]) - np.maximum(boxes[:, 1], b[1]), 0)
    both = wide * high
    area = lambda q: (q[..., 2] - q[..., 0]) * (q[..., 3] - q[..., 1])
    return both / np.maximum(area(boxes) + area(b) - both, 1)


def maps(net, picture: np.ndarray) -> list[np.ndarray]:
    """The maps of each level of a picture of RGB bytes."""
    out = []
    for level in range(LEVELS):
        if level:
            if min(picture.shape[:2]) < 2 * LEAST:
                break
            picture = half(picture)
        out.append(infer(net, picture))
    return out


@torch.no_grad()
def find(net, picture: np.ndarray) -> np.ndarray:
    """The elements of a picture of RGB bytes, by COLUMNS."""
    return joined([of_maps(m) for m in maps(net, picture)])
