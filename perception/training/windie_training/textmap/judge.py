"""Compares the boxes that a network finds with words of truth.

    python -m windie_training.textmap.judge CHECKPOINT SETS...

CHECKPOINT is a network of training, or a file that `export` wrote. A set is `held.pickle` of a run (drawn scenes
of families, icon sets and pictures that the training does not see), `drawn:CACHE` (the same, drawn anew), or a folder of PNG pictures with JSON truth beside them:
`words` with text, x, y, w, h in units of 1/`dpr` pixel, and `ignore` with x, y, w, h.

- located: share of words whose ink lies in one box by 60 % of its width and height, where the box is
  at most 2.4 times as high as the row.
- merged: boxes that hold words of rows above each other, or of two rows of one height that are surely two.
- pieces: boxes for each row.
- false: boxes for each page that meet no word and no ignored place.
- agreement: of the core maps with truth, as twice the shared cells by the sum of both; drawn scenes only.
"""

import argparse
import json
import math
import pathlib
import pickle
import random
from dataclasses import dataclass

import cv2
import numpy as np
import torch

from . import CORE, TEXT, UNKNOWN, export, net, targets
from .boxes import find, maps, of_levels
from .rows import Cut, Word, chains

PART, TALL = 0.6, 2.4
SEED, SCENES = 20, 68  # of the drawn scenes: four of each kind


@dataclass
class Page:
    picture: np.ndarray
    words: list[Word]
    ink: np.ndarray  # of each word: x0, y0, x1, y1
    ignored: np.ndarray  # x0, y0, x1, y1
    cuts: list = ()
    name: str = ""


def ink(picture: np.ndarray, x0, y0, x1, y1) -> tuple | None:
    """The rows and columns of a box that differ from its ground."""
    x0, y0, x1, y1 = max(0, math.floor(x0)), max(0, math.floor(y0)), math.ceil(x1), math.ceil(y1)
    p = picture[y0:y1, x0:x1].astype(np.float32)
    if p.size == 0:
        return None
    d = np.abs(p - np.median(p.reshape(-1, 3), 0)).max(2)
    d = d > max(18, 0.35 * d.max())
    rows, columns = np.flatnonzero(d.any(1)), np.flatnonzero(d.any(0))
    if not len(rows):
        return None
    return x0 + columns[0], y0 + rows[0], x0 + columns[-1] + 1, y0 + rows[-1] + 1


def page(file: pathlib.Path) -> Page:
    """A screen with truth. Its words' boxes are those of lines, about 1.65 times as high as a capital."""
    picture = cv2.cvtColor(cv2.imread(str(file.with_suffix(".png"))), cv2.COLOR_BGR2RGB)
    truth = json.loads(file.read_text())
    k = truth.get("dpr", 1)
    ignored = np.array([(i["x"], i["y"], i["x"] + i["w"], i["y"] + i["h"]) if isinstance(i, dict) else (i[0], i[1], i[0] + i[2], i[1] + i[3]) for i in truth.get("ignore", [])], np.float32).reshape(-1, 4) * k
    words, places = [], []
    for w in truth["words"]:
        if w["w"] <= 0:
            continue
        x0, y0, x1, y1 = w["x"] * k, w["y"] * k, (w["x"] + w["w"]) * k, (w["y"] + w["h"]) * k
        mx, my = (x0 + x1) / 2, (y0 + y1) / 2
        known = any(c.isalnum() for c in w["text"]) and not w.get("field") and not any(a <= mx <= c and b <= my <= d for a, b, c, d in ignored)
        place = ink(picture, x0, y0, x1, y1) if known else None
        if place is None:
            ignored = np.concatenate([ignored, np.array([[x0, y0, x1, y1]], np.float32)])
            continue
        capital = w["size"] * k * 0.72 if w.get("size") else (y1 - y0) / 1.65
        words.append(Word(place[0], place[2], (y0 + y1) / 2 + capital / 2, capital, TEXT, 0, False))
        places.append(place)
    return Page(picture, words, np.array(places, np.float32).reshape(-1, 4), ignored, (), file.stem)


