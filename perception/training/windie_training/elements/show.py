"""Draws the truth over pictures.

    python -m windie_training.elements.show FOLDER OUT.png [NAME...] [--roles icon,button] [--count 1]
"""

import argparse
import json
import pathlib

import cv2
import numpy as np

COLOURS = {
    "button": (0, 0, 255), "link": (255, 80, 0), "field": (0, 160, 0), "dropdown": (0, 200, 160), "checkbox": (255, 0, 255), "radio": (255, 0, 160), "switch": (200, 0, 255), "slider": (160, 60, 255), "progress": (160, 160, 0),
    "tab": (0, 120, 255), "item": (255, 160, 0), "row": (200, 200, 120), "cell": (190, 190, 190), "icon": (0, 0, 160), "picture": (120, 120, 0), "avatar": (0, 200, 0), "badge": (0, 200, 255), "heading": (128, 0, 0), "text": (90, 150, 90),
    "panel": (255, 120, 160), "dialog": (0, 0, 0), "menu": (60, 60, 60), "toolbar": (120, 0, 120), "sidebar": (0, 90, 90), "tooltip": (80, 80, 255), "titlebar": (140, 70, 20), "scrollbar": (20, 140, 255), "splitter": (255, 255, 0),
}


def drawn(picture: np.ndarray, truth: dict, roles=(), zoom: float = 1) -> np.ndarray:
    """The picture with a frame around each element; dimmed ones are thin, and d, c, a stand for states."""
    out = cv2.resize(picture, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR)
    for e in truth["elements"]:
        if roles and e["role"] not in roles:
            continue
        x0, y0, x1, y1 = (round(v * zoom) for v in e["box"])
        c = COLOURS.get(e["role"], (0, 0, 0))
        cv2.rectangle(out, (x0, y0), (x1 - 1, y1 - 1), c, 1)
        mark = "".join(s[0] for s in e["states"]) + ("~" if e.get("dimmed") else "") + ("/" if e.get("cut") else "") + ("o" if e.get("bare") else "")
        if mark:
            cv2.putText(out, mark, (x0 + 1, y1 - 2), cv2.FONT_HERSHEY_PLAIN, 0.7, c, 1)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--roles", default="")
    parser.add_argument("--count", type=int, default=1, help="how many of the newest, if none is named")
    parser.add_argument("--width", type=int, default=1500, help="of a picture on the sheet, in pixels")
    args = parser.parse_args()
    names = args.names or [p.stem for p in sorted(args.folder.glob("*.png"), key=lambda p: p.stat().st_mtime)[-args.count :]]
    rows = []
    for name in names:
        picture, truth = cv2.imread(str(args.folder / f"{name}.png")), json.loads((args.folder / f"{name}.json").read_text())
        rows.append(drawn(picture, truth, [r for r in args.roles.split(",") if r], min(2, args.width / picture.shape[1])))
        print(name, truth["kit"], truth.get("layout"), truth["scale"], len(truth["elements"]))
    wide = max(r.shape[1] for r in rows)
    cv2.imwrite(str(args.out), np.concatenate([np.pad(r, ((0, 8), (0, wide - r.shape[1]), (0, 0))) for r in rows]))


if __name__ == "__main__":
    main()
