"""Draws a run's curve: the share of words that are wrong against the lines seen, on two logarithmic axes.

    python -m windie_training.plot curve.csv curve.svg
"""

import argparse
import csv
import math
import pathlib

WIDTH, HEIGHT, MARGIN = 640, 400, 50
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e")


def curves(path: pathlib.Path) -> dict[str, list[tuple[float, float]]]:
    """For each validation set: lines seen, and the share of words that are wrong."""
    found: dict[str, list[tuple[float, float]]] = {}
    with path.open() as f:
        for row in csv.DictReader(f):
            found.setdefault(row["set"], []).append((float(row["seen"]), max(1e-4, 1 - float(row["words"]))))
    return found


def svg(sets: dict[str, list[tuple[float, float]]]) -> str:
    points = [p for line in sets.values() for p in line]
    low_x, high_x = (math.log10(f(p[0] for p in points)) for f in (min, max))
    low_y, high_y = (math.log10(f(p[1] for p in points)) for f in (min, max))
    x = lambda v: MARGIN + (math.log10(v) - low_x) / max(1e-9, high_x - low_x) * (WIDTH - 2 * MARGIN)
    y = lambda v: HEIGHT - MARGIN - (math.log10(v) - low_y) / max(1e-9, high_y - low_y) * (HEIGHT - 2 * MARGIN)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']
    for v in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005):
        if low_y <= math.log10(v) <= high_y:
            out.append(f'<path d="M{MARGIN} {y(v):.1f}H{WIDTH - MARGIN}" stroke="#ccc"/><text x="8" y="{y(v) + 4:.1f}">{v:.1%}</text>')
    for v in (1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7):
        if low_x <= math.log10(v) <= high_x:
            out.append(f'<path d="M{x(v):.1f} {MARGIN}V{HEIGHT - MARGIN}" stroke="#ccc"/><text x="{x(v) - 12:.1f}" y="{HEIGHT - MARGIN + 16}">{v / 1e6:g} M</text>')
    for (name, line), colour in zip(sorted(sets.items()), COLOURS * 3):
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        last = line[-1]
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/><text x="{WIDTH - 4}" y="{y(max(b for _, b in line[-20:])) - 6:.1f}" fill="{colour}" text-anchor="end" stroke="white" stroke-width="3" paint-order="stroke">{name} {last[1]:.2%}</text>')
    out.append(f'<text x="{MARGIN}" y="20">words read wrong, by lines trained on</text></svg>')
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("curve", type=pathlib.Path)
    parser.add_argument("to", type=pathlib.Path)
    a = parser.parse_args()
    a.to.write_text(svg(curves(a.curve)))
