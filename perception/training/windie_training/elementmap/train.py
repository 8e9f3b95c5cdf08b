"""Trains the element map, from where the last run in FOLDER stopped; see windie_training.loop.

    python -m windie_training.elementmap.train FOLDER --screens FOLDER... --held FOLDER

Screens are what windie_training.elements.make writes. The judge on held ones chooses the best network.
"""

import pathlib
import random
import time

import torch
import torch.nn.functional as F

from .. import loop
from ..textmap.crops import altered
from . import CLASSES, CORES, REST, STATES, crops, judge, net
from .targets import PARTS

JUDGED = 60  # held screens
USES = 3  # how often a crop is trained on


def losses(y: torch.Tensor, t: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Of the cores, the classes, the sides and the states."""
    marks, *layers = y.split([CORES, *[REST] * CORES], 1)
    truth = t.split(PARTS, 1)
    cores = kinds = sides = states = y.new_zeros(())
    for own, true, mark in zip(layers, truth, marks.unbind(1)):
        core, weight, kind = true[:, :3].unbind(1)
        far, state = true[:, 3:7], true[:, 7:]
        seen, classes, on = own.split([4, CLASSES, len(STATES)], 1)
        bce = F.binary_cross_entropy_with_logits(mark, core, reduction="none") * weight
        cores = cores + (bce * (1 + core)).sum() / weight.sum().clamp(min=1)
        p = torch.sigmoid(mark)
        cores = cores + 0.4 * (1 - 2 * (p * core * weight).sum() / ((p + core) * weight).sum().clamp(min=1))
        at = (core * weight > 0).nonzero(as_tuple=True)  # the other maps are only for cells of cores
        inside = (core * weight)[at]
        every = inside.sum().clamp(min=1)
        pick = lambda m: m.permute(0, 2, 3, 1)[at]
        kinds = kinds + (F.cross_entropy(pick(classes), kind[at].clamp(min=0).long(), reduction="none") * inside * (kind[at] >= 0)).sum() / every
        far, state = pick(far), pick(state)
        sides = sides + (F.smooth_l1_loss(pick(seen), far, reduction="none", beta=0.1) * inside[:, None] * (far >= 0)).sum() / every
        bce = F.binary_cross_entropy_with_logits(pick(on), state.clamp(min=0), reduction="none")
        states = states + (bce * (1 + 2 * state.clamp(min=0)) * inside[:, None] * (state >= 0)).sum() / every
    return 2 * cores, 0.2 * kinds, 0.2 * sides, 0.08 * states


def main() -> None:
    p = loop.parser(__doc__)
    p.add_argument("--screens", type=pathlib.Path, nargs="+", required=True)
    p.add_argument("--held", type=pathlib.Path, required=True)
    a = p.parse_args()
    torch.set_num_threads(1)
    held = sorted(a.held.glob("*.json"))[:JUDGED]
    columns = ("figure", "found", "false", "kind", "clicked", "acted", "on", "off")
    task = loop.Task(net.new, losses, ("core", "kind", "side", "state"), lambda n: judge.judged(n, held)[0], columns)
    loop.train(a, task, loop.Pool(a.pool, crops.serve, (a.screens,), random.Random(time.time_ns()), altered, USES))


if __name__ == "__main__":
    main()
