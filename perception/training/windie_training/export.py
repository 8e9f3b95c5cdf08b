"""Writes a trained network as the gateway reads it: 8-bit weights, and what its activations are worth.

    python -m windie_training.export best.pt SHARD.npz TO.net

The lines of the shard show how large activations become. The format is described in perception/convnet/file.go.
"""

import argparse
import pathlib
import struct
import zlib

import numpy as np
import torch

from . import charset, shards
from .model import Net
from .quantise import LEVELS, Eight, folded

MAGIC = b"windie convnet 1\n"


def layer(weight: torch.Tensor, bias: torch.Tensor) -> bytes:
    """The weights of each output by columns of its window, then rows, then channels; scales; what is added."""
    scale = weight.abs().amax((1, 2, 3)).clamp(min=1e-8) / LEVELS
    rounded = torch.round(weight / scale[:, None, None, None]).permute(0, 3, 2, 1).flatten(1)
    head = struct.pack("<II", *rounded.shape)
    return head + rounded.numpy().astype(np.int8).tobytes() + scale.numpy().astype("<f4").tobytes() + bias.numpy().astype("<f4").tobytes()


@torch.no_grad()
def export(net: Net, eight: Eight) -> bytes:
    alphabet = charset.CHARS.encode()
    convs = [net.first, net.second, net.third, net.fourth.conv, net.rows]
    names = ["input", "first", "second", "third", "fourth", "rows"]
    for i, b in enumerate(net.blocks):
        convs += [b.along, b.mix]
        names += [f"along {i}", f"mix {i}"]
    out = MAGIC + struct.pack("<II", len(alphabet), len(net.blocks)) + alphabet
    out += np.array([eight.most[n] / LEVELS for n in names], "<f4").tobytes()
    for c in convs:
        out += layer(*folded(c))
    out += layer(net.head.weight, net.head.bias)
    return out + struct.pack("<I", zlib.crc32(out))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("network", type=pathlib.Path)
    parser.add_argument("shard", type=pathlib.Path)
    parser.add_argument("to", type=pathlib.Path)
    a = parser.parse_args()
    torch.set_num_threads(1)
    kept = torch.load(a.network, weights_only=False)
    net = Net(**kept["config"])
    net.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in kept["state"].items()})
    net.eval()
    a.to.write_bytes(export(net, Eight(net, shards.load(a.shard)[:600])))
