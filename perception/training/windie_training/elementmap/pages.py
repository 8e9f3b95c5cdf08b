"""Screens with truth: pictures and their elements, from a folder that windie_training.elements.make fills."""

import json
import pathlib

import cv2
import numpy as np

from . import OFF, ON, place_of


def elements_of(truth: dict) -> np.ndarray:
    """The elements of a screen, by targets.COLUMNS. A state that a role cannot have is unknown (-1)."""
    out = []
    for e in truth["elements"]:
        at = place_of(e["role"])
        x0, y0, x1, y1 = e["box"]
        if at is None or x1 - x0 < 2 or y1 - y0 < 2:
            continue
        states = e.get("states", ())
        acted, bare = bool(e.get("acted")), bool(e.get("bare"))
        if e["role"] == "button" and bare and not e.get("text"):
            continue  # nothing but its icon can be seen
        if e["role"] in ("button", "tab") and bare and e.get("text"):
            at = place_of("link") if e["role"] == "button" else at
        out.append((x0, y0, x1, y1, *at, bare, bool(e.get("dimmed")), acted, any(s in ON for s in states), any(s in OFF for s in states)))
    return np.array(out, np.float32).reshape(-1, 11)


def page(file: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """The RGB picture and the elements of a JSON file's screen."""
    truth = json.loads(file.read_text())
    picture = cv2.imread(str(next(f for f in (file.with_suffix(s) for s in (".png", ".webp")) if f.exists())))
    return cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), elements_of(truth)
