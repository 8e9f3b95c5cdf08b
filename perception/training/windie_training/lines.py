"""Joins what was drawn with what the gateway cut: strips with their true texts."""

import random
from dataclasses import dataclass

import numpy as np

from . import charset
from .draw import Letter
from .screens import Text
from .strips import HEIGHT, Fit, Line

TRUE_FIT = 0.85  # share of strips in the fit nearest to the truth; the others teach what a wrong fit looks like
WIDEST = 900  # columns of a strip that is trained on


@dataclass
class Sample:
    ink: np.ndarray  # HEIGHT rows, 0 paper, 255 ink
    text: str  # folded
    middles: np.ndarray  # of each letter, in columns of the strip


def samples(r: random.Random, written: list[Text], found: list[Line], empty: float = 0.3) -> list[Sample]:
    """The lines found, with the letters whose middle they hold. Lines without any are kept in part."""
    out = []
    for line in found:
        inside = [t for t in written if line.y0 - 1 <= t.baseline - 0.4 * t.capital <= line.y1 + 1]
        letters = _letters(inside, line)
        if letters is None or not letters and r.random() > empty:
            continue
        fit = _fit(r, line, inside)
        if not 6 <= fit.ink.shape[1] <= WIDEST:
            continue
        letters = _joined(letters)
        middles = np.array([((l.x0 + l.x1) / 2 - fit.left) * fit.scale for l in letters], np.float32)
        out.append(Sample(fit.ink, charset.fold("".join(l.char for l in letters)), middles))
    return out


def _joined(letters: list[Letter]) -> list[Letter]:
    """The letters, with one for those that follow each other and are not told apart."""
    out: list[Letter] = []
    for l in letters:
        kind = charset.unread(l.char)
        if kind and out and out[-1].char == kind:
            out[-1] = Letter(kind, out[-1].x0, max(l.x1, out[-1].x1))
        else:
            out.append(Letter(kind or l.char, l.x0, l.x1))
    return out


def _letters(texts: list[Text], line: Line) -> list[Letter] | None:
    """The letters in the line, left to right; None where texts lie over each other, or one is cut through or faint."""
    parts: list[list[Letter]] = []
    for t in texts:
        held = [l for l in t.letters if line.x0 - 1 <= (l.x0 + l.x1) / 2 <= line.x1 + 1]
        if any(l.char != " " and _cut_through(l, line, any(l is h for h in held)) for l in t.letters):
            return None
        while held and held[0].char == " ":
            held.pop(0)
        while held and held[-1].char == " ":
            held.pop()
        if not held:
            continue
        if t.faint:
            return None
        top, foot = t.baseline - 1.45 * t.capital, t.baseline + 0.5 * t.capital
        beheaded = line.y0 > t.baseline - 0.75 * t.capital and any(l.char.isupper() for l in held)
        if beheaded or line.y1 < t.baseline - 1.5 and any(l.char.isalnum() for l in held):
            return None
        if line.y1 - line.y0 < 0.45 * t.capital and any(l.char.isalnum() for l in held):
            return None  # the corner of a frame around the letter
        if line.y0 < top - 0.6 * t.capital or line.y1 > foot + 0.6 * t.capital:
            return None  # it holds more than one row
        parts.append(held)
    parts.sort(key=lambda p: p[0].x0)
    letters: list[Letter] = []
    for p in parts:
        if letters and p[0].x0 < letters[-1].x1 - 2:
            return None
        if letters:
            letters.append(Letter(" ", letters[-1].x1, p[0].x0))
        letters += p
    return letters


def _cut_through(letter: Letter, line: Line, held: bool) -> bool:
    """Whether a good part of the letter is in the line, and a good part is not."""
    wide = letter.x1 - letter.x0
    inside = min(letter.x1, line.x1 + 1) - max(letter.x0, line.x0 - 1)
    if held:
        return wide > 6 and inside < 0.55 * wide
    return inside > max(1.5, 0.25 * wide)


def _fit(r: random.Random, line: Line, texts: list[Text]) -> Fit:
    if not texts or r.random() > TRUE_FIT:
        return r.choice(line.fits)
    return min(line.fits, key=lambda f: abs(f.capital - texts[0].capital) + abs(f.baseline - texts[0].baseline))


assert HEIGHT == 24, "the network in model.py is made for strips of 24 rows"
