"""Trains the text map, from where the last run in FOLDER stopped; see windie_training.loop.

    python -m windie_training.textmap.train FOLDER [--start CHECKPOINT] [--minutes N] [--anneal A B]

The judge on drawn scenes chooses the best network.
"""

import pathlib
import random
import time

import torch
import torch.nn.functional as F

from .. import loop
from . import CORE, KIND, KINDS, SEPARATION, TOP, crops, judge
from .net import Net


def losses(y: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Of the core, the separation, the kind and the distances."""
    core, apart, kind, top, bottom, weight, weight_apart, weight_kind = t.unbind(1)
    bce = F.binary_cross_entropy_with_logits(y[:, CORE], core, reduction="none") * weight
    bce = (bce * (1 + core)).sum() / weight.sum().clamp(min=1)
    p = torch.sigmoid(y[:, CORE])
    dice = 1 - 2 * (p * core * weight).sum() / ((p + core) * weight).sum().clamp(min=1)
    parted = F.binary_cross_entropy_with_logits(y[:, SEPARATION], apart, reduction="none") * weight_apart
    parted = (parted * (1 + apart)).sum() / weight_apart.sum().clamp(min=1)
    kinds = F.cross_entropy(y[:, KIND : KIND + KINDS], kind.long(), reduction="none") * weight_kind
    kinds = kinds.sum() / weight_kind.sum().clamp(min=1)
    far = F.smooth_l1_loss(y[:, TOP : TOP + 2], torch.stack([top, bottom], 1), reduction="none", beta=0.2).sum(1) * core
    return bce + 0.5 * dice, 0.7 * parted, 0.3 * kinds, 0.5 * far.sum() / core.sum().clamp(min=1)


def main() -> None:
    p = loop.parser(__doc__)
    p.add_argument("--cache", type=pathlib.Path, help="what windie_training.textmap.fetch brought (default FOLDER/cache)")
    a = p.parse_args()
    torch.set_num_threads(1)
    cache, r = a.cache or a.folder / "cache", random.Random(time.time_ns())
    held = judge.held_scenes(a.folder / "held.pickle", cache)

    def figures(net) -> dict:
        out = judge.drawn(net, held)
        return {"figure": judge.figure(out), **out}

    columns = ("figure", "agreement", "located", "merged", "pieces", "false")
    task = loop.Task(Net, losses, ("core", "separation", "kind", "distance"), figures, columns)
    loop.train(a, task, loop.Pool(a.pool, crops.serve, (cache,), r, crops.altered))


if __name__ == "__main__":
    main()
