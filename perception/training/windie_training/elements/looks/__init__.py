"""Screens that look like those of desktops and phones, drawn by a browser.

    html, width, height = page(r, material)

Vocabulary: a look (Kit) draws widgets as one system or toolkit does; a program says what is in a window, once for all
looks; a scene puts windows, menus and notices on a screen.
"""

from .scene import page

__all__ = ["page"]
