"""Finds in a picture where a text that is known stands.

The accessibility tree often gives the text of a widget with the box of the
whole widget. The text is looked for inside: ink of the width that the font
gives it, with its gaps where its spaces are. What does not fit is not labelled.
"""

import subprocess
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from words import Box, tokens

LIKENESS = 0.4  # the least correlation of the ink of a text with that which its font draws
FAINTEST = 36  # the least difference from the background, of 255, that is ink


@lru_cache(maxsize=64)
def font(family, pixels, bold=False):
    pattern = f'{family}:bold' if bold else family
    file = subprocess.run(['fc-match', '-f', '%{file}', pattern], capture_output=True, text=True, check=True).stdout
    return ImageFont.truetype(file, round(pixels))


class Inks:
    """The ink in a part of a picture: what differs from the colour that is there most."""

    def __init__(self, picture, box):
        self.x, self.y = max(0, int(box.x)), max(0, int(box.y))
        part = picture[self.y:int(box.bottom + 0.99), self.x:int(box.right + 0.99)].astype(int)
        if part.size == 0:
            self.mask = np.zeros((0, 0), bool)
            return
        flat = (part[..., 0] << 16 | part[..., 1] << 8 | part[..., 2]).ravel()
        values, counts = np.unique(flat, return_counts=True)
        most = int(values[counts.argmax()])
        background = np.array([most >> 16, most >> 8 & 255, most & 255])
        self.mask = np.abs(part - background).max(axis=2) > FAINTEST

    def rows(self):
        return runs(self.mask.any(axis=1), 1)

    def band(self, top, bottom):
        return [Run(a, b) for a, b in runs(self.mask[top:bottom].any(axis=0), 0)]


class Run:
    """Columns from first to last, without last, that all have ink."""

    def __init__(self, first, last):
        self.first, self.last = first, last


def runs(flags, bridge):
    """The stretches of true flags as (first, last); gaps of at most bridge do not end one."""
    list_, start, end = [], None, None
    for i in np.flatnonzero(flags):
        if start is None:
            start = i
        elif i - end > bridge:
            list_.append((start, end))
            start = i
        end = i + 1
    return list_ + [(start, end)] if start is not None else list_


def ink_width(text, letters):
    """From where to where a text of one line has ink, in pixels."""
    left, _, right, _ = letters.getbbox(text)
    return left, right


def place_line(inks, top, bottom, text, letters):
    """The boxes of a text's words where it stands between two rows, or nothing."""
    columns = inks.band(top, bottom)
    left, right = ink_width(text, letters)
    wanted, best = right - left, None
    slack = max(2, wanted * 0.045)
    for i, first in enumerate(columns):
        for last in columns[i:]:
            off = abs(last.last - first.first - wanted)
            if off <= slack and (best is None or off < best[0]):
                words = cut_words(inks, (top, bottom), columns[i:columns.index(last) + 1], text, letters)
                best = (off, words) if words else best
    return best[1] if best else None


def cut_words(inks, rows, columns, text, letters):
    """Cuts the ink of a line at the spaces of its text; nothing where there is no gap."""
    begin, end = columns[0].first, columns[-1].last
    left, right = ink_width(text, letters)
    scale = (end - begin) / max(1, right - left)
    space = letters.getlength(' ') * scale
    gaps = [(a.last, b.first) for a, b in zip(columns, columns[1:])]
    edges, list_ = [begin], tokens(text)
    for (_, _, stop), (_, start, _) in zip(list_, list_[1:]):
        middle = begin + ((letters.getlength(text[:stop]) + letters.getlength(text[:start])) / 2 - left) * scale
        near = [g for g in gaps if g[1] - g[0] >= max(2, space * 0.6) and g[0] - space * 0.6 <= middle <= g[1] + space * 0.6]
        if len(near) != 1:
            return None
        edges += near[0]
    edges.append(end)
    if any(b <= a for a, b in zip(edges, edges[1:])):
        return None
    if any(b - a > max(3, letters.size * 0.28) for a, b in gaps if a not in edges):  # wider than between letters
        return None
    if not looks_like(inks, rows, (begin, end), text, letters):
        return None
    return [tight(inks, rows, a, b) for a, b in zip(edges[::2], edges[1::2])]


def looks_like(inks, rows, columns, text, letters):
    """Whether the ink is spread over the columns as that of the text would be: an icon's is not."""
    drawn = Image.new('L', (int(letters.getlength(text)) + 8, int(letters.size * 2)))
    ImageDraw.Draw(drawn).text((4, letters.size * 0.3), text, fill=255, font=letters)
    if drawn.getbbox() is None or columns[1] - columns[0] < 1:
        return False
    drawn = drawn.crop(drawn.getbbox())
    wanted = np.asarray(drawn.resize((columns[1] - columns[0], drawn.height)), float).sum(axis=0)
    found = inks.mask[rows[0]:rows[1], columns[0]:columns[1]].sum(axis=0).astype(float)
    smooth = np.ones(5) / 5
    wanted, found = np.convolve(wanted, smooth, 'same'), np.convolve(found, smooth, 'same')
    if min(wanted.std(), found.std()) == 0:
        return len(text) == 1
    return max(np.corrcoef(np.roll(wanted, by), found)[0, 1] for by in (-2, -1, 0, 1, 2)) > LIKENESS


def tight(inks, rows, first, last):
    """The box around the ink of some columns, in the picture, with a pixel around it."""
    inked = np.flatnonzero(inks.mask[rows[0]:rows[1], first:last].any(axis=1))
    top, bottom = rows[0] + inked[0], rows[0] + inked[-1] + 1
    return Box(inks.x + int(first) - 1, inks.y + int(top) - 1, int(last - first) + 2, int(bottom - top) + 2)


def tall_enough(box, pixels):
    return pixels * 0.3 <= box.h <= pixels * 1.75


def place(picture, box, text, letters):
    """The boxes of the words of text in a part of the picture, or nothing.

    A text may be broken over several lines; each line must fit.
    """
    inks = Inks(picture, box)
    if inks.mask.size == 0:
        return None
    rows = inks.rows()
    whole = place_line(inks, 0, inks.mask.shape[0], text, letters)
    if whole and all(tall_enough(b, letters.size) for b in whole):
        return whole
    for i in range(len(rows)):
        placed = place_lines(inks, rows[i:], text.split(), letters)
        if placed:
            return placed
    return None


def place_lines(inks, rows, words, letters):
    """Places words on one row after the other, as many as fit; all must."""
    placed = []
    for top, bottom in rows:
        for n in range(len(words), 0, -1):
            boxes = place_line(inks, top, bottom, ' '.join(words[:n]), letters)
            if boxes and all(tall_enough(b, letters.size) for b in boxes):
                placed, words = placed + boxes, words[n:]
                break
        else:
            return None
        if not words:
            return placed
    return None


def has_ink(picture, box):
    """Whether something is drawn in a box, which is more than its background."""
    inks = Inks(picture, box)
    return inks.mask.size > 0 and inks.mask.mean() > 0.02


def goes_on(picture, box):
    """Whether ink goes on right of a box: the text is wider than its program says, as in bold."""
    return Inks(picture, Box(box.x, box.y, box.w + 3, box.h)).mask[2:-2, -2:].any()
