"""The kits by name."""

from .base import Kit
from .sheets import SHEETS
from .scripted import SCRIPTED

# Kits that only held pages are made with.
HELD = ("carbon", "element-plus", "xp.css", "framework7", "semantic-ui")

KITS: dict[str, Kit] = {k.name: k for k in (*SHEETS, *SCRIPTED)}
