"""The gateway's own cutting: pictures go to a Go program, their lines come back as strips."""

import os
import struct
import subprocess
from dataclasses import dataclass

import numpy as np

HEIGHT = 24  # rows of a strip; why, says ../README.md


@dataclass
class Fit:
    """One way to scale a line: what its letters are taken for, and the strip (0 paper, 255 ink)."""

    baseline: float
    capital: float
    left: float
    scale: float
    ink: np.ndarray


@dataclass
class Line:
    x0: int
    y0: int
    x1: int
    y1: int
    fits: list[Fit]


class Cutter:
    """Runs ../strips, which is the gateway's perception/textline over a pipe."""

    def __init__(self, program: str):
        self.process = subprocess.Popen(
            [program, "-height", str(HEIGHT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "GOMAXPROCS": "1"}
        )

    def cut(self, picture: np.ndarray) -> list[Line]:
        """The lines of a picture of 8-bit RGBA."""
        height, width = picture.shape[:2]
        self.process.stdin.write(struct.pack("<II", width, height) + np.ascontiguousarray(picture).tobytes())
        self.process.stdin.flush()
        return [self._line() for _ in range(*self._read("<I"))]

    def _read(self, layout: str):
        return struct.unpack(layout, self.process.stdout.read(struct.calcsize(layout)))

    def _line(self) -> Line:
        x0, y0, x1, y1, count = self._read("<5i")
        fits = []
        for _ in range(count):
            _, baseline, capital, left, scale, width = self._read("<i4dI")
            pixels = np.frombuffer(self.process.stdout.read(HEIGHT * width), np.uint8)
            fits.append(Fit(baseline, capital, left, scale, 255 - pixels.reshape(HEIGHT, width)))
        return Line(x0, y0, x1, y1, fits)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
