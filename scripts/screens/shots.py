"""What a screen is: its program, and how it looks."""

import hashlib
from dataclasses import dataclass, field


@dataclass
class Shot:
    """One screen to make. Width and height are CSS pixels, dpr how many pixels each is."""

    name: str
    kind: str
    truth: object  # the function that makes its truth, from a Stage
    command: list = field(default_factory=list)
    width: int = 1000
    height: int = 700
    dpr: float = 1
    dpi: float = 96
    theme: str = 'light'  # or dark, contrast, contrast-dark
    family: str = 'DejaVu Sans'
    points: int = 10
    locale: str = 'en_US'
    keys: list = field(default_factory=list)  # to press before the picture
    files: dict = field(default_factory=dict)  # to write into the home before the program starts
    env: dict = field(default_factory=dict)
    look: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)  # of the kind
    maximized: bool = True
    kde: bool = False

    @property
    def lang(self):
        return self.locale.split('_')[0]

    @property
    def pixels(self):
        """The height of the interface's letters, their em, in pixels of the picture."""
        return self.points * self.dpi / 72 * self.dpr

    @property
    def held(self):
        return is_held(self.name)


def is_held(name):
    """A third of the screens, by their names alone, is held back: nothing is tuned by them."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 3 == 0
