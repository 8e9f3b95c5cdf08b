#!/usr/bin/python3
"""Renders pages of the kinds that are hard to read, with the truth about them.

    scripts/screens/web.py OUT CODEMIRROR

writes into OUT what scripts/render-screens.mjs does, with the kind, the
language, whether the screen is held back from tuning, and questions.
CODEMIRROR is the folder of that npm package.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import questions
from pages import PAGES
from shots import is_held
from words import Box, Truth, Word
from written import compress, line, lines

RENDER = Path(__file__).parent.parent / 'render-screens.mjs'


def finish(out, name):
    """Adds to a page's truth what only this script knows; returns the questions about it."""
    kind, lang, _ = PAGES[name]
    file = out / f'{name}.json'
    seen = json.loads(file.read_text())
    dpr = seen['dpr']
    truth = Truth([Word(w['text'], Box(*(w[k] * dpr for k in 'xywh')), round(w['y'] + w['h'] / 2)) for w in seen['words'] if not w.get('field')])
    head = {k: seen[k] for k in ('width', 'height', 'dpr')} | {'kind': kind, 'lang': lang, 'held': is_held(name)}
    lists = ',\n'.join(f'"{k}":{lines(seen[k])}' for k in ('words', 'ignore', 'els'))
    file.write_text(f'{line(head)[:-1]},\n{lists}}}\n')
    compress(out / f'{name}.png')
    return questions.ask(name, truth, lang)


def main(out, codemirror):
    out = Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / 'codemirror').symlink_to(Path(codemirror).resolve())
        for name, (_, _, make) in PAGES.items():
            (Path(folder) / f'{name}.html').write_text(make())
        subprocess.run(['node', str(RENDER), str(out), *(str(Path(folder) / f'{name}.html') for name in PAGES)], check=True)
    asked = [q for name in sorted(PAGES) for q in finish(out, name)]
    (out / 'questions.json').write_text(lines(asked) + '\n')


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
