"""The network in whole numbers, bit for bit as the gateway's kernels compute it.

A weight is -127..127 with one value of 1 for each output. An activation is 0..127, seven bits, with one
value of 1 for each layer. Sums are exact; what follows them is float32 in the order of perception/convnet.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from .net import Net, twice
from .pyramid import UNIT, halved, padded

MOST = 127
TOP = 6.0  # of an activation before it is rounded
SHARE = 0.9999  # of a layer's activations that its unit must hold


@dataclass
class Layer:
    """A convolution: whole weights (outputs, inputs, rows, columns), the value of 1 and the bias of each output."""

    weights: np.ndarray  # int8
    worth: np.ndarray  # float32
    add: np.ndarray  # float32


@dataclass
class Form:
    """What a layer's place in the network says about it."""

    inputs: int  # channels
    outputs: int
    window: int = 1
    step: int = 1
    deep: bool = False  # each channel alone
    patch: bool = False  # no padding


def forms(config: dict) -> list[Form]:
    """The layers in the order in which `walk` runs them."""
    c4, c8, c16 = config["channels"]

    def mix(i: int, o: int, window: int = 3, step: int = 1) -> list[Form]:
        return [Form(i, i, window, step, True), Form(i, o)]

    out = [Form(3, c4, 4, 4, patch=True), *mix(c4, c4), *mix(c4, c8, 3, 2)]
    for _ in range(config["depth"][0]):
        out += mix(c8, c8)
    out += mix(c8, c16, 5, 2)
    for n in range(config["depth"][1]):
        out += mix(c16, c16, 5 if n % 2 == 0 else 3)
    return [*out, Form(c16, c8), *mix(c8, c8), Form(c8, c4), *mix(c4, c4), *mix(c4, c4), Form(c4, 4 * config["maps"])]


def walk(config: dict, x, run):
    """Runs the layers in their order: run(x, added, up), where added is what the sums are added to, and up
    says that each sum is for 2x2 cells."""

    def mix(x, adds: bool):
        return run(run(x), x if adds else None)

    q = mix(run(x), True)
    e = mix(q, False)
    for _ in range(config["depth"][0]):
        e = mix(e, True)
    s = mix(e, False)
    for _ in range(config["depth"][1]):
        s = mix(s, True)
    e = mix(run(s, e, True), True)
    q = mix(run(e, q, True), True)
    return run(mix(q, True))


def folded(net: Net) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The weights and biases of the layers in the order of `forms`, without batch norm."""

    def of(conv) -> tuple[torch.Tensor, torch.Tensor]:
        gain = conv.norm.weight / torch.sqrt(conv.norm.running_var + conv.norm.eps)
        return conv.conv.weight * gain[:, None, None, None], conv.norm.bias - conv.norm.running_mean * gain

    mixes = lambda list_: [c for m in list_ for c in (m.deep, m.point)]
    convs = [net.patch, *mixes([net.first, net.down8, *net.mixes8, net.down16, *net.mixes16]), net.up8, *mixes([net.join8]), net.up4, *mixes([net.join4, net.last])]
    return [*(of(c) for c in convs), (net.head.weight, net.head.bias)]


def configuration(net: Net) -> dict:
    return {**net.config, "maps": net.head.out_channels // 4}


@torch.no_grad()
def units_of(net: Net, pictures: list[np.ndarray]) -> list[float]:
    """The value of 1 of the input and of each layer's activations, from pictures."""
    weights = folded(net)
    shapes = forms(configuration(net))
    most = [0.0] * (len(weights) - 1)
    for picture in pictures:
        at = iter(range(len(weights)))

        def run(x, added=None, up=False):
            n = next(at)
            y = convolve(x, *weights[n], shapes[n])
            y = twice(y) if up else y
            y = y if added is None else y + added
            if n == len(most):
                return y
            y = y.clamp(0, TOP)
            sample = y.flatten()[:: max(1, y.numel() // 100_000)]
            most[n] = max(most[n], float(torch.quantile(sample, SHARE)))
            return y

        x = torch.from_numpy(np.ascontiguousarray(halved(padded(picture)))).permute(2, 0, 1)[None].float() * UNIT
        walk(configuration(net), x, run)
    return [UNIT, *(max(m, 0.05) / MOST for m in most)]


def convolve(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, form: Form) -> torch.Tensor:
    return F.conv2d(x, weight, bias, form.step, 0 if form.patch else form.window // 2, groups=form.inputs if form.deep else 1)


class Eight:
    """A network of whole numbers. It is called as `Net` is."""

    def __init__(self, config: dict, units: list[float], layers: list[Layer]):
        self.config, self.units, self.layers = config, np.array(units, np.float32), layers
        self.forms = forms(config)
        self.weights = [torch.from_numpy(layer.weights.astype(np.float32)) for layer in layers]
        one = np.float32(1)
        into = [*self._sources()]
        self.bias, self.scale = [], []
        for n, layer in enumerate(layers):
            source = self.units[into[n]]
            to = self.units[n + 1] if n + 1 < len(self.units) else one
            whole = np.round(layer.add.astype(np.float64) / np.maximum(layer.worth.astype(np.float64) * np.float64(source), 1e-12))
            self.bias.append(torch.from_numpy(np.where(np.abs(whole) < 1 << 30, whole, 0))[:, None, None])
            self.scale.append(torch.from_numpy((layer.worth * source / to).astype(np.float32))[:, None, None])

    def _sources(self) -> list[int]:
        """For each layer, whose activations it reads: 0 is the input, n+1 the layer n."""
        into: list[int] = []

        def run(x, added=None, up=False):
            into.append(x)
            return len(into)

        walk(self.config, 0, run)
        return into

    @torch.no_grad()
    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        at = iter(range(len(self.layers)))

        def run(x, added=None, up=False):
            n = next(at)
            values, _ = x
            sums = convolve(values, self.weights[n], None, self.forms[n]).double() + self.bias[n]
            y = sums.float() * self.scale[n]
            if n + 1 == len(self.units):
                return y
            y = twice(y) if up else y
            if added is not None:
                y = y + added[0] * float(np.float32(self.units[added[1]] / self.units[n + 1]))
            return torch.round(y.clamp(0, MOST)), n + 1

        return F.pixel_shuffle(walk(self.config, (torch.round(x / UNIT), 0), run), 2)


@torch.no_grad()
def quantised(net: Net, pictures: list[np.ndarray]) -> Eight:
    layers = []
    for weight, bias in folded(net):
        worth = weight.abs().amax((1, 2, 3)).clamp(min=1e-8) / MOST
        whole = torch.round(weight / worth[:, None, None, None]).clamp(-MOST, MOST)
        layers.append(Layer(whole.numpy().astype(np.int8), worth.numpy().astype(np.float32), bias.numpy().astype(np.float32)))
    return Eight(configuration(net), units_of(net, pictures), layers)
