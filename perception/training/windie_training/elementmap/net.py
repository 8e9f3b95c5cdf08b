"""The network of the element map: that of the text map with more channels at the coarse levels."""

from ..textmap import net
from . import CORES, MAPS

CHANNELS = (32, 48, 96)  # at a quarter, an eighth and a sixteenth
DEPTH = (2, 4)  # mixes at an eighth and at a sixteenth, after the first of each
LEVELS = 5


def new() -> net.Net:
    return net.Net(CHANNELS, DEPTH, MAPS, CORES)


if __name__ == "__main__":
    n = new().eval()
    print(sum(p.numel() for p in n.parameters()), "weights;", sum(net.cost(n, 900 >> k, 1440 >> k) for k in range(LEVELS)) / 1e6, "million products for 1440x900 with all levels")
