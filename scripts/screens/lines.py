#!/usr/bin/python3
"""Renders lines in typefaces and with texts that the reader was not trained with, with the truth about them.

    scripts/screens/lines.py OUT [CODES]

writes into OUT, as scripts/render-screens.mjs does, 2000 or CODES serial numbers, codes, prices, paths and lines of code
on pages codes-*, and messages of programs in six languages on pages lang-*. They are the same each time. `windie eval OUT
--lines` measures how well such lines are read, `windie eval OUT` how well they are found as well.

It needs Chromium, Node, npm, apt-get and dpkg; packages are unpacked, not installed. The typefaces are those that training
holds back, from npm, locked by lines/package-lock.json. In a typeface that draws I as l and O much as 0, no code has them.
"""

import gettext
import html
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FONTS = HERE / 'lines' / 'node_modules' / '@fontsource'
TELLING = ('ibm-plex-mono', 'martian-mono')  # each character its own shape
OTHERS = ('figtree', 'hanken-grotesk', 'ibm-plex-sans', 'libre-franklin', 'nunito-sans', 'sora', 'spectral')
WIDER = ('ibm-plex-sans', 'geologica', 'alegreya-sans')  # have Cyrillic, and for Greek all but the second
CATALOGUES = ('rhythmbox-data', 'shotwell-common')  # held back by training, too
LANGUAGES = ('en', 'de', 'fr', 'pl', 'ru', 'el')
COLOURS = (('#ffffff', '#1f2328'), ('#f6f8fa', '#57606a'), ('#1e1e1e', '#d4d4d4'), ('#0d1117', '#8b949e'), ('#fffbe6', '#614700'), ('#ffffff', '#0550ae'))
CODES_A_PAGE, MESSAGES, MESSAGES_A_PAGE = 100, 90, 30
CLEAR = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
ALL = CLEAR + 'IO01'


def serial(r, letters):
    group = lambda n: ''.join(r.choice(letters) for _ in range(n))
    return r.choice((lambda: '-'.join(group(5) for _ in range(r.randint(2, 4))), lambda: group(r.randint(8, 14)), lambda: f'{group(2)}-{r.randint(1000, 99999)}/{group(3)}'))()


def code(r, letters):
    return r.choice((
        lambda: f'{r.getrandbits(160):040x}'[: r.choice((7, 8, 12, 40))],
        lambda: f'{r.getrandbits(32):08x}-{r.getrandbits(16):04x}-4{r.getrandbits(12):03x}-a{r.getrandbits(12):03x}-{r.getrandbits(48):012x}',
        lambda: ':'.join(f'{r.getrandbits(8):02X}' for _ in range(6)),
        lambda: f'0x{r.getrandbits(32):08X}',
        lambda: f'{r.randint(1, 223)}.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(1, 254)}:{r.randint(1024, 65535)}',
        lambda: f'v{r.randint(0, 20)}.{r.randint(0, 99)}.{r.randint(0, 9)}-rc{r.randint(1, 9)}',
    ))()


def price(r, letters):
    n, c = r.choice((r.randint(1, 99), r.randint(100, 9999), r.randint(10000, 9999999))), r.randint(0, 99)
    return r.choice((f'${n:,}.{c:02}', f'{n:,}.{c:02}', f'€{n}.{c:02}', f'£{n:,}.{c:02}', f'{n}.{c:02}%', f'-{n},{c:02}€', f'+{n}'))


WORDS = 'app build cache config core data docs error files home index input lib list main model node output page parser query report server session src state store table test token user util value view worker'.split()


def path(r, letters):
    parts = [r.choice(WORDS) for _ in range(r.randint(2, 5))]
    ending = r.choice(('.go', '.py', '.json', '.tar.gz', '.txt', '.log', '', '.png', '_test.ts'))
    return r.choice((lambda: '/' + '/'.join(parts) + ending, lambda: '~/' + '/'.join(parts) + ending, lambda: 'C:\\' + '\\'.join(p.title() for p in parts) + ending,
                     lambda: f'https://{parts[0]}.example.com/{parts[1]}?{parts[-1]}={r.randint(2, 999)}', lambda: './' + '-'.join(parts) + ending, lambda: f'../{parts[0]}/{parts[1]}_{r.randint(2, 99)}{ending}'))()


