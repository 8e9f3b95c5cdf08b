"""Trains a network of maps on crops that a second process makes, from where the last run in a folder stopped.

The folder keeps `last.pt` (all that a run needs to continue), `best.pt` (the best network by the judge, in 16
bits) and `curve.csv`. Each process has one thread.
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
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch.multiprocessing as mp

from .textmap.pyramid import UNIT, halved

AVERAGE = 0.998  # of the weights over steps; the average is judged and kept
FIRST = 160  # crops before the first step


def parser(doc: str) -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=doc.split("\n")[0])
    p.add_argument("folder", type=pathlib.Path)
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
    return p


def rate(a: argparse.Namespace, steps: int, began: int) -> float:
    out = a.rate * min(1.0, (steps - began + 1) / a.warm) * (1 + steps / a.half) ** -0.5
    if a.anneal:
        out *= min(1.0, max(0.0, (a.anneal[1] - steps) / (a.anneal[1] - a.anneal[0])))
    return out


class Pool:
    """The last crops that the other process made: serve(*arguments, seed, queue) puts pictures and planes on the queue.

    Each crop is trained on at least `uses` times on average, so that the other process leaves the machine to this one.
    """

    def __init__(self, size: int, serve: Callable, arguments: tuple, r: random.Random, altered: Callable, uses: float = 1):
        self.size, self.r, self.altered, self.crops, self.taken, self.uses, self.given = size, r, altered, [], 0, uses, 0
        context = mp.get_context("spawn")
        self.queue = context.Queue(48)
        self.process = context.Process(target=serve, args=(*arguments, r.getrandbits(31), self.queue), daemon=True)
        self.process.start()
        threading.Thread(target=self._receive, daemon=True).start()
        while len(self.crops) < FIRST:
            self._check()
            time.sleep(0.5)

    def _receive(self) -> None:
        """Takes crops as they come: a queue whose crops nobody waits for hands over one at a time."""
        while True:
            while self.taken > self.size + self.given / self.uses:
                time.sleep(0.05)
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
        self.given += n
        chosen = [self.r.choice(self.crops) for _ in range(n)]
        x = np.stack([halved(self.altered(p, self.r)) for p, _ in chosen])
        t = np.stack([planes for _, planes in chosen])
        x = torch.from_numpy(x).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last).float().mul(UNIT)
        return x, torch.from_numpy(t).float()


def save(path: pathlib.Path, what: dict) -> None:
    """Writes a file that appears whole."""
    part = path.with_suffix(".part")
    torch.save(what, part)
    os.replace(part, path)


def kept(net, steps: int, figures: dict) -> dict:
    """A checkpoint in 16 bits."""
    state = {k: v.half() if v.is_floating_point() else v for k, v in net.state_dict().items()}
    return {"config": net.config, "state": state, "steps": steps, "figures": figures}


@dataclass
class Task:
    """What a network learns."""

    net: Callable  # makes a network
    losses: Callable  # (maps, truth) to a tuple of losses
    parts: tuple[str, ...]  # their names
    judge: Callable  # network to figures, a dict
    columns: tuple[str, ...]  # the figures of the curve; the first decides which network is best


def train(a: argparse.Namespace, task: Task, pool: Pool) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the process that draws ends, too
    a.folder.mkdir(parents=True, exist_ok=True)
    net, average = task.net().to(memory_format=torch.channels_last), task.net().to(memory_format=torch.channels_last).eval()
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
    start, start_cpu, saved, checked = time.time(), time.process_time(), time.time(), time.time()
    sums, since, mean = np.zeros(len(task.parts)), 0, np.zeros(len(task.parts))
    columns = ("steps", "crops", "loss", *task.parts, "rate", "seconds", "cpu_seconds", *task.columns)
    while True:
        now = rate(a, steps, began)
        for group in optimiser.param_groups:
            group["lr"] = now
        x, t = pool.batch(a.batch)
        net.train()
        parts = task.losses(net(x), t)
        optimiser.zero_grad()
        sum(parts).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2)
        optimiser.step()
        steps += 1
        keep = min(AVERAGE, (steps + 1) / (steps + 20))
        with torch.no_grad():
            new = net.state_dict()
            for k, v in average.state_dict().items():
                v.mul_(keep).add_(new[k], alpha=1 - keep) if v.is_floating_point() else v.copy_(new[k])
        sums += [p.item() for p in parts]
        since += 1
        seconds, cpu = before + time.time() - start, before_cpu + time.process_time() - start_cpu
        if since == 100:
            mean, sums, since = sums / since, np.zeros(len(task.parts)), 0
            print(f"{seconds:7.0f} s step {steps} crops {drawn + pool.taken} loss {mean.sum():.4f} = " + " ".join(f"{v:.4f}" for v in mean) + f" rate {now:.1e} cpu {cpu:.0f} s", flush=True)
        ends = time.time() - start > 60 * a.minutes or a.anneal is not None and steps >= a.anneal[1]
        if ends or time.time() - checked > a.check or steps == 500:
            figures = task.judge(average)
            row = (steps, drawn + pool.taken, *(round(float(v), 4) for v in (mean.sum(), *mean)), f"{now:.2e}", round(seconds), round(cpu), *(round(float(figures[k]), 4) for k in task.columns))
            fresh = not (a.folder / "curve.csv").exists()
            with (a.folder / "curve.csv").open("a", newline="") as f:
                csv.writer(f).writerows([columns] * fresh + [row])
            print("judged", dict(zip(columns, row)), flush=True)
            if figures[task.columns[0]] > best:
                best = figures[task.columns[0]]
                save(a.folder / "best.pt", kept(average, steps, figures))
            checked = time.time()
        if ends or time.time() - saved > a.save:
            save(last, {"config": net.config, "net": net.state_dict(), "average": average.state_dict(), "optimiser": optimiser.state_dict(), "steps": steps, "crops": drawn + pool.taken, "seconds": seconds, "cpu_seconds": cpu, "best": best})
            saved = time.time()
        if ends:
            return
