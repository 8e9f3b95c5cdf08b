"""Writes a trained element map as the gateway reads it: the form of the text map's file with its own magic.

    python -m windie_training.elementmap.export CHECKPOINT SCREENS TO

SCREENS is a folder with truth, whose pictures show how large activations become.
"""

import argparse
import hashlib
import pathlib

import torch

from ..textmap import net
from ..textmap.eight import quantised
from ..textmap.export import encode
from ..textmap.pyramid import half
from .pages import page

MAGIC = b"windie elementmap 1\n"
PICTURES = 24

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("screens", type=pathlib.Path)
    parser.add_argument("to", type=pathlib.Path)
    a = parser.parse_args()
    torch.set_num_threads(1)
    files = sorted(a.screens.glob("*.json"))
    pictures = [page(f)[0] for f in files[:: max(1, len(files) // PICTURES)]]
    data = encode(quantised(net.load(a.checkpoint), [*pictures, *map(half, pictures)]), MAGIC)
    a.to.write_bytes(data)
    print(f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")
