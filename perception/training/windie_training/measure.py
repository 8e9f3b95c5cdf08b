"""How well a network reads strips whose texts are known."""

from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import torch

from . import charset
from .lines import Sample
from .model import Net, steps
from .strips import HEIGHT


@dataclass
class Score:
    lines: float  # share of lines that are right
    words: float  # share of words that are right, in order
    cer: float  # errors for each character

    def __str__(self) -> str:
        return f"lines {self.lines:.4f} words {self.words:.4f} CER {self.cer:.4f}"


def batch(samples: list[Sample]) -> torch.Tensor:
    """Strips of 0..1, filled with paper to one width."""
    width = -(-max(s.ink.shape[1] for s in samples) // 8) * 8
    x = np.zeros((len(samples), 1, HEIGHT, width), np.float32)
    for i, s in enumerate(samples):
        x[i, 0, :, : s.ink.shape[1]] = s.ink
    return torch.from_numpy(x / 255).contiguous(memory_format=torch.channels_last)


@torch.no_grad()
def read(net: Net, samples: list[Sample], size: int = 16) -> list[str]:
    net.eval()
    texts = [""] * len(samples)
    order = sorted(range(len(samples)), key=lambda i: samples[i].ink.shape[1])
    for start in range(0, len(order), size):
        members = order[start : start + size]
        best = net(batch([samples[i] for i in members])).argmax(2).numpy()
        for row, i in zip(best, members):
            texts[i] = charset.decode(row[: steps(samples[i].ink.shape[1])])
    return texts


def score(truth: list[str], got: list[str]) -> Score:
    words = found = chars = errors = right = 0
    for t, g in zip(truth, got):
        tw, gw = t.split(), g.split()
        words += len(tw)
        found += sum(b.size for b in SequenceMatcher(None, tw, gw, autojunk=False).get_matching_blocks())
        t, g = " ".join(tw), " ".join(gw)
        chars += len(t)
        errors += distance(t, g)
        right += t == g
    return Score(right / max(1, len(truth)), found / max(1, words), errors / max(1, chars))


def distance(a: str, b: str) -> int:
    """Insertions, deletions and replacements from one to the other."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        last, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            last, row[j + 1] = row[j + 1], min(row[j + 1] + 1, row[j] + 1, last + (x != y))
    return row[-1]
