"""Trains the text map, from where the last run in FOLDER stopped.

    python -m windie_training.textmap.train FOLDER [--start CHECKPOINT] [--minutes N] [--anneal A B]

FOLDER keeps `last.pt` (all that a run needs to continue), `best.pt` (the best network by the judge on drawn
scenes, in 16 bits) and `curve.csv`. A second process draws. Each has one thread.
"""

import argparse
import csv
import math
import os
import pathlib
import random
import signal
import sys
import threading
import time

import numpy as np
import torch
import torch.multiprocessing as mp
import torch.nn.functional as F

from . import CORE, KIND, KINDS, SEPARATION, TOP, crops, judge
from .net import Net
from .pyramid import UNIT, halved

AVERAGE = 0.998  # of the weights over steps; the average is judged and kept
FIRST = 160  # crops before the first step
COLUMNS = ("steps", "crops", "loss", "core", "separation", "kind", "distance", "rate", "seconds", "cpu_seconds", "figure", "agreement", "located", "merged", "pieces", "false")


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--cache", type=pathlib.Path, help="what windie_training.textmap.fetch brought (default FOLDER/cache)")
    p.add_argument("--start", type=pathlib.Path, help="a checkpoint that a new run starts from")
    p.add_argument("--minutes", type=float, default=math.inf, help="stop after this time (default: never)")
    p.add_argument("--anneal", type=int, nargs=2, metavar=("A", "B"), help="steps between which the rate falls to zero; the run then ends")
    p.add_argument("--rate", type=float, default=3e-3, help="the highest learning rate")
    p.add_argument("--half", type=float, default=30e3, help="steps after which the rate has fallen by a factor of 1.4")
    p.add_argument("--warm", type=int, default=300, help="steps until the rate is at its highest")
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--pool", type=int, default=2500, help="crops in memory; a step draws from them")
    p.add_argument("--save", type=float, default=180, help="seconds between two checkpoints")
    p.add_argument("--check", type=float, default=900, help="seconds between two judgements")
    return p.parse_args()


def rate(a: argparse.Namespace, steps: int, began: int) -> float:
    out = a.rate * min(1.0, (steps - began + 1) / a.warm) * (1 + steps / a.half) ** -0.5
    if a.anneal:
        out *= min(1.0, max(0.0, (a.anneal[1] - steps) / (a.anneal[1] - a.anneal[0])))
    return out


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


class Pool:
    """The last crops that the drawing process made."""

    def __init__(self, size: int, cache: pathlib.Path, r: random.Random):
        self.size, self.r, self.crops, self.taken = size, r, [], 0
        context = mp.get_context("spawn")
        self.queue = context.Queue(48)
        self.process = context.Process(target=crops.serve, args=(cache, r.getrandbits(31), self.queue), daemon=True)
        self.process.start()
        threading.Thread(target=self._receive, daemon=True).start()
        while len(self.crops) < FIRST:
            self._check()
            time.sleep(0.5)

    def _receive(self) -> None:
        """Takes crops as they come: a queue whose crops nobody waits for hands over one at a time."""
        while True:
            crop = self.queue.get()
            if len(self.crops) < self.size:
                self.crops.append(crop)
            else:
                self.crops[self.taken % self.size] = crop
            self.taken += 1

    def _check(self) -> None:
        if not self.process.is_alive():
            raise SystemExit("the process that draws has ended")

    def batch(self, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        self._check()
        chosen = [self.r.choice(self.crops) for _ in range(n)]
        x = np.stack([halved(crops.altered(p, self.r)) for p, _ in chosen])
        t = np.stack([planes for _, planes in chosen])
        x = torch.from_numpy(x).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last).float().mul(UNIT)
        return x, torch.from_numpy(t).float()


def save(path: pathlib.Path, what: dict) -> None:
    """Writes a file that appears whole."""
    part = path.with_suffix(".part")
    torch.save(what, part)
    os.replace(part, path)


