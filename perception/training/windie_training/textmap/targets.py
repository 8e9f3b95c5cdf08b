"""The maps that the network learns, for one crop of one level."""

import numpy as np

from . import ICON, KINDS, PICTURE, SCRIPT, TEXT, UNKNOWN
from .rows import HEIGHTS

CORE = (0.25, 0.73)  # the part of a row's height that its core fills
AROUND = (0.4, 0.6)  # how far a row's surroundings reach up and down, and to the sides, of its height
PLANES = 8  # core, separation, kind, top, bottom, weights of core, of separation and of kind


def ranges(y0, y1, x0, x1, h, w) -> tuple[slice, slice] | None:
    """Cells of a box in pixels, at least one in each direction if it is on the picture."""
    a, b = round(y0 / 2), max(round(y1 / 2), round(y0 / 2) + 1)
    c, d = round(x0 / 2), max(round(x1 / 2), round(x0 / 2) + 1)
    a, b, c, d = max(0, a), min(h, b), max(0, c), min(w, d)
    return (slice(a, b), slice(c, d)) if a < b and c < d else None


def maps(boxes: np.ndarray, cuts: np.ndarray, side: int) -> np.ndarray:
    """Planes of half the side from boxes (x0, y0, x1, y1, kind) and cuts (x, y0, y1) in the crop's pixels."""
    n = side // 2
    out = np.zeros((PLANES, n, n), np.float32)
    core, apart, kind, top, bottom, weight, weight_apart, weight_kind = out
    weight[:], weight_apart[:] = 1, 1
    near = np.zeros((n, n), np.uint8)
    middle = np.arange(n)[:, None] * 2 + 1.0
    lines = []
    inside = (boxes[:, 2] > 0) & (boxes[:, 3] > 0) & (boxes[:, 0] < side) & (boxes[:, 1] < side)
    for x0, y0, x1, y1, k in boxes[inside].tolist():
        t = y1 - y0
        whole = ranges(y0, y1, x0, x1, n, n)
        if whole is None:
            continue
        if k in (ICON, PICTURE):
            kind[whole], weight_kind[whole] = k, 1 if k == ICON else 0.3
        if k not in (TEXT, SCRIPT):
            continue
        if t < HEIGHTS[0] or t > HEIGHTS[3]:
            continue  # another level's row: nothing is here
        if t < HEIGHTS[1] or t > HEIGHTS[2] or y0 < -0.15 * t or y1 > side + 0.15 * t:
            wide = ranges(y0 - 2, y1 + 2, x0 - 0.5 * t, x1 + 0.5 * t, n, n)
            weight[wide], weight_apart[wide], weight_kind[wide] = 0, 0, 0
            continue
        lines.append((x0, y0, x1, y1, k))
        around = ranges(y0 - AROUND[0] * t, y1 + AROUND[0] * t, x0 - AROUND[1] * t, x1 + AROUND[1] * t, n, n)
        near[around] += 1
    for x0, y0, x1, y1, k in boxes[inside & (boxes[:, 4] == UNKNOWN)].tolist():
        place = ranges(y0 - 1, y1 + 1, x0 - 1, x1 + 1, n, n)
        if place is not None:
            weight[place], weight_apart[place], weight_kind[place] = 0, 0, 0
    apart[near >= 2] = 1
    weight[(near >= 2) & (weight > 0)] = 3
    for x, y0, y1 in cuts.tolist():
        edge = ranges(y0, y1, x - 1, x + 1, n, n)
        if edge is not None:
            rows = near[edge] >= 1
            apart[edge][rows], weight_apart[edge][rows] = 1, 3
    for x0, y0, x1, y1, k in lines:
        t = y1 - y0
        whole = ranges(y0, y1, x0, x1, n, n)
        kind[whole] = k
        weight_kind[whole] = min(max(12 / t, 0.3), 2)
        place = ranges(y0 + CORE[0] * t, y0 + CORE[1] * t, x0, x1, n, n)
        core[place], apart[place] = 1, 0
        weight[place] = min(max(20 / t, 0.3), 2) * min(max(4 * t / (x1 - x0 + 1), 1), 5)  # short rows count more
        top[place] = np.log2(np.maximum(middle[place[0]] - y0, 1))
        bottom[place] = np.log2(np.maximum(y1 - middle[place[0]], 1))
    return out


def perfect(planes: np.ndarray) -> np.ndarray:
    """The network's maps that agree with the planes of maps: for tests."""
    kinds = np.stack([(planes[2] == k) * 8.0 for k in range(KINDS)])
    return np.concatenate([planes[:1] * 16 - 8, planes[1:2] * 16 - 8, kinds, planes[3:5]]).astype(np.float32)
