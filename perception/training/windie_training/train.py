"""Trains the network on the shards of a folder, from where the last run stopped.

    python -m windie_training.train FOLDER --shards FOLDER --valid FILE...

FOLDER keeps `last.pt` (all that a run needs to go on), `best.pt` (the best network by the validation
files) and `curve.csv`. Each process has one thread; the processes agree on every step.
"""

import argparse
import csv
import os
import pathlib
import random
import shutil
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F

from . import charset, measure, shards
from .lines import Sample
from .model import STRIDE, Net, steps

AVERAGE = 0.998  # of the weights over steps; what is validated and kept is the average
COLUMNS = ("seen", "loss", "rate", "seconds", "cpu_seconds", "set", "lines", "words", "cer")


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--shards", type=pathlib.Path, required=True)
    p.add_argument("--valid", type=pathlib.Path, nargs="+", required=True)
    p.add_argument("--processes", type=int, default=2)
    p.add_argument("--batch", type=int, default=32, help="lines of a step, for each process")
    p.add_argument("--rate", type=float, default=2.5e-3, help="the highest learning rate")
    p.add_argument("--half", type=float, default=1e6, help="lines after which the rate has fallen by a factor of 1.4")
    p.add_argument("--middles", type=float, nargs=2, default=(40e3, 160e3), help="lines until which the loss is of letters' middles alone, and from which it is CTC alone")
    p.add_argument("--anneal", type=float, nargs=2, help="lines between which the rate falls to zero; the run then ends")
    p.add_argument("--uses", type=int, default=2, help="how often a shard is read")
    p.add_argument("--check", type=int, default=20_000, help="lines between two validations")
    p.add_argument("--save", type=float, default=240, help="seconds between two checkpoints")
    p.add_argument("--channels", type=int, default=160)
    p.add_argument("--start", type=pathlib.Path, help="a best.pt that a new run starts from; its curve.csv is beside it")
    return p.parse_args()


def rate(a: argparse.Namespace, seen: int, began: int = 0) -> float:
    r = a.rate * min(1.0, (seen - began + 64) / 6000) * (1 + seen / a.half) ** -0.5
    if a.anneal:
        r *= min(1.0, max(0.0, (a.anneal[1] - seen) / (a.anneal[1] - a.anneal[0])))
    return r


def augmented(samples: list[Sample], r: random.Random) -> torch.Tensor:
    """The strips with other contrast, a row up or down, and a little noise."""
    x = measure.batch(samples)
    for i in range(len(samples)):
        k = r.random()
        if k < 0.3:
            x[i] = x[i] ** r.uniform(0.65, 1.5)
        if r.random() < 0.15:
            x[i] = torch.roll(x[i], r.choice([-1, 1]), 1)
        if r.random() < 0.05:
            x[i] *= r.uniform(0.7, 1)
    return x + torch.randn_like(x) * 0.01


def middles_loss(scores: torch.Tensor, samples: list[Sample]) -> torch.Tensor:
    """Cross entropy with, for each step, the letter whose middle it holds, else the blank."""
    count = scores.shape[1]
    want = np.zeros((len(samples), count), np.int64)
    weight = np.ones((len(samples), count), np.float32)
    for i, s in enumerate(samples):
        weight[i, steps(s.ink.shape[1]) :] = 0.3
        for char, middle in zip(s.text, s.middles):
            at = middle / STRIDE - 0.5
            j = round(float(at))
            if not 0 <= j < count:
                continue
            want[i, j] = charset.INDEX[char]
            beside = j + (1 if at > j else -1)  # the next nearest step may say either
            if 0 <= beside < count and want[i, beside] == charset.BLANK:
                weight[i, beside] = 0.15
    weight = torch.from_numpy(weight).reshape(-1)
    loss = F.cross_entropy(scores.reshape(-1, scores.shape[2]), torch.from_numpy(want).reshape(-1), reduction="none")
    return 5 * (loss * weight).sum() / weight.sum()