def kept(net: Net, steps: int, figures: dict) -> dict:
    """A checkpoint in 16 bits."""
    state = {k: v.half() if v.is_floating_point() else v for k, v in net.state_dict().items()}
    return {"config": net.config, "state": state, "steps": steps, "figures": figures}


def main() -> None:
    a = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the process that draws ends, too
    torch.set_num_threads(1)
    a.folder.mkdir(parents=True, exist_ok=True)
    cache = a.cache or a.folder / "cache"
    r = random.Random(time.time_ns())
    net, average = Net().to(memory_format=torch.channels_last), Net().to(memory_format=torch.channels_last).eval()
    optimiser = torch.optim.AdamW(net.parameters(), a.rate, weight_decay=1e-4)
    steps, drawn, before, before_cpu, best, began = 0, 0, 0.0, 0.0, -math.inf, 0
    last = a.folder / "last.pt"
    if last.exists():
        was = torch.load(last, weights_only=False)
        net.load_state_dict(was["net"])
        average.load_state_dict(was["average"])
        optimiser.load_state_dict(was["optimiser"])
        steps, drawn, before, before_cpu, best = was["steps"], was.get("crops", 0), was["seconds"], was["cpu_seconds"], was["best"]
        began = steps - round(0.8 * a.warm)  # the optimiser knows its step sizes
    elif a.start:
        was = torch.load(a.start, weights_only=False)
        net.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in was["state"].items()})
    if not last.exists():
        average.load_state_dict(net.state_dict())
    held = judge.held_scenes(a.folder / "held.pickle", cache)
    pool = Pool(a.pool, cache, r)
    start, start_cpu, saved, checked = time.time(), time.process_time(), time.time(), time.time()
    sums, since = np.zeros(4), 0
    mean = np.zeros(4)
    while True:
        now = rate(a, steps, began)
        for group in optimiser.param_groups:
            group["lr"] = now
        x, t = pool.batch(a.batch)
        net.train()
        parts = losses(net(x), t)
        optimiser.zero_grad()
        sum(parts).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2)
        optimiser.step()
        steps += 1
        keep = min(AVERAGE, (steps + 1) / (steps + 20))
        with torch.no_grad():
            for k, v in average.state_dict().items():
                new = net.state_dict()[k]
                v.mul_(keep).add_(new, alpha=1 - keep) if v.is_floating_point() else v.copy_(new)
        sums += [p.item() for p in parts]
        since += 1
        seconds, cpu = before + time.time() - start, before_cpu + time.process_time() - start_cpu
        if since == 100:
            mean, sums, since = sums / since, np.zeros(4), 0
            print(f"{seconds:7.0f} s step {steps} crops {drawn + pool.taken} loss {mean.sum():.4f} = " + " ".join(f"{v:.4f}" for v in mean) + f" rate {now:.1e} cpu {cpu:.0f} s", flush=True)
        ends = time.time() - start > 60 * a.minutes or a.anneal is not None and steps >= a.anneal[1]
        if ends or time.time() - checked > a.check or steps == 500:
            figures = judge.drawn(average, held)
            figure = judge.figure(figures)
            row = (steps, drawn + pool.taken, *(round(float(v), 4) for v in (mean.sum(), *mean)), f"{now:.2e}", round(seconds), round(cpu), round(figure, 4), *(round(float(figures[k]), 4) for k in COLUMNS[-5:]))
            fresh = not (a.folder / "curve.csv").exists()
            with (a.folder / "curve.csv").open("a", newline="") as f:
                csv.writer(f).writerows([COLUMNS] * fresh + [row])
            print("judged", dict(zip(COLUMNS, row)), flush=True)
            if figure > best:
                best = figure
                save(a.folder / "best.pt", kept(average, steps, figures))
            checked = time.time()
        if ends or time.time() - saved > a.save:
            save(last, {"config": net.config, "net": net.state_dict(), "average": average.state_dict(), "optimiser": optimiser.state_dict(), "steps": steps, "crops": drawn + pool.taken, "seconds": seconds, "cpu_seconds": cpu, "best": best})
            saved = time.time()
        if ends:
            return


if __name__ == "__main__":
    main()
