"""How likely each character is to follow others, on the texts that lines are drawn of.

    python -m windie_training.ngrams CACHE ../reader/windie.ngrams

The reader chooses by this table where the network wavers; perception/ngram reads it. It is a back-off model: sequences
of up to ORDER characters with the probability of the last one after the others, smoothed after Witten and Bell, and
without those that the shorter sequence predicts about as well. It needs 8 GB of memory and some minutes.
"""

import pathlib
import random
import struct
import sys
import zlib

import numpy as np

from windie_training import charset, texts

ORDER = 6
LINES = 1_000_000  # besides each message
MOST = 60  # characters of a line
LEAST = 2  # times that a sequence of four characters or more stands in the texts
WORTH = 150.0  # how much likelier a sequence must make the texts, as a logarithm, to be kept
QUANTUM = 0.25  # of a logarithm
BITS = 10  # of a character in a packed sequence
SPACE = charset.INDEX[" "]
MAGIC = b"windie ngrams 1\n"


def lines(cache: pathlib.Path, r: random.Random) -> list[str]:
    """The texts, folded: what is drawn, each message as it is, and what listings of files begin with."""
    loaded = texts.load(cache, False)
    source = texts.Texts(loaded, r)
    found = [source.line(MOST) for _ in range(LINES)]
    found = [line if len(line) < MOST else line.rpartition(" ")[0] or line for line in found]
    found += [message for messages in loaded.values() for message in messages]
    found += [listing(r) for _ in range(LINES // 200)]
    return [charset.fold(line) for line in found]


def listing(r: random.Random) -> str:
    rights = r.choice("--dl") + "".join(c if r.random() < 0.6 else "-" for c in "rwxrwxrwx")
    return rights + r.choice(["", f" {r.randint(1, 40)} root", f" {r.randint(1, 9)} user users {r.randint(10, 99999)}"])


def classes(found: list[str]) -> np.ndarray:
    """Their characters in one row, with two spaces between lines."""
    return np.array([charset.INDEX.get(c, 0) for c in " " + "  ".join(found) + " "], dtype=np.int64)


class Table:
    """Packed sequences of each length, sorted, with the probability of the last character, and the weight of backing off."""

    def __init__(self, row: np.ndarray):
        self.grams, self.counts = [], []
        for k in range(1, ORDER + 1):
            self.count(row, k)
        self.smooth()
        self.prune()
        self.weigh()

    def count(self, row: np.ndarray, k: int) -> None:
        n = len(row) - k + 1
        packed, across = np.zeros(n, np.int64), np.zeros(n, bool)
        for i in range(k):
            packed = (packed << BITS) | row[i : i + n]
            if i + 1 < k:
                across |= (row[i : i + n] == SPACE) & (row[i + 1 : i + 1 + n] == SPACE)
        grams, counts = np.unique(packed[~across], return_counts=True)
        often = counts >= (LEAST if k > 3 else 1)
        self.grams.append(grams[often])
        self.counts.append(counts[often].astype(np.float64))

    def at(self, k: int, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where sequences of length k are, and whether they are there."""
        grams = self.grams[k - 1]
        i = np.minimum(np.searchsorted(grams, packed), len(grams) - 1)
        return i, grams[i] == packed

    def shorter(self, k: int, grams: np.ndarray) -> np.ndarray:
        """The probability of the last character after one character less."""
        i, there = self.at(k - 1, grams & ((1 << (BITS * (k - 1))) - 1))
        return np.where(there, self.chances[k - 2][i], 1e-7)

    def smooth(self) -> None:
        single = self.counts[0] + 0.5
        self.chances, self.back = [single / single.sum()], [None]
        for k in range(2, ORDER + 1):
            grams, counts = self.grams[k - 1], self.counts[k - 1]
            _, of = np.unique(grams >> BITS, return_inverse=True)
            total, kinds = np.bincount(of, counts)[of], np.bincount(of)[of]
            self.chances.append((counts + kinds * self.shorter(k, grams)) / (total + kinds))
            self.back.append(kinds / (total + kinds))

    def prune(self) -> None:
        keep, needed = [np.ones(len(self.grams[0]), bool)], np.zeros(0, np.int64)
        for k in range(ORDER, 1, -1):
            grams = self.grams[k - 1]
            gain = self.counts[k - 1] * np.log(self.chances[k - 1] / (self.back[k - 1] * self.shorter(k, grams)))
            kept = (gain > WORTH) | np.isin(grams, needed)
            needed = np.unique(grams[kept] >> BITS)
            keep.insert(1, kept)
        for k, kept in enumerate(keep):
            self.grams[k], self.chances[k] = self.grams[k][kept], self.chances[k][kept]

    def weigh(self) -> None:
        """Sets falls: what the shorter sequence is multiplied by where the longer one is not there."""
        self.falls = []
        for k in range(1, ORDER):
            self.falls.append(np.ones(len(self.grams[k - 1])))
            grams = self.grams[k]
            starts, of = np.unique(grams >> BITS, return_inverse=True)
            left = 1 - np.bincount(of, self.chances[k])
            short = 1 - np.bincount(of, self.chance(k, grams & ((1 << (BITS * k)) - 1)))
            i, _ = self.at(k, starts)
            self.falls[k - 1][i] = np.clip(np.clip(left, 1e-4, 1) / np.clip(short, 1e-4, 1), 1e-4, 8)

    def chance(self, k: int, packed: np.ndarray) -> np.ndarray:
        """The probability of the last character of sequences of length k."""
        i, there = self.at(k, packed)
        if k == 1:
            return np.where(there, self.chances[0][i], 1e-7)
        before, known = self.at(k - 1, packed >> BITS)
        fall = np.where(known, self.falls[k - 2][before], 1.0)
        return np.where(there, self.chances[k - 1][i], fall * self.chance(k - 1, packed & ((1 << (BITS * (k - 1))) - 1)))


def varint(n: int) -> bytes:
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def steps(chances: np.ndarray, even: int) -> bytes:
    return np.clip(even - np.round(np.log(chances) / QUANTUM), 0, 255).astype(np.uint8).tobytes()


def pack(table: Table) -> bytes:
    """The file, as perception/ngram/file.go describes it."""
    rank = np.full(1 << BITS, -1)
    known = [int(table.grams[0][i]) for i in np.argsort(-table.chances[0]) if table.grams[0][i] != 0]
    rank[known] = np.arange(len(known))
    levels = []
    for k, grams in enumerate(table.grams, 1):
        symbols = np.stack([rank[(grams >> (BITS * (k - 1 - i))) & ((1 << BITS) - 1)] for i in range(k)], 1)
        good = (symbols >= 0).all(1)
        packed = np.zeros(int(good.sum()), np.int64)
        for i in range(k):
            packed = (packed << BITS) | symbols[good, i]
        order = np.argsort(packed)
        falls = table.falls[k - 1][good][order] if k < ORDER else None
        levels.append((packed[order], table.chances[k - 1][good][order], falls))
    children, symbols, chances, falls = bytearray(), bytearray(), bytearray(), bytearray()
    for k, (packed, chance, fall) in enumerate(levels):
        starts, last = packed >> BITS, packed & ((1 << BITS) - 1)
        first = np.append(True, starts[1:] != starts[:-1])
        for n in np.where(first, last, np.diff(last, prepend=0) - 1).tolist():
            symbols += varint(n)
        chances += steps(chance, 0)
        if fall is None:
            continue
        falls += steps(fall, 128)
        longer = levels[k + 1][0] >> BITS
        for n in (np.searchsorted(longer, packed, "right") - np.searchsorted(longer, packed, "left")).tolist():
            children += bytes([n]) if n < 255 else b"\xff" + varint(n)
    letters = "".join(charset.CHARS[c - 1] for c in known).encode()
    head = varint(ORDER) + b"".join(varint(len(packed)) for packed, _, _ in levels) + varint(len(letters)) + letters
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = squeeze.compress(bytes(head + children + symbols + chances + falls)) + squeeze.flush()
    return MAGIC + struct.pack("<I", zlib.crc32(body)) + body


def main() -> None:
    cache, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.write_bytes(pack(Table(classes(lines(cache, random.Random(7))))))


if __name__ == "__main__":
    main()
