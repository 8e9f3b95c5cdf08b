#!/usr/bin/python3
"""Draws the truth of screens over their pictures, to be looked at.

    scripts/screens/show.py DIR OUT [NAME...]

Words are red with their text above, ignored boxes blue, elements green.
"""

import json
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont


def show(folder, out, name):
    truth = json.loads((folder / f'{name}.json').read_text())
    dpr = truth['dpr']
    picture = Image.open(folder / f'{name}.png').convert('RGB')
    draw = ImageDraw.Draw(picture)
    letters = ImageFont.load_default()
    for box in truth['ignore']:
        x, y, w, h = (v * dpr for v in box)
        draw.rectangle([x, y, x + w, y + h], outline='#3060ff')
    for element in truth['els']:
        x, y, w, h = (element[k] * dpr for k in 'xywh')
        draw.rectangle([x, y, x + w, y + h], outline='#10b010')
    for word in truth['words']:
        x, y, w, h = (word[k] * dpr for k in 'xywh')
        draw.rectangle([x, y, x + w, y + h], outline='#ff2020')
        draw.text((x, y - 8), word['text'].encode('latin-1', 'replace').decode('latin-1'), fill='#ff00ff', font=letters)
    picture.save(out / f'{name}.png')


def main(folder, out, *names):
    folder, out = Path(folder), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for name in names or [f.stem for f in sorted(folder.glob('*.png'))]:
        show(folder, out, name)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
