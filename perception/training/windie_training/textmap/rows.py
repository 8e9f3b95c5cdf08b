"""Rows of words: the rules of the package's documentation."""

from dataclasses import dataclass

import numpy as np

from . import SCRIPT, TEXT, UNKNOWN

ABOVE, BELOW = 1.05, 0.28  # of a capital's height, from the baseline
JOIN, SPLIT = 0.8, 1.25  # gaps between words, of the row's height: at most one row, at least two rows
SIZES = 1.3  # the largest ratio of two sizes in one row
BASELINES = 0.12  # the largest difference of two baselines in one row, of the height
# Heights of rows in pixels of a level: from the first number to the last the level may know a row,
# between the middle two it must.
HEIGHTS = (5.0, 7.0, 40.0, 52.0)


@dataclass
class Word:
    """A word: where its letters begin and end, its baseline and the height of a capital."""

    x0: float
    x1: float
    baseline: float
    capital: float
    kind: int = TEXT  # TEXT, SCRIPT or UNKNOWN
    run: int = 0  # words of one run are one row, unless a wide gap or a cut parts them
    signs: bool = False  # without a letter or a digit

    @property
    def height(self) -> float:
        return (ABOVE + BELOW) * self.capital

    @property
    def box(self) -> tuple[float, float, float, float]:
        return self.x0, self.baseline - ABOVE * self.capital, self.x1, self.baseline + BELOW * self.capital


@dataclass
class Cut:
    """An upright edge that parts rows: its place and its ends."""

    x: float
    y0: float
    y1: float


def chains(words: list[Word], cuts: list[Cut] = ()) -> tuple[list[list[Word]], list[tuple]]:
    """The rows of words, and the boxes of the gaps that may belong to a row or not."""
    rest = sorted(words, key=lambda w: w.x0)
    used = [False] * len(rest)
    places = np.array([(w.x0, w.baseline, w.capital) for w in rest]).reshape(-1, 3)
    rows, unknown = [], []
    for i, first in enumerate(rest):
        if used[i]:
            continue
        used[i], row = True, [first]
        while True:
            last = row[-1]
            t = last.height
            ahead = places[:, 0] - last.x1
            near = np.flatnonzero((ahead > -0.35 * t) & (ahead < SPLIT * t) & (np.abs(places[:, 1] - last.baseline) < 0.5 * t) & (places[:, 0] > last.x0))
            near = [n for n in near if not used[n] and rest[n] is not last]
            if not near:
                break
            n = min(near, key=lambda n: places[n, 0])
            word = rest[n]
            gap = word.x0 - last.x1
            a, b = last.box, word.box
            top, bottom = min(a[1], b[1]), max(a[3], b[3])
            if any(last.x1 - 1 <= c.x <= word.x0 + 1 and c.y0 <= max(a[1], b[1]) + 0.2 * t and c.y1 >= min(a[3], b[3]) - 0.2 * t for c in cuts):
                break
            fits = max(word.capital, last.capital) <= SIZES * min(word.capital, last.capital) and abs(word.baseline - last.baseline) <= max(1.0, BASELINES * t)
            alike = (word.kind == SCRIPT) == (last.kind == SCRIPT)
            if fits and alike and (gap <= JOIN * t or word.run == last.run and word.run and gap < SPLIT * t):
                used[n] = True
                row.append(word)
                continue
            unknown.append((last.x1, top, max(word.x0, last.x1 + 1), bottom))
            break
        rows.append(row)
    return rows, unknown


def boxes(words: list[Word], cuts: list[Cut] = ()) -> np.ndarray:
    """Rows and unknown places as x0, y0, x1, y1, kind."""
    rows, gaps = chains(words, cuts)
    out = []
    for row in rows:
        capital = float(np.median([w.capital for w in row]))
        baseline = float(np.median([w.baseline for w in row]))
        known = any(not w.signs for w in row) and all(w.kind != UNKNOWN for w in row)
        scripts = sum(w.kind == SCRIPT for w in row)
        kind = UNKNOWN if not known else SCRIPT if 2 * scripts > len(row) else TEXT
        out.append((row[0].x0, baseline - ABOVE * capital, max(w.x1 for w in row), baseline + BELOW * capital, kind))
    out += [(*g, UNKNOWN) for g in gaps]
    return np.array(out, np.float32).reshape(-1, 5)
