"""The network: convolutions over a strip, then over its steps; one step for two columns.

Everything is a convolution, a sum or a clip, so that whole batches of lines are products of matrices.
Activations are clipped to 0..6, which bounds what an 8-bit kernel has to hold.
"""

import torch
from torch import nn

from .charset import CLASSES
from .strips import HEIGHT

STRIDE = 2  # columns of a strip for one step
PART = 4  # of the height: what is left of it before the rows become channels


class Conv(nn.Module):
    """A convolution with batch normalisation, which is folded into it once trained."""

    def __init__(self, inputs, outputs, size, stride=(1, 1), groups=1, padding=None):
        super().__init__()
        if padding is None:
            padding = (size[0] // 2, size[1] // 2)
        self.conv = nn.Conv2d(inputs, outputs, size, stride, padding, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return self.norm(self.conv(x))


def clip(x):
    return nn.functional.relu6(x)


class Residual(nn.Module):
    """A 3x3 convolution added to its input."""

    def __init__(self, channels):
        super().__init__()
        self.conv = Conv(channels, channels, (3, 3))

    def forward(self, x):
        return clip(x + self.conv(x))


class Block(nn.Module):
    """Looks along the line, channel by channel, then mixes the channels; added to its input.

    What passes between the two is clipped too, so that an 8-bit kernel sees no negative input.
    """

    def __init__(self, channels, reach):
        super().__init__()
        self.along = Conv(channels, channels, (1, reach), groups=channels)
        self.mix = Conv(channels, channels, (1, 1))

    def forward(self, x):
        return clip(x + self.mix(clip(self.along(x))))


class Net(nn.Module):
    def __init__(self, first=16, second=32, channels=160, reaches=(9, 15, 21, 27, 9, 15), classes=CLASSES):
        super().__init__()
        self.config = {"first": first, "second": second, "channels": channels, "reaches": tuple(reaches), "classes": classes}
        self.first = Conv(1, first, (3, 3), (2, STRIDE))
        self.second = Conv(first, second, (3, 3), (2, 1))
        self.third = Conv(second, second, (3, 3))
        self.fourth = Residual(second)
        self.rows = Conv(second, channels, (HEIGHT // PART, 3), padding=(0, 1))
        self.blocks = nn.Sequential(*[Block(channels, reach) for reach in reaches])
        self.drop = nn.Dropout(0.05)
        self.head = nn.Conv2d(channels, classes, 1)

    def forward(self, x):
        """Scores of the classes (lines, steps, classes) for strips (lines, 1, HEIGHT, columns) of 0..1."""
        x = clip(self.first(x))
        x = clip(self.second(x))
        x = self.fourth(clip(self.third(x)))
        x = self.blocks(clip(self.rows(x)))
        return self.head(self.drop(x)).squeeze(2).transpose(1, 2)

    def products(self) -> int:
        """Multiplications for one step."""
        rows = {self.first: HEIGHT // 2, self.second: HEIGHT // PART, self.third: HEIGHT // PART, self.fourth: HEIGHT // PART}
        of = lambda m: sum(c.weight.numel() for c in m.modules() if isinstance(c, nn.Conv2d))
        return sum(of(m) * rows.get(m, 1) for m in self.children())


def steps(width: int) -> int:
    """How many steps a strip has."""
    return (width + STRIDE - 1) // STRIDE
