# /// script
# requires-python = ">=3.11"
# dependencies = ["rapidocr==3.10.0", "onnxruntime==1.32.0", "pillow"]
# ///
"""What Windie's engines and RapidOCR (PP-OCRv6, as its package has it) read of the same labelled screens, and at what cost.

    make build && uv run --script scripts/beside-rapidocr.py perception/testdata/native perception/testdata/web

--held takes the screens that nothing was tuned on. A word is read rightly if the same characters are
read in its place, its middle at most three pixels outside; marks that look alike are the same. Times are
of the processor, those of Windie with the start of its program for each screen. As RapidOCR is started once for all, and
its start is not counted, what Windie takes for a white picture is subtracted in the last column. An engine whose program is
not installed is left out.
"""

import argparse
import functools
import json
import logging
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
import unicodedata

from PIL import Image

ALIKE = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "·": ".", "•": ".", "›": ">", "»": ">", "‹": "<", "«": "<", "×": "x"})
KNOWN = re.compile(r"[\u0000-\u052f\u1e00-\u20ff]*")


def folded(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text.translate(ALIKE)))


def has_text(text: str) -> bool:
    return any(c.isalnum() for c in text)


def true_words(truth: dict) -> list[dict]:
    """The words of a screen that count: none in fields, none in scripts that not both read."""
    return [w for w in truth["words"] if not w.get("field") and has_text(w["text"]) and KNOWN.fullmatch(w["text"])]


class Score:
    """Words on screens, those read rightly, those read that are not there, and seconds of the processor."""

    def __init__(self) -> None:
        self.words = self.right = self.extra = 0
        self.seconds = 0.0
        self.start = 0.0

    def add(self, truth: dict, read: list[tuple[str, float, float]]) -> set[int]:
        """Counts what was read, as (text, x, y) of middles, and returns which true words are right."""
        read = [r for r in read if has_text(r[0])]
        used, right, scale = set(), set(), truth.get("dpr", 1)
        words = true_words(truth)
        for i, w in enumerate(words):
            for k, (text, x, y) in enumerate(read):
                inside = w["x"] * scale - 3 <= x <= (w["x"] + w["w"]) * scale + 3 and w["y"] * scale - 3 <= y <= (w["y"] + w["h"]) * scale + 3
                if k not in used and inside and folded(text) == folded(w["text"]):
                    used.add(k)
                    right.add(i)
                    break
        ignored = [(w["x"], w["y"], w["w"], w["h"]) for w in truth["words"] if w.get("field") or not KNOWN.fullmatch(w["text"])] + [tuple(b) for b in truth.get("ignore") or []]
        self.extra += sum(k not in used and not any(bx <= x / scale <= bx + bw and by <= y / scale <= by + bh for bx, by, bw, bh in ignored) for k, (_, x, y) in enumerate(read))
        self.words += len(words)
        self.right += len(right)
        return right

    def line(self, name: str, screens: int) -> str:
        each = self.seconds / max(screens, 1)
        return f"{name:20} {self.right / max(self.words, 1):7.3f} {self.right / max(self.right + self.extra, 1):10.3f} {each:16.3f} {each - self.start:14.3f}"


def by_windie(engine: str, file: pathlib.Path) -> tuple[list, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(["bin/windie", "ocr", "--json", "--ocr-engine", engine, file], capture_output=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [w for row in json.loads(out)["results"] for w in row.get("words") or []]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [(w["text"], w["bbox"]["x"] + w["bbox"]["width"] / 2, w["bbox"]["y"] + w["bbox"]["height"] / 2) for w in words], seconds


def start_of(read) -> float:
    """What a reader takes for a white picture, which has nothing to read: the median of some."""
    with tempfile.TemporaryDirectory() as folder:
        white = pathlib.Path(folder) / "white.png"
        Image.new("RGB", (64, 64), "white").save(white)
        return statistics.median(read(white)[1] for _ in range(5))


def by_rapidocr(engine, file: pathlib.Path) -> tuple[list, float]:
    before = time.process_time()
    found = engine(str(file), return_word_box=True)
    seconds = time.process_time() - before
    words = [w for line in found.word_results or () for w in line if w and w[2]]
    return [(text, sum(p[0] for p in box) / 4, sum(p[1] for p in box) / 4) for text, _, box in words], seconds


def screens_of(folder: pathlib.Path, held: bool, others: bool) -> list[tuple[dict, pathlib.Path]]:
    """The truth and the picture of each labelled screen, of those that are held, or of the others, if that is asked."""
    found = []
    for file in sorted(folder.glob("*.json")):
        truth, picture = json.loads(file.read_text()), file.with_suffix(".png")
        if "words" in truth and picture.exists() and not (held and not truth.get("held") or others and truth.get("held")):
            found.append((truth, picture))
    return found


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folders", nargs="+", type=pathlib.Path)
    p.add_argument("--held", action="store_true", help="only the screens that nothing was tuned on")
    p.add_argument("--open", action="store_true", help="only the others")
    p.add_argument("--every", type=int, default=1, help="only every so many of the screens")
    a = p.parse_args()

    from rapidocr import RapidOCR  # slow to load, and not needed for --help

    logging.disable(logging.INFO)
    engine = RapidOCR()
    readers = {f"Windie, {name}": functools.partial(by_windie, name) for name in ("windie", "tesseract") if name != "tesseract" or shutil.which(name)}
    readers["RapidOCR"] = functools.partial(by_rapidocr, engine)
    for folder in a.folders:
        scores, screens, only_ours, only_theirs = {name: Score() for name in readers}, 0, 0, 0
        for name in readers:
            if name != "RapidOCR":
                scores[name].start = start_of(readers[name])
        for truth, picture in screens_of(folder, a.held, a.open)[:: a.every]:
            screens += 1
            right = {}
            for name, read in readers.items():
                words, seconds = read(picture)
                scores[name].seconds += seconds
                right[name] = scores[name].add(truth, words)
            ours, theirs = right["Windie, windie"], right["RapidOCR"]
            only_ours += len(ours - theirs)
            only_theirs += len(theirs - ours)
        print(f"{folder}: {screens} screens, {scores['RapidOCR'].words} words; only Windie reads {only_ours}, only RapidOCR {only_theirs}")
        print(f"{'':20} {'recall':>7} {'precision':>10} {'CPU s a screen':>16} {'without start':>14}")
        for name, score in scores.items():
            print(score.line(name, screens), flush=True)


main()
