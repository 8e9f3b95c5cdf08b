"""Averages the weights of networks of which one was trained on from another: what was learnt meanwhile, and less forgotten.

    python -m windie_training.average ONE.pt OTHER.pt TO.pt

Each is a best.pt or a last.pt, of which the average over steps counts; the result has the form of a best.pt.
"""

import argparse
import pathlib

import torch


def state(kept: dict) -> dict[str, torch.Tensor]:
    return {k: v.float() if v.is_floating_point() else v for k, v in (kept.get("average") or kept["state"]).items()}


def average(one: dict, other: dict) -> dict:
    """Two networks of one shape as one, which has seen the lines of the one that saw more."""
    if one["config"] != other["config"]:
        raise ValueError("the networks have other shapes")
    a, b = state(one), state(other)
    mean = {k: ((v + b[k]) / 2).half() if v.is_floating_point() else b[k] for k, v in a.items()}
    return {"config": one["config"], "state": mean, "seen": max(one["seen"], other["seen"])}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("one", "other", "to"):
        parser.add_argument(name, type=pathlib.Path)
    a = parser.parse_args()
    torch.save(average(*(torch.load(f, weights_only=False) for f in (a.one, a.other))), a.to)
