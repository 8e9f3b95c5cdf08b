"""The network of the text map.

Patches of 4x4 pixels become CHANNELS[0] channels; depthwise and pointwise convolutions with additions
follow, down to a sixteenth and back up. All activations are clipped to 0..6. The head has the maps of
2x2 cells for each patch, so the maps are at half resolution.
"""

import torch
import torch.nn.functional as F
from torch import nn

from . import MAPS

CHANNELS = (16, 32, 64)  # at a quarter, an eighth and a sixteenth
DEPTH = (2, 4)  # mixes at an eighth and at a sixteenth, after the first of each


def clip(x: torch.Tensor) -> torch.Tensor:
    return F.relu6(x, inplace=True)  # of a sum or a norm, which nothing else reads


class Conv(nn.Module):
    """A convolution and its batch norm, which export folds away."""

    def __init__(self, i: int, o: int, window: int = 1, step: int = 1, groups: int = 1, patch: bool = False):
        super().__init__()
        self.conv = nn.Conv2d(i, o, window, step, 0 if patch else window // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(o)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.conv(x))


class Mix(nn.Module):
    """Each channel alone, then all channels of a cell; added to the input if the shapes allow it."""

    def __init__(self, i: int, o: int, window: int = 3, step: int = 1):
        super().__init__()
        self.deep, self.point = Conv(i, i, window, step, i), Conv(i, o)
        self.adds = i == o and step == 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.point(clip(self.deep(x)))
        return clip(x + y if self.adds else y)


class Net(nn.Module):
    def __init__(self, channels: tuple = CHANNELS, depth: tuple = DEPTH, maps: int = MAPS, cores: int = 1):
        """cores is the number of maps, the first ones, that are of one kind and begin as "nothing here"."""
        super().__init__()
        self.config = {"channels": tuple(channels), "depth": tuple(depth)}
        if maps != MAPS:
            self.config |= {"maps": maps, "cores": cores}
        c4, c8, c16 = channels
        self.patch = Conv(3, c4, 4, 4, patch=True)
        self.first = Mix(c4, c4)
        self.down8 = Mix(c4, c8, 3, 2)
        self.mixes8 = nn.ModuleList(Mix(c8, c8) for _ in range(depth[0]))
        self.down16 = Mix(c8, c16, 5, 2)
        self.mixes16 = nn.ModuleList(Mix(c16, c16, 5 if n % 2 == 0 else 3) for n in range(depth[1]))
        self.up8, self.join8 = Conv(c16, c8), Mix(c8, c8)
        self.up4, self.join4 = Conv(c8, c4), Mix(c4, c4)
        self.last = Mix(c4, c4)
        self.head = nn.Conv2d(c4, 4 * maps, 1)
        nn.init.constant_(self.head.bias[: 4 * cores], -2.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """RGB as 0..1, N x 3 x H x W with sides that are multiples of 16, to N x MAPS x H/2 x W/2."""
        q = self.first(clip(self.patch(x)))
        e = self.down8(q)
        for m in self.mixes8:
            e = m(e)
        s = self.down16(e)
        for m in self.mixes16:
            s = m(s)
        e = self.join8(clip(e + twice(self.up8(s))))
        q = self.join4(clip(q + twice(self.up4(e))))
        return F.pixel_shuffle(self.head(self.last(q)), 2)


def twice(x: torch.Tensor) -> torch.Tensor:
    return F.interpolate(x, scale_factor=2.0, mode="nearest")


def cost(net: nn.Module, height: int, width: int) -> int:
    """Multiply-adds of one level of this size."""
    total, hooks = [0], []

    def count(m, _, y):
        total[0] += y[0, 0].numel() * m.weight.numel()

    for m in net.modules():
        if isinstance(m, nn.Conv2d):
            hooks.append(m.register_forward_hook(count))
    with torch.no_grad():
        net(torch.zeros(1, 3, height + -height % 16, width + -width % 16))
    for h in hooks:
        h.remove()
    return total[0]


def load(file) -> Net:
    """The network of a checkpoint."""
    kept = torch.load(file, map_location="cpu", weights_only=False)
    net = Net(**kept["config"])
    net.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in kept["state"].items()})
    return net.eval().to(memory_format=torch.channels_last)


if __name__ == "__main__":
    net = Net().eval()
    print(sum(p.numel() for p in net.parameters()), "weights;", sum(cost(net, 900 >> n, 1440 >> n) for n in range(4)) / 1e6, "MMAC for 1440x900 with its pyramid")
