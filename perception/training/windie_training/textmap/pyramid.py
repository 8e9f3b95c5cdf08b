"""The levels of a picture, and pixels as the runtime holds them: whole numbers throughout."""

import numpy as np

LEVELS = 4  # the picture, a half, a quarter, an eighth
UNIT = 2 / 255  # the value of 1 in a halved byte
SIDE = 16  # the network's coarsest step: a picture is padded to a multiple of it
LEAST = 16  # pixels of the shorter side of the last level


def half(picture: np.ndarray) -> np.ndarray:
    """Each 2x2 pixels become their mean, rounded down. An odd last row or column is repeated."""
    h, w = picture.shape[:2]
    if h % 2 or w % 2:
        picture = np.pad(picture, ((0, h % 2), (0, w % 2), (0, 0)), mode="edge")
    p = picture.astype(np.uint16)
    rows = p[::2] + p[1::2]
    return ((rows[:, ::2] + rows[:, 1::2]) >> 2).astype(np.uint8)


def levels(picture: np.ndarray) -> list[np.ndarray]:
    out = [picture]
    while len(out) < LEVELS and min(out[-1].shape[:2]) >= 2 * LEAST:
        out.append(half(out[-1]))
    return out


def padded(picture: np.ndarray) -> np.ndarray:
    h, w = picture.shape[:2]
    return np.pad(picture, ((0, -h % SIDE), (0, -w % SIDE), (0, 0)), mode="edge")


def halved(picture: np.ndarray) -> np.ndarray:
    """Activations of 0 to 127."""
    return picture >> 1