def compare(page: Page, found: np.ndarray) -> dict:
    rows, gaps = chains(page.words, page.cuts)
    row_of = {id(w): n for n, row in enumerate(rows) for w in row}
    known = np.array([w.kind != UNKNOWN and not w.signs for w in page.words], bool)
    ignored = np.concatenate([page.ignored, np.array(gaps, np.float32).reshape(-1, 4), page.ink[~known]])
    out = {"words": int(known.sum()), "located": 0, "rows": 0, "pieces": 0, "merged": 0, "false": 0, "missed": [], "wrong": []}

    def shared(b, of):
        wide = np.minimum(of[:, 2], b[2]) - np.maximum(of[:, 0], b[0])
        high = np.minimum(of[:, 3], b[3]) - np.maximum(of[:, 1], b[1])
        return wide, high

    for word, place, sure in zip(page.words, page.ink, known):
        if not sure:
            continue
        wide, high = shared(place, found)
        tall = found[:, 3] - found[:, 1] <= TALL * max(word.height, place[3] - place[1])
        if ((wide >= PART * (place[2] - place[0])) & (high >= PART * (place[3] - place[1])) & tall).any():
            out["located"] += 1
        else:
            out["missed"].append(tuple(float(v) for v in place))
    middle = (page.ink[:, :2] + page.ink[:, 2:]) / 2
    for b in found:
        inside = np.flatnonzero(known & (middle[:, 0] >= b[0]) & (middle[:, 0] <= b[2]) & (middle[:, 1] >= b[1]) & (middle[:, 1] <= b[3]))
        first = {}
        for n in inside:
            first.setdefault(row_of[id(page.words[n])], page.words[n])
        names = list(first)
        bad = False
        for i, p in enumerate(names):
            for q in names[i + 1 :]:
                u, v = first[p], first[q]
                if abs((u.baseline - u.capital / 2) - (v.baseline - v.capital / 2)) > 0.6 * min(u.height, v.height):
                    bad = True
                    continue
                left, right = sorted((rows[p], rows[q]), key=lambda row: row[0].x0)
                x0, x1 = left[-1].x1, right[0].x0
                between = any(x0 - 2 <= g[0] and g[2] <= x1 + 2 and g[1] < u.baseline < g[3] + u.height for g in gaps)
                next_to = not any(k not in (p, q) and rows[k][0].x0 > x0 - 1 and rows[k][-1].x1 < x1 + 1 for k in names)
                bad |= next_to and not between
        out["merged"] += bad
        wide, high = shared(b, page.ink)
        meets = ((wide > 0) & (high > 0)).any()
        wide, high = shared(b, ignored)
        if not meets and not ((wide > 0) & (high > 0)).any():
            out["false"] += 1
            out["wrong"].append(tuple(float(v) for v in b))
    for row in rows:
        places = page.ink[[n for n, w in enumerate(page.words) if any(w is v for v in row)]]
        if all(w.signs or w.kind == UNKNOWN for w in row):
            continue
        out["rows"] += 1
        x0, y0, x1, y1 = *places[:, :2].min(0), *places[:, 2:].max(0)
        wide, high = shared((x0, y0, x1, y1), found)
        out["pieces"] += int(((wide > 0.5 * np.minimum(x1 - x0, found[:, 2] - found[:, 0])) & (high > 0.5 * (y1 - y0))).sum())
    return out


def total(results: list[dict]) -> dict:
    sums = {k: sum(r[k] for r in results) for k in ("words", "located", "rows", "pieces", "merged", "false")}
    return {
        "pages": len(results), "words": sums["words"], "located": sums["located"] / max(1, sums["words"]), "merged": sums["merged"],
        "rows": sums["rows"], "pieces": sums["pieces"] / max(1, sums["rows"]), "false": sums["false"] / max(1, len(results)),
    }


def figure(f: dict) -> float:
    """One number for a network: what it locates, less what it merges, breaks and invents."""
    return 0.8 * f["located"] + 0.2 * f["agreement"] - f["merged"] / max(1, f["rows"]) - 0.2 * abs(f["pieces"] - 1) - 0.01 * f["false"]


