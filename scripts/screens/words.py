"""Words with their boxes, and what of them can be seen. Lengths are pixels of the picture."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple


class Box(NamedTuple):
    x: float
    y: float
    w: float
    h: float

    @property
    def right(self):
        return self.x + self.w

    @property
    def bottom(self):
        return self.y + self.h

    def inside(self, other, slack=0.5):
        return (self.x >= other.x - slack and self.y >= other.y - slack
                and self.right <= other.right + slack and self.bottom <= other.bottom + slack)

    def meets(self, other):
        return (self.x < other.right and other.x < self.right
                and self.y < other.bottom and other.y < self.bottom)

    def cut(self, other):
        """The part of the box that lies in the other, which may be empty."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        return Box(x, y, max(0, min(self.right, other.right) - x), max(0, min(self.bottom, other.bottom) - y))

    def with_(self, other):
        """The smallest box around both."""
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Box(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)


@dataclass
class Word:
    """A word that can be seen whole. Words of one phrase stand on one line, one after the other."""

    text: str
    box: Box
    phrase: object = None


@dataclass
class Truth:
    """What is known of one screen. Ignored are boxes in which what is read counts neither way."""

    words: list = field(default_factory=list)
    ignore: list = field(default_factory=list)
    elements: list = field(default_factory=list)
    blind: list = field(default_factory=list)  # boxes in which not all words are known
    partly: bool = False  # whether words are known, and others may be anywhere
    unsure: list = field(default_factory=list)  # texts of ignored boxes, as far as they are known

    def doubt(self, box, text=''):
        if box.w > 0 and box.h > 0:
            self.ignore.append(box)
            self.unsure.append(text)

    def drop_outside(self, screen):
        """Words that the screen cuts off are ignored."""
        self.words, cut = split(self.words, lambda w: w.box.inside(screen))
        for word in cut:
            self.doubt(word.box.cut(screen), word.text)
        self.ignore = [b for b in (b.cut(screen) for b in self.ignore) if b.w > 0 and b.h > 0]

    def drop_ignored(self):
        """Words that lie mostly in ignored boxes do not count."""
        def doubted(word):
            return any((part := word.box.cut(b)).w * part.h > word.box.w * word.box.h / 2 for b in self.ignore)
        kept, doubtful = split(self.words, lambda w: not doubted(w))
        self.words = kept
        self.unsure += [w.text for w in doubtful]


def split(items, right):
    """The items for which right returns true, and the others."""
    yes, no = [], []
    for item in items:
        (yes if right(item) else no).append(item)
    return yes, no


def tokens(text):
    """The words of a text with their first and last offsets."""
    return [(m.group(), m.start(), m.end()) for m in re.finditer(r'\S+', text)]


def has_text(text):
    return any(c.isalnum() for c in text)
