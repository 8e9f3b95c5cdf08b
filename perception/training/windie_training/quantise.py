"""What a kernel of 8-bit products would read: the network with its weights and activations rounded.

Batch normalisation is folded into the convolutions. A weight is -127..127 with one scale for each
output. An activation is 0..127, seven bits, with one scale for each layer: AVX2 adds two products of
8 bits in 16, which eight bits would overflow.
"""

import torch
import torch.nn.functional as F

from .lines import Sample
from .measure import batch
from .model import Conv, Net, clip

LEVELS = 127


def folded(c: Conv) -> tuple[torch.Tensor, torch.Tensor]:
    gain = c.norm.weight / torch.sqrt(c.norm.running_var + c.norm.eps)
    return c.conv.weight * gain[:, None, None, None], c.norm.bias - c.norm.running_mean * gain


def rounded(weight: torch.Tensor) -> torch.Tensor:
    scale = weight.abs().amax((1, 2, 3), keepdim=True).clamp(min=1e-8) / LEVELS
    return torch.round(weight / scale) * scale


class Eight:
    """A network whose products are of 8 bits, simulated. Samples show how large activations become."""

    def __init__(self, net: Net, samples: list[Sample]):
        self.net, self.most, self.learning = net, {}, True
        with torch.no_grad():
            order = sorted(samples, key=lambda s: s.ink.shape[1])
            for start in range(0, len(order), 16):
                self(batch(order[start : start + 16]))
        self.learning = False

    def eval(self) -> "Eight":
        return self

    def activation(self, x: torch.Tensor, name: str) -> torch.Tensor:
        if self.learning:
            sampled = x.flatten()[:: max(1, x.numel() // 100_000)]
            self.most[name] = max(self.most.get(name, 0.0), float(torch.quantile(sampled, 0.9999)))
            return x
        unit = self.most[name] / LEVELS
        return torch.clamp(torch.round(x / unit), 0, LEVELS) * unit

    def conv(self, c: Conv, x: torch.Tensor) -> torch.Tensor:
        weight, bias = folded(c)
        return F.conv2d(x, rounded(weight), bias, c.conv.stride, c.conv.padding, groups=c.conv.groups)

    @torch.no_grad()
    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        n = self.net
        x = self.activation(x, "input")
        x = self.activation(clip(self.conv(n.first, x)), "first")
        x = self.activation(clip(self.conv(n.second, x)), "second")
        x = self.activation(clip(self.conv(n.third, x)), "third")
        x = self.activation(clip(x + self.conv(n.fourth.conv, x)), "fourth")
        x = self.activation(clip(self.conv(n.rows, x)), "rows")
        for i, b in enumerate(n.blocks):
            y = self.activation(clip(self.conv(b.along, x)), f"along {i}")
            x = self.activation(clip(x + self.conv(b.mix, y)), f"mix {i}")
        return F.conv2d(x, rounded(n.head.weight), n.head.bias).squeeze(2).transpose(1, 2)