def ctc_loss(scores: torch.Tensor, samples: list[Sample]) -> torch.Tensor:
    """CTC for each letter; lines with more letters than steps are left out."""
    fits = [i for i, s in enumerate(samples) if steps(s.ink.shape[1]) >= len(s.text) + sum(a == b for a, b in zip(s.text, s.text[1:]))]
    lengths = torch.tensor([len(samples[i].text) for i in fits])
    want = torch.tensor([c for i in fits for c in charset.encode(samples[i].text)])
    widths = torch.tensor([steps(samples[i].ink.shape[1]) for i in fits])
    loss = F.ctc_loss(scores[fits].log_softmax(2).transpose(0, 1), want, widths, lengths, reduction="sum", zero_infinity=True)
    return loss / max(1, int(lengths.sum()))


def grown(state: dict, shapes: dict) -> dict:
    """The weights of a network with fewer classes, with those that it lacks as unlikely ones."""
    for name, unlikely in (("head.weight", 0.0), ("head.bias", -6.0)):
        fewer = state[name]
        state[name] = torch.full_like(shapes[name], unlikely)
        state[name][: len(fewer)] = fewer
    return state


class Trainer:
    """One process of a run."""

    def __init__(self, a: argparse.Namespace, rank: int):
        self.a, self.rank, self.seen, self.seconds, self.cpu = a, rank, 0, 0.0, 0.0
        torch.manual_seed(1)
        self.net = Net(channels=a.channels).to(memory_format=torch.channels_last)
        self.average = {k: v.clone().float() for k, v in self.net.state_dict().items()}
        self.optimiser = torch.optim.AdamW(self.net.parameters(), lr=a.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
        self.r = random.Random(f"rank {rank}")
        self.best, self.began = 1e9, 0  # began: lines seen before this run's optimiser was new
        self.start()
        self.resume()
        self.started, self.cpu_started = time.time(), time.process_time()
        self.valid = {f.stem: shards.load(f) for f in a.valid} if rank == 0 else {}

    def start(self) -> None:
        """Takes the weights and the curve of a network that another run left."""
        if self.a.start is None or not self.a.start.exists():
            return
        kept = torch.load(self.a.start, weights_only=False)
        state = {k: v.float() if v.is_floating_point() else v for k, v in kept["state"].items()}
        self.net.load_state_dict(grown(state, self.net.state_dict()))
        self.average = {k: v.clone().float() for k, v in self.net.state_dict().items()}
        self.seen = self.began = kept["seen"]
        self.r.seed(f"rank {self.rank} from {self.seen}")
        left = self.a.start.with_name("curve.csv")
        if not left.exists():
            return
        with left.open(newline="") as f:
            last = list(csv.DictReader(f))[-1]
        self.seconds, self.cpu = float(last["seconds"]), float(last["cpu_seconds"])
        if self.rank == 0 and not (self.a.folder / "curve.csv").exists():
            shutil.copy(left, self.a.folder / "curve.csv")

    def resume(self) -> None:
        path = self.a.folder / "last.pt"
        if not path.exists():
            return
        kept = torch.load(path, weights_only=False)
        self.net.load_state_dict(kept["state"])
        self.optimiser.load_state_dict(kept["optimiser"])
        self.average, self.seen, self.began = kept["average"], kept["seen"], kept.get("began", 0)
        if kept.get("judges") == self.judges():
            self.best = kept["best"]
        self.seconds, self.cpu = kept["seconds"], kept["cpu"]
        python, numbers = kept["random"]
        self.r.setstate(python)
        torch.set_rng_state(numbers)
        if self.rank:  # the state is that of the first process
            self.r.seed(f"rank {self.rank} at {self.seen}")
            torch.manual_seed(self.seen + self.rank)

    def judges(self) -> dict[str, int]:
        """The validation files and their sizes: networks are compared by the same ones only."""
        return {f.name: f.stat().st_size for f in self.a.valid}

    def save(self, name: str, kept: dict) -> None:
        """Writes a file that appears whole."""
        part = self.a.folder / (name + ".part")
        torch.save(kept, part)
        os.replace(part, self.a.folder / name)

    def checkpoint(self) -> None:
        self.save("last.pt", {
            "config": self.net.config, "state": self.net.state_dict(), "average": self.average, "optimiser": self.optimiser.state_dict(),
            "seen": self.seen, "began": self.began, "best": self.best, "judges": self.judges(), "seconds": self.spent()[0], "cpu": self.spent()[1], "random": (self.r.getstate(), torch.get_rng_state()),
        })

    def spent(self) -> tuple[float, float]:
        return self.seconds + time.time() - self.started, self.cpu + time.process_time() - self.cpu_started

    def step(self, samples: list[Sample]) -> float:
        self.net.train()
        for group in self.optimiser.param_groups:
            group["lr"] = rate(self.a, self.seen, self.began)
        scores = self.net(augmented(samples, self.r))
        alone, over = self.a.middles
        part = min(1.0, max(0.0, (over - self.seen) / (over - alone)))  # of the loss of the middles
        loss = scores.new_zeros(())
        if part > 0:
            loss = loss + part * middles_loss(scores, samples)
        if part < 1:
            loss = loss + (1 - part) * ctc_loss(scores, samples)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.agree()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 2.0)
        self.optimiser.step()
        self.seen += self.a.batch * self.a.processes
        return loss.item()

    def agree(self) -> None:
        """Averages the gradients over the processes."""
        if self.a.processes == 1:
            return
        gradients = [p.grad for p in self.net.parameters()]
        flat = torch._utils._flatten_dense_tensors(gradients)
        dist.all_reduce(flat)
        flat /= self.a.processes
        for g, agreed in zip(gradients, torch._utils._unflatten_dense_tensors(flat, gradients)):
            g.copy_(agreed)

    @torch.no_grad()
    def follow(self) -> None:
        """Moves the average towards the weights; fast at the beginning."""
        part = min(AVERAGE, 1 - 1 / (1 + self.seen / 640))
        for k, v in self.net.state_dict().items():
            self.average[k].mul_(part).add_(v.float(), alpha=1 - part)

    def validate(self, loss: float) -> None:
        net = Net(**self.net.config).to(memory_format=torch.channels_last)
        net.load_state_dict({k: v.to(self.net.state_dict()[k].dtype) for k, v in self.average.items()})
        wrong = []
        path = self.a.folder / "curve.csv"
        new = not path.exists()
        with path.open("a", newline="") as f:
            out = csv.writer(f)
            if new:
                out.writerow(COLUMNS)
            for name, samples in self.valid.items():
                s = measure.score([x.text for x in samples], measure.read(net, samples))
                wrong.append(1 - s.words)
                seconds, cpu = self.spent()
                out.writerow([self.seen, f"{loss:.4f}", f"{rate(self.a, self.seen):.6f}", round(seconds), round(cpu), name, f"{s.lines:.4f}", f"{s.words:.4f}", f"{s.cer:.4f}"])
        mean = sum(wrong) / len(wrong)
        if mean < self.best:
            self.best = mean
            self.save("best.pt", {"config": net.config, "state": {k: v.half() if v.is_floating_point() else v for k, v in net.state_dict().items()}, "seen": self.seen, "words": 1 - mean})

    def run(self) -> None:
        stream = shards.Stream(self.a.shards, self.rank, self.a.processes, self.a.uses, self.r)
        saved, losses, parent = time.time(), [], os.getppid()
        for samples in stream.batches(self.a.batch):
            if os.getppid() != parent:
                return  # the run was ended
            if self.a.anneal and self.seen >= self.a.anneal[1]:
                break
            loss = self.step(samples)
            losses.append(loss)
            if self.rank:
                continue
            self.follow()
            if self.seen // self.a.check != (self.seen - self.a.batch * self.a.processes) // self.a.check:
                self.validate(sum(losses) / len(losses))
                losses = []
            if time.time() - saved > self.a.save:
                self.checkpoint()
                saved = time.time()
                print(f"{self.seen} lines, loss {loss:.3f}, {self.spent()[0]:.0f} s, {self.spent()[1]:.0f} s of this process", flush=True)
        if self.rank == 0:
            self.validate(sum(losses) / max(1, len(losses)))
            self.checkpoint()


def work(rank: int, a: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    if a.processes > 1:
        dist.init_process_group("gloo", init_method=f"file://{a.folder.resolve()}/meeting", rank=rank, world_size=a.processes)
    Trainer(a, rank).run()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"  # two threads on busy cores cost five times the time
    a = parse()
    a.folder.mkdir(parents=True, exist_ok=True)
    (a.folder / "meeting").unlink(missing_ok=True)
    mp.spawn(work, (a,), a.processes)
