"""Screens drawn by Chromium, for validation: pages with texts whose letters' places the browser itself tells."""

import html
import json
import pathlib
import random
import re
import subprocess
import tempfile

import cv2
import numpy as np

from .draw import Letter
from .fonts import Fonts, Style
from .screens import SCALES, SIZES, Text, colours, fitting
from .texts import Texts

# For each line of each text: its letters from left to right, its baseline, and how high a capital is.
MEASURE = """
const all = [], canvas = document.createElement('canvas').getContext('2d');
for (const e of document.querySelectorAll('.t')) {
  const style = getComputedStyle(e), lines = new Map(), range = document.createRange();
  canvas.font = style.fontWeight + ' ' + style.fontSize + ' ' + style.fontFamily;
  const m = canvas.measureText('H');
  for (let i = 0; i < e.firstChild.length; i++) {
    range.setStart(e.firstChild, i); range.setEnd(e.firstChild, i + 1);
    const b = range.getBoundingClientRect();
    let key = [...lines.keys()].find((k) => Math.abs(k - b.top) < b.height / 2);
    if (key === undefined) lines.set(key = b.top, { letters: [], baseline: b.top + m.fontBoundingBoxAscent, capital: m.actualBoundingBoxAscent });
    lines.get(key).letters.push([e.firstChild.data[i], b.left, b.right]);
  }
  all.push(...lines.values());
}
document.getElementById('out').textContent = JSON.stringify(all);
"""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files", "--virtual-time-budget=3000"]


class Browser:
    """Makes one screen after another, each by two starts of Chromium."""

    def __init__(self, r: random.Random, fonts: Fonts, texts: Texts):
        self.r, self.fonts, self.texts = r, fonts, texts

    def screen(self) -> tuple[np.ndarray, list[Text]]:
        r = self.r
        with tempfile.TemporaryDirectory() as folder:
            page, shot = pathlib.Path(folder, "page.html"), pathlib.Path(folder, "page.png")
            page.write_text(self.page())
            scale = r.choice(SCALES)
            flags = [*FLAGS, f"--force-device-scale-factor={scale}", f"--window-size={r.randint(700, 1300)},{r.randint(500, 900)}"]
            flags += [f"--font-render-hinting={r.choice(['none', 'slight', 'medium', 'full'])}", f"--user-data-dir={folder}/profile"]
            run = lambda *more: subprocess.run(["chromium", *flags, *more, page.as_uri()], capture_output=True, text=True, check=True, timeout=120).stdout
            found = re.search(r'<pre id="out"[^>]*>(.*?)</pre>', run("--dump-dom"), re.S)
            run(f"--screenshot={shot}")
            picture = cv2.cvtColor(cv2.imread(str(shot)), cv2.COLOR_BGR2RGBA)
        written = [
            Text([Letter(c, a * scale, b * scale) for c, a, b in t["letters"]], t["baseline"] * scale, t["capital"] * scale)
            for t in json.loads(html.unescape(found[1]))
        ]
        return picture, written

    def page(self) -> str:
        r = self.r
        styles = [self.fonts.pick(r) for _ in range(4)]
        faces = "".join(
            f'@font-face {{ font-family: "f{i}-{k}"; src: url("{pathlib.Path(file).as_uri()}"); }}' for i, s in enumerate(styles) for k, file in enumerate(s.files)
        )
        ground, ink = colours(r)
        rows = "".join(self.row(styles, ground) for _ in range(r.randint(14, 24)))
        return (
            f"<!doctype html><meta charset=utf-8><style>{faces} body {{ margin: 8px; background: rgb({_rgb(ground)}); color: rgb({_rgb(ink)}) }}"
            " .r { display: flex; align-items: center; white-space: nowrap } pre#out { display: none }</style>"
            f"{rows}<pre id=out></pre><script>document.fonts.ready.then(() => {{ {MEASURE} }})</script>"
        )

    def row(self, styles: list[Style], ground) -> str:
        r = self.r
        i = r.randrange(len(styles))
        size = r.choice(SIZES)
        family = ", ".join(f"'f{i}-{k}'" for k in range(len(styles[i].files)))
        items = "".join(self.item(styles[i], size, ground) for _ in range(r.randint(1, 6)))
        lines = r.uniform(1.2, 2.2)
        border = "border-bottom: 1px solid #8886;" if r.random() < 0.1 else ""
        return f'<div class=r style="font: {size}px/{lines:.2f} {family}; gap: {r.randint(8, 50)}px; {border}">{items}</div>'

    def item(self, style: Style, size: int, ground) -> str:
        r = self.r
        text = next(t for t in iter(lambda: self.texts.line(r.choice([16, 32, 60])), None) if all(style.file_of(c) or c == " " for c in t))
        css = []
        if r.random() < 0.25:
            css.append(f"color: rgb({_rgb(fitting(r, ground))})")
        if r.random() < 0.3:
            own, ink = colours(r)
            css += [f"background: rgb({_rgb(own)})", f"color: rgb({_rgb(ink)})", f"padding: 0 {r.randint(3, 16)}px", f"border-radius: {r.choice([0, 3, 4, 6, 99])}px"]
        if r.random() < 0.15:
            css += ["border: 1px solid #888", f"padding: 1px {r.randint(3, 16)}px", f"border-radius: {r.choice([0, 3, 6])}px"]
        if r.random() < 0.06:
            css.append("text-decoration: underline")
        return f'<span class=t style="{"; ".join(css)}">{html.escape(text)}</span>'


def _rgb(color) -> str:
    return ", ".join(str(v) for v in color)
