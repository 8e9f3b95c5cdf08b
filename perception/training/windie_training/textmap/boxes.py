"""From maps to boxes of rows."""

import cv2
import numpy as np
import torch

from . import BOTTOM, CORE, KIND, KINDS, SCRIPT, SEPARATION, TEXT, TOP
from .pyramid import UNIT, halved, levels, padded

ON, APART, SURE = 0.5, 0.6, 0.6  # a core cell, a cell of separation, the least of a row's surest cell
HEIGHT = (6.0, 44.0)  # of rows that a level may name, in its pixels
HOME = 14.0  # from here to twice of it a level is the better one
SAME = 0.5  # two boxes of two levels exclude each other if they share more than this of the narrower and of the lower one
COLUMNS = ("x0", "y0", "x1", "y1", "sure", "kind")


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


@torch.no_grad()
def infer(net, picture: np.ndarray) -> np.ndarray:
    """The maps of one level."""
    h, w = picture.shape[:2]
    x = torch.from_numpy(np.ascontiguousarray(halved(padded(picture)))).permute(2, 0, 1)[None].float().mul(UNIT)
    y = net(x.contiguous(memory_format=torch.channels_last))[0].numpy()
    return y[:, : (h + 1) // 2, : (w + 1) // 2]


def of_maps(m: np.ndarray) -> np.ndarray:
    """The boxes of one level, in its pixels: x0, y0, x1, y1, sure, kind."""
    core = sigmoid(m[CORE])
    on = ((core > ON) & (sigmoid(m[SEPARATION]) < APART)).astype(np.uint8)
    count, label, stats, _ = cv2.connectedComponentsWithStats(on, connectivity=4)
    out = []
    for i in range(1, count):
        x, y, w, h, area = stats[i]
        part = label[y : y + h, x : x + w] == i
        sure = core[y : y + h, x : x + w][part]
        if area < 2 or sure.max() < SURE:
            continue
        middle = 2 * (np.nonzero(part)[0] + y) + 1.0
        top = np.median(middle - 2 ** m[TOP, y : y + h, x : x + w][part])
        bottom = np.median(middle + 2 ** m[BOTTOM, y : y + h, x : x + w][part])
        if not HEIGHT[0] <= bottom - top <= HEIGHT[1]:
            continue
        kind = int(m[KIND : KIND + KINDS, y : y + h, x : x + w][:, part].mean(1).argmax())
        out.append((2.0 * x, top, 2.0 * (x + w), bottom, sure.mean(), kind))
    return np.array(out, np.float32).reshape(-1, len(COLUMNS))


def joined(by_level: list[np.ndarray]) -> np.ndarray:
    """The boxes of all levels in pixels of the picture; of two that name one row the better one stays."""
    every = []
    for n, boxes in enumerate(by_level):
        boxes = boxes[np.isin(boxes[:, 5], (TEXT, SCRIPT))].copy()
        high = boxes[:, 3] - boxes[:, 1]
        # How far the height is from the level's own, in octaves; the first level owns all that is lower.
        away = np.maximum(np.log2(high / (2 * HOME)), 0) + (np.maximum(np.log2(HOME / high), 0) if n else 0)
        boxes[:, :4] *= 1 << n
        every += [(float(a) - 0.25 * float(b[4]), n, b) for a, b in zip(away, boxes)]
    every.sort(key=lambda e: e[0])
    kept = np.zeros((0, len(COLUMNS)), np.float32)
    level = np.zeros(0, int)
    for _, n, b in every:
        if len(kept):
            wide = np.minimum(kept[:, 2], b[2]) - np.maximum(kept[:, 0], b[0])
            high = np.minimum(kept[:, 3], b[3]) - np.maximum(kept[:, 1], b[1])
            beside = wide > SAME * np.minimum(kept[:, 2] - kept[:, 0], b[2] - b[0])
            through = high > SAME * np.minimum(kept[:, 3] - kept[:, 1], b[3] - b[1])
            if (beside & through & (level != n)).any():
                continue
        kept, level = np.concatenate([kept, b[None]]), np.append(level, n)
    return kept


def maps(net, picture: np.ndarray) -> list[np.ndarray]:
    """The maps of each level of a picture of RGB bytes."""
    return [infer(net, level) for level in levels(picture)]


def of_levels(by_level: list[np.ndarray]) -> np.ndarray:
    """The rows that the maps of the levels show, in pixels of the picture."""
    return joined([of_maps(m) for m in by_level])


def find(net, picture: np.ndarray) -> np.ndarray:
    """The rows of a picture of RGB bytes."""
    return of_levels(maps(net, picture))
