"""Reads validation files with a network: how well, by the kinds of text; what it confuses; and with weights of 8 bits.

    python -m windie_training.evaluate best.pt held.npz... [--misses 20] [--eight]
"""

import argparse
import collections
import pathlib
import re
from difflib import SequenceMatcher

import torch

from . import charset, measure, shards
from .lines import Sample
from .model import Net
from .quantise import Eight

KINDS = (
    ("greek", re.compile(f"[{charset.GREEK}]")),
    ("cyrillic", re.compile(f"[{charset.CYRILLIC}]")),
    ("accents", re.compile(f"[{charset.LATIN_1}{charset.LATIN_EXTENDED}]")),
    ("signs", re.compile(f"[{re.escape(charset.MARKS + charset.ARROWS + charset.KEYS + charset.SHAPES + charset.BOX)}]")),
    ("digits", re.compile(r"\d")),
    ("plain", re.compile(".")),
    ("nothing", re.compile("")),
)


def kind(text: str) -> str:
    """The first kind that fits: `plain` is ASCII without digits, `nothing` an icon."""
    return next(name for name, pattern in KINDS if pattern.search(text))


def load(path: pathlib.Path) -> Net:
    kept = torch.load(path, weights_only=False)
    net = Net(**kept["config"])
    state = kept.get("average") or kept["state"]
    net.load_state_dict({k: v.to(net.state_dict()[k].dtype) for k, v in state.items()})
    print(f"{path}: {sum(p.numel() for p in net.parameters())} weights, {net.products()} products a step, {kept['seen']} lines seen")
    return net.eval().to(memory_format=torch.channels_last)


def confusions(truth: list[str], got: list[str]) -> collections.Counter:
    """What was read for what, of the pieces where a line differs."""
    found: collections.Counter = collections.Counter()
    for t, g in zip(truth, got):
        for op, a, b, c, d in SequenceMatcher(None, t, g, autojunk=False).get_opcodes():
            if op != "equal" and b - a <= 3 and d - c <= 3:
                found[t[a:b], g[c:d]] += 1
    return found


def report(name: str, net, samples: list[Sample], misses: int) -> None:
    truth, got = [s.text for s in samples], measure.read(net, samples)
    print(f"{name}: {len(samples)} lines, {measure.score(truth, got)}")
    for k, _ in KINDS:
        members = [i for i, t in enumerate(truth) if kind(t) == k]
        if members:
            print(f"  {k:9} {len(members):5} {measure.score([truth[i] for i in members], [got[i] for i in members])}")
    if misses:
        print("  " + " ".join(f"{t or '∅'}→{g or '∅'}:{n}" for (t, g), n in confusions(truth, got).most_common(2 * misses)))
        for t, g in [(t, g) for t, g in zip(truth, got) if t != g][:misses]:
            print(f"    {t!r} read as {g!r}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("network", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    parser.add_argument("--misses", type=int, default=0, help="how many wrong lines to show")
    parser.add_argument("--eight", action="store_true", help="also with weights of 8 bits and activations of 7")
    a = parser.parse_args()
    torch.set_num_threads(1)
    net = load(a.network)
    for path in a.files:
        samples = shards.load(path)
        report(path.stem, net, samples, a.misses)
        if a.eight:
            report(path.stem + ", 8 bits", Eight(net, samples[:200]), samples, 0)
