"""Writes a trained text map as the gateway reads it: 8-bit weights, and what its activations are worth.

    python -m windie_training.textmap.export CHECKPOINT DRAWN TO

DRAWN is a run's `held.pickle`: its scenes show how large activations become. The file contains, in little
endian, in the manner of perception/convnet/file.go:

    magic
    uint32 channels at a quarter, an eighth and a sixteenth; uint32 mixes at an eighth and at a sixteenth; uint32 maps
    float32 for the input and each layer but the last: the value of 1 in an activation of 0 to 127
    the layers, in the order of `eight.walk`
    uint32 CRC-32 (IEEE) of everything before

A layer contains:

    uint32 outputs, uint32 inputs
    int8 weights of each output, by the columns of its window, then rows, then channels
    float32 for each output: the value of 1 in its weights
    float32 for each output: the bias

A layer of each channel alone has the cells of its window as inputs. The last layer has four outputs for each
map, in the order of the package's constants: the cells of two rows by two columns, row by row.
"""

import argparse
import hashlib
import pathlib
import pickle
import struct
import zlib

import numpy as np
import torch

from .eight import Eight, Layer, forms, quantised

MAGIC = b"windie textmap 1\n"
PICTURES = 40


def layer(l: Layer) -> bytes:
    weights = np.ascontiguousarray(l.weights.transpose(0, 3, 2, 1)).reshape(len(l.weights), -1)
    return struct.pack("<II", *weights.shape) + weights.tobytes() + l.worth.astype("<f4").tobytes() + l.add.astype("<f4").tobytes()


def encode(eight: Eight, magic: bytes = MAGIC) -> bytes:
    c = eight.config
    out = magic + struct.pack("<6I", *c["channels"], *c["depth"], c["maps"]) + eight.units.astype("<f4").tobytes()
    out += b"".join(map(layer, eight.layers))
    return out + struct.pack("<I", zlib.crc32(out))


def decode(data: bytes) -> Eight:
    """The network of a file. A ValueError says which part of the file is invalid."""
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("the file is not a text map of this version of Windie")
    if len(data) < len(MAGIC) + 28 or zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ValueError("the file is damaged: its checksum differs")
    at = len(MAGIC)
    c4, c8, c16, d8, d16, maps = struct.unpack_from("<6I", data, at)
    at += 24
    config = {"channels": (c4, c8, c16), "depth": (d8, d16), "maps": maps}
    if max(c4, c8, c16) > 1024 or max(d8, d16) > 32 or not 1 <= maps <= 64:
        raise ValueError("the file has invalid sizes")
    shapes = forms(config)
    units = np.frombuffer(data, "<f4", len(shapes), at)
    at += 4 * len(shapes)
    layers = []
    for n, form in enumerate(shapes):
        outputs, inputs = struct.unpack_from("<II", data, at)
        channels = 1 if form.deep else form.inputs
        if (outputs, inputs) != (form.outputs, channels * form.window**2):
            raise ValueError(f"layer {n} has {outputs} outputs and {inputs} inputs; expected {form.outputs} and {channels * form.window**2}")
        at += 8
        weights = np.frombuffer(data, np.int8, outputs * inputs, at).reshape(outputs, form.window, form.window, channels).transpose(0, 3, 2, 1)
        at += outputs * inputs
        worth, add = np.frombuffer(data, "<f4", outputs, at), np.frombuffer(data, "<f4", outputs, at + 4 * outputs)
        at += 8 * outputs
        layers.append(Layer(np.ascontiguousarray(weights), worth.astype(np.float32), add.astype(np.float32)))
    if at != len(data) - 4:
        raise ValueError(f"the file has {len(data) - 4 - at} extra bytes after its end")
    return Eight(config, units, layers)


def load(file: pathlib.Path) -> Eight:
    return decode(file.read_bytes())


if __name__ == "__main__":
    from .net import load as load_net

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("drawn", type=pathlib.Path)
    parser.add_argument("to", type=pathlib.Path)
    a = parser.parse_args()
    torch.set_num_threads(1)
    scenes = pickle.loads(a.drawn.read_bytes())
    data = encode(quantised(load_net(a.checkpoint), [s.picture for _, s in scenes[:: max(1, len(scenes) // PICTURES)]]))
    a.to.write_bytes(data)
    print(f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")
