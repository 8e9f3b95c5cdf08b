"""How often each of a few characters that look alike stands between two kinds of neighbours.

    python -m windie_training.neighbours CACHE ../perception/reader/neighbours.txt

The reader chooses by these counts where the network wavers. They are of the texts that lines are drawn of.
"""

import collections
import pathlib
import random
import sys

from windie_training import charset, texts

FAMILIES = ["Il1|", "O0oQ", "S5s", "B8", "Z2z", "cC", "vV", "wW", "xX", "kK", "pP", "uU"]
LINES = 400_000


def kind(c: str) -> str:
    """What a neighbour is: an edge of the word, a small letter, a capital, a figure, or a mark."""
    if c == " ":
        return "e"
    if c.isalpha():
        return "u" if c.isupper() else "l"
    return "d" if c.isdigit() else "m"


def main() -> None:
    cache, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    r = random.Random(7)
    source = texts.Texts(texts.load(cache, False), r)
    family = {c: f for f in FAMILIES for c in f}
    counts: dict[tuple[str, str], collections.Counter] = collections.defaultdict(collections.Counter)
    for _ in range(LINES):
        line = f" {charset.fold(source.line(60))} "
        for before, c, after in zip(line, line[1:], line[2:]):
            if c in family:
                counts[family[c], kind(before) + kind(after)][c] += 1
    rows = ["# what stands between two kinds of neighbours: edges (e), small letters (l), capitals (u), figures (d), marks (m)"]
    for f in FAMILIES:
        for kinds in sorted(k for g, k in counts if g == f):
            rows.append(f"{f} {kinds} " + " ".join(str(counts[f, kinds][c]) for c in f))
    out.write_text("\n".join(rows) + "\n")


main()
