"""Compares the elements that a network finds with truth.

    python -m windie_training.elementmap.judge CHECKPOINT FOLDER...

- found: share of true elements with an element of their layer that shares at least half of both (IoU .5).
- false: share of the elements found that share less than .3 with every true one of their layer, dimmed and bare ones included.
- kind: share of the found ones whose class is right.
- clicked: share of what can be acted on that has an element whose middle lies in it and that is at most four times as large.
- on, off: balanced accuracy of these states over found ones.
"""

import argparse
import pathlib

import numpy as np
import torch

from ..textmap import net
from . import LAYERS
from .boxes import find, shared
from .pages import page

LEAST = 4.0  # pixels of the shorter side of an element that counts


def compare(true: np.ndarray, found: np.ndarray, out: dict) -> None:
    """Adds the counts of one screen."""
    counts = true[(true[:, 7] == 0) & (true[:, 6] == 0)]
    counts = counts[np.minimum(counts[:, 2] - counts[:, 0], counts[:, 3] - counts[:, 1]) >= LEAST]
    for t in counts:
        name = LAYERS[int(t[4])][int(t[5])]
        same = found[found[:, 5] == t[4]]
        both = shared(same, t) if len(same) else np.zeros(0)
        k = int(both.argmax()) if len(both) else -1
        hit = k >= 0 and both[k] >= 0.5
        role = out.setdefault(name, [0, 0, 0])
        role[0] += 1
        if t[8] == 1:
            out["acted"] = out.get("acted", 0) + 1
            mx, my = (found[:, 0] + found[:, 2]) / 2, (found[:, 1] + found[:, 3]) / 2
            small = (found[:, 2] - found[:, 0]) * (found[:, 3] - found[:, 1]) <= 4 * (t[2] - t[0]) * (t[3] - t[1])
            out["clicked"] = out.get("clicked", 0) + bool(((mx > t[0]) & (mx < t[2]) & (my > t[1]) & (my < t[3]) & small).any())
        if not hit:
            continue
        role[1] += 1
        role[2] += same[k, 6] == t[5]
        for n, state in enumerate(("is acted", "is on", "is off")):
            tally = out.setdefault(state, np.zeros((2, 2)))
            if t[8 + n] >= 0:
                tally[int(t[8 + n]), int(same[k, 8 + n] > 0.5)] += 1
    for f in found:
        same = true[true[:, 4] == f[5]]
        out["boxes"] = out.get("boxes", 0) + 1
        out["false"] = out.get("false", 0) + (not len(same) or shared(same, f).max() < 0.3)


def figures(counts: dict) -> dict:
    roles = [v for k, v in counts.items() if isinstance(v, list)]
    every, hit, right = (sum(r[n] for r in roles) for n in range(3))
    balanced = lambda t: float(np.mean([t[i, i] / max(1, t[i].sum()) for i in range(2)]))
    out = {"found": hit / max(1, every), "false": counts.get("false", 0) / max(1, counts.get("boxes", 0)), "kind": right / max(1, hit), "clicked": counts.get("clicked", 0) / max(1, counts.get("acted", 0))}
    out |= {state: balanced(counts.get("is " + state, np.zeros((2, 2)))) for state in ("acted", "on", "off")}
    out["figure"] = out["found"] - out["false"] + 0.5 * out["kind"] + 0.25 * (out["on"] + out["acted"])
    return out


def judged(network, files: list[pathlib.Path]) -> tuple[dict, dict]:
    """The figures of screens, and what they are made of."""
    counts: dict = {}
    for file in files:
        picture, true = page(file)
        compare(true, find(network, picture), counts)
    return figures(counts), counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    a = parser.parse_args()
    torch.set_num_threads(1)
    network = net.load(a.checkpoint)
    for folder in a.folders:
        out, counts = judged(network, sorted(folder.glob("*.json")))
        print(folder.name, " ".join(f"{k} {v:.3f}" for k, v in out.items()))
        for name, v in counts.items():
            if isinstance(v, list):
                print(f"  {name:9} {v[0]:6} found {v[1] / max(1, v[0]):.3f} kind {v[2] / max(1, v[1]):.3f}")