def source(r, letters):
    a, b, c = (r.choice(WORDS) for _ in range(3))
    n = r.randint(2, 999)
    return r.choice((f'{a}.{b}({c}[{n}]);', f'if({a}!={n}){{', f'self.{a}_{b}={c}', f'const {a}{b.title()} = {n};', f'func ({a[0]} *{b.title()}) {c.title()}() error {{', f'#include <{a}/{b}.h>',
                     f'for {a} in range({n}):', f'return {a}.{b} || {c};', f'"{a}": "{b}-{n}",', f'--{a}-{b}={c}', f'{a}[{b}] += {n} * {c}', f'// {a} {b} {c}', f'<div class="{a}-{b}">'))



def page(font_list, r, texts, columns):
    """A page of texts, with their typefaces."""
    faces = ''.join(f'<link rel="stylesheet" href="{(FONTS / f / "400.css").resolve().as_uri()}">' for f in sorted({f for f, _ in texts}))
    rows = []
    for font, text in texts:
        size = r.choice((11, 12, 12, 13, 13, 14, 15, 16, 18))
        ground, ink = r.choice(COLOURS)
        family = ' '.join({'ibm': 'IBM'}.get(p, p.title()) for p in font.split('-'))
        rows.append(f'<div style="font:{size}px \'{family}\';background:{ground};color:{ink}">{html.escape(text)}</div>')
    height = 40 + 34 * -(-len(texts) // columns)
    return (f'<!doctype html><meta charset="utf-8"><meta name="screen" content="width=1280, height={height}">{faces}'
            f'<style>body{{margin:20px;display:grid;grid-template-columns:repeat({columns},1fr);font-variant-ligatures:none}}div{{height:34px;line-height:34px;padding:0 8px;white-space:pre;overflow:hidden}}</style>{"".join(rows)}')


def codes(count):
    r = random.Random('codes')
    kinds, pages = (serial, code, price, path, source), {}
    for n in range(-(-count // CODES_A_PAGE)):
        telling, texts = n % 2 == 0, []
        for i in range(min(CODES_A_PAGE, count - n * CODES_A_PAGE)):
            font = r.choice(TELLING if telling else OTHERS)
            texts.append((font, kinds[i % len(kinds)](r, ALL if telling else CLEAR)))
        pages[f'codes-{n + 1:02}-{"telling" if telling else "others"}'] = ('en', page(TELLING if telling else OTHERS, r, texts, 2))
    return pages


def messages(lang, folder):
    """Short messages of programs in a language."""
    found = set()
    for file in sorted(folder.glob('usr/share/locale/*/LC_MESSAGES/*.mo' if lang == 'en' else f'usr/share/locale/{lang}/LC_MESSAGES/*.mo')):
        with file.open('rb') as f:
            for key, text in gettext.GNUTranslations(f)._catalog.items():
                text = key if lang == 'en' else text
                text = text[0] if isinstance(text, tuple) else text
                text = text.replace('_', '')
                if 12 <= len(text) <= 60 and text.isprintable() and '%' not in text and '<' not in text and '://' not in text:
                    found.add(text)
    return sorted(found)


def languages(folder):
    pages = {}
    for lang in LANGUAGES:
        r = random.Random(lang)
        fonts = {'ru': WIDER, 'el': (WIDER[0], WIDER[2])}.get(lang, ('figtree', 'hanken-grotesk', 'ibm-plex-sans', 'libre-franklin', 'nunito-sans', 'sora', 'spectral'))
        texts = messages(lang, folder)
        r.shuffle(texts)
        for n in range(MESSAGES // MESSAGES_A_PAGE):
            part = texts[n * MESSAGES_A_PAGE : (n + 1) * MESSAGES_A_PAGE]
            pages[f'lang-{lang}-{n + 1}'] = (lang, page(fonts, r, [(r.choice(fonts), t) for t in part], 2))
    return pages


def main(out, count):
    out = Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], cwd=HERE / 'lines', check=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run(['apt-get', '-qq', 'download', *CATALOGUES], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        for package in folder.glob('*.deb'):
            subprocess.run(['dpkg', '-x', package, folder], check=True)
        pages = codes(count) | languages(folder)
        for name, (_, text) in pages.items():
            (folder / f'{name}.html').write_text(text)
        subprocess.run(['node', HERE.parent / 'render-screens.mjs', out, *(folder / f'{name}.html' for name in pages)], check=True)
    for name, (lang, _) in pages.items():
        file = out / f'{name}.json'
        seen = json.loads(file.read_text()) | {'lang': lang, 'kind': name.rsplit('-', 1)[1] if name.startswith('codes') else lang}
        file.write_text(json.dumps(seen, ensure_ascii=False, separators=(',', ':')) + '\n')


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 2000)