def held_scenes(file: pathlib.Path | None, cache: pathlib.Path) -> list[tuple]:
    """Drawn scenes of held families, icon sets and pictures: (kind, scene), kept in a file."""
    if file is not None and file.exists():
        return pickle.loads(file.read_bytes())
    from . import kinds
    from .scene import Material, Scene

    r = random.Random(SEED)
    scene = Scene(r, Material(cache, True, r))
    out = [(k.__name__, kinds.scene(scene, 512, 512, k)) for k in kinds.KINDS for _ in range(SCENES // len(kinds.KINDS))]
    if file is not None:
        part = file.with_suffix(".part")
        part.write_bytes(pickle.dumps(out))
        part.replace(file)
    return out


def of_scene(drawn) -> Page:
    h, w = drawn.picture.shape[:2]
    words = [x for x in drawn.words if x.x1 > 0 and x.x0 < w and x.baseline > 0 and x.baseline - x.capital < h]
    inside = [x.x0 >= 0 and x.x1 <= w and x.baseline - x.capital >= -1 and x.baseline <= h + 1 for x in words]
    for x, whole in zip(words, inside):
        if not whole:
            x.kind = UNKNOWN
    places = np.array([(x.x0, x.baseline - x.capital, x.x1, x.baseline) for x in words], np.float32).reshape(-1, 4)
    ignored = drawn.boxes[drawn.boxes[:, 4] == UNKNOWN][:, :4]
    return Page(drawn.picture, words, places, ignored, [Cut(*c) for c in drawn.cuts])


def agreement(scene, by_level: list[np.ndarray]) -> tuple[float, float]:
    """Twice the shared cells of the core, and the cells of both, over all levels."""
    both = every = 0.0
    for n, m in enumerate(by_level):
        h, w = m.shape[1:]
        boxes = scene.boxes.copy()
        boxes[:, :4] /= 1 << n
        planes = targets.maps(boxes, scene.cuts / (1 << n), 2 * max(h, w))[:, :h, :w]
        core, true = (m[CORE] > 0) & (planes[5] > 0), (planes[0] > 0) & (planes[5] > 0)
        both += 2 * float((core & true).sum())
        every += float(core.sum() + true.sum())
    return both, every


def drawn(net, scenes: list[tuple], by_kind: dict | None = None) -> dict:
    """The figures of drawn scenes; by_kind receives the results of each layout."""
    results, both, every = [], 0.0, 0.0
    for kind, scene in scenes:
        page = of_scene(scene)
        by_level = maps(net, page.picture)
        results.append(compare(page, of_levels(by_level)))
        a, b = agreement(scene, by_level)
        both, every = both + a, every + b
        if by_kind is not None:
            by_kind.setdefault(kind, []).append(results[-1])
    return {**total(results), "agreement": both / max(1.0, every)}


def shown(name: str, f: dict) -> str:
    line = f"{name}: {f['pages']} pages, {f['words']} words, located {f['located']:.4f}, merged {f['merged']}, pieces {f['pieces']:.3f}, false {f['false']:.2f}"
    return line + (f", agreement {f['agreement']:.4f}, figure {figure(f):.4f}" if "agreement" in f else "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoint", type=pathlib.Path, help="a .pt file, or a file that export wrote")
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--misses", action="store_true", help="print each page with the words that it misses and its false boxes")
    a = parser.parse_args()
    torch.set_num_threads(1)
    exported = a.checkpoint.read_bytes()[: len(export.MAGIC)] == export.MAGIC
    network = export.load(a.checkpoint) if exported else net.load(a.checkpoint)
    for name in a.sets:
        if name.startswith("drawn:") or name.endswith(".pickle"):
            scenes = held_scenes(None, pathlib.Path(name[6:])) if name.startswith("drawn:") else pickle.loads(pathlib.Path(name).read_bytes())
            by_kind: dict = {}
            print(shown("drawn", drawn(network, scenes, by_kind)))
            for kind, results in by_kind.items():
                print("  ", shown(kind, total(results)))
            continue
        results = []
        for file in sorted(pathlib.Path(name).glob("*.json")):
            truth = json.loads(file.read_text())
            if not isinstance(truth, dict) or "words" not in truth or not file.with_suffix(".png").exists():
                continue
            p = page(file)
            results.append(compare(p, find(network, p.picture)))
            if a.misses:
                print("  ", shown(file.stem, total(results[-1:])), "missed:", [tuple(round(v) for v in m) for m in results[-1]["missed"][:8]], "false:", [tuple(round(v) for v in m[:4]) for m in results[-1]["wrong"][:12]])
        print(shown(pathlib.Path(name).name, total(results)), flush=True)
