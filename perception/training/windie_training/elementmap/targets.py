"""The maps that the network learns, for one crop of one level."""

import numpy as np

from . import CORES, INSET

# The shorter side of an element in pixels of a level: from the first number to the last the level may know
# it, between the middle two it must.
SIDES = (3.5, 5.0, 40.0, 56.0)
FAR = 6.0  # log2 of the largest distance to a side, in pixels
PARTS = 10  # planes of a layer: core, weight of the core, class, four sides, three states
UNKNOWN = -1.0  # of a class, a side or a state
BARE = 0.4  # weight of an element without a surface
COLUMNS = ("x0", "y0", "x1", "y1", "layer", "class", "bare", "dimmed", "acted", "on", "off")


def ranges(x0, y0, x1, y1, n) -> tuple[slice, slice] | None:
    """Cells of a box in pixels, at least one in each direction if it is on the crop."""
    a, b = round(y0 / 2), max(round(y1 / 2), round(y0 / 2) + 1)
    c, d = round(x0 / 2), max(round(x1 / 2), round(x0 / 2) + 1)
    a, b, c, d = max(0, a), min(n, b), max(0, c), min(n, d)
    return (slice(a, b), slice(c, d)) if a < b and c < d else None


def core_of(x0, y0, x1, y1) -> tuple[float, float, float, float]:
    margin = INSET * min(x1 - x0, y1 - y0)
    return x0 + margin, y0 + margin, x1 - margin, y1 - margin


def maps(elements: np.ndarray, side: int) -> np.ndarray:
    """Planes of half the side, PARTS for each layer, from elements (COLUMNS) in the crop's pixels."""
    n = side // 2
    out = np.full((CORES, PARTS, n, n), UNKNOWN, np.float32)
    out[:, 0], out[:, 1] = 0, 1
    middle = np.arange(n) * 2 + 1.0
    area = (elements[:, 2] - elements[:, 0]) * (elements[:, 3] - elements[:, 1])
    on_crop = (elements[:, 2] > 0) & (elements[:, 3] > 0) & (elements[:, 0] < side) & (elements[:, 1] < side)
    for i in np.argsort(-area, kind="stable"):
        if not on_crop[i]:
            continue
        x0, y0, x1, y1, layer, kind, bare, dimmed = elements[i, :8].tolist()
        core, weight, kinds, *planes = out[int(layer)]
        s = min(x1 - x0, y1 - y0)
        if s < SIDES[0] or s > SIDES[3]:
            continue  # another level's element: nothing is here
        whole = ranges(x0, y0, x1, y1, n)
        cut = (x0 < -1, y0 < -1, x1 > side + 1, y1 > side + 1)
        if dimmed or not SIDES[1] <= s <= SIDES[2] or _hidden(x0, y0, x1, y1, side, cut):
            weight[whole] = 0
            continue
        core[whole], weight[whole] = 0, 1
        place = ranges(*core_of(x0, y0, x1, y1), n)
        if place is None:
            weight[whole] = 0
            continue
        core[place] = 1
        # Long elements have more cells, but each element should count.
        weight[place] = min(max(14 / s, 0.3), 2.5) * min(max(3 * s / (max(x1 - x0, y1 - y0) + 1), 0.4), 1.5) * (BARE if bare else 1)
        kinds[place] = kind
        far = (middle[None, place[1]] - x0, middle[place[0], None] - y0, x1 - middle[None, place[1]], y1 - middle[place[0], None])
        for plane, d, gone in zip(planes[:4], far, cut):
            plane[place] = UNKNOWN if gone else np.minimum(np.log2(np.maximum(d, 1)), FAR)
        for plane, value in zip(planes[4:], elements[i, 8:11].tolist()):
            plane[place] = value
    return out.reshape(CORES * PARTS, n, n)


def _hidden(x0, y0, x1, y1, side, cut) -> bool:
    """Whether the crop cuts off too much of an element: more than a part of its longer side."""
    if not any(cut):
        return False
    w, h = x1 - x0, y1 - y0
    wide, high = min(x1, side) - max(x0, 0), min(y1, side) - max(y0, 0)
    if w >= h:
        return cut[1] or cut[3] or wide < min(1.5 * h, w)
    return cut[0] or cut[2] or high < min(1.5 * w, h)
