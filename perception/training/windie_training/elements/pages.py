"""A page at random: a kit, a layout, and for some what lies over it: dialogs, menus, toasts."""

import random

from .kits import HELD as HELD_KITS
from .kits import KITS
from .layouts import LAYOUTS, PHONE
from .material import Material
from .overlays import overlay
from .page import Page

HELD = ("kanban", "player", "review")  # layouts that only held pages have
FREE = 0.22  # share of pages with the free kit


def make(r: random.Random, m: Material, view, only: str | None = None) -> tuple[str, dict]:
    """The HTML of a page, and its kit, layout, width, height and scale."""
    names = [n for n in KITS if (n in HELD_KITS) == m.held and n != "free"]
    kit = KITS[only or ("free" if r.random() < (0.15 if m.held else FREE) else r.choice(names))]
    w, h, scale = view(r, kit.phone)
    p = Page(kit, m, r, w, h)
    layouts = PHONE if p.phone else LAYOUTS
    known = [n for n in layouts if n not in HELD] if not m.held or r.random() < 0.6 else [n for n in layouts if n in HELD] or list(layouts)
    layout = r.choice(known)
    body = layouts[layout](p)
    if p.chance(0.36):
        body += overlay(p)
    return p.document(body), {"kit": kit.name, "layout": layout, "width": w, "height": h, "scale": scale}
