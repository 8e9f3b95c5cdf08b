"""The screens of PDF files."""

import csv
import html
from pathlib import Path

from languages import SETTINGS
from pdf import pdf
from shots import Shot

SAMPLES = Path(__file__).parent / 'samples'
STYLE = '@page { size: A4; margin: 18mm } body { font: 11pt/1.5 "%s" } h1 { font-size: 19pt } table { border-collapse: collapse } td { border: .5pt solid #444; padding: 2pt 7pt } .two { columns: 2 }'


def walk(family, columns=''):
    parts = (SAMPLES / 'walk.txt').read_text().split('\n\n')
    body = ''.join(f'<p>{html.escape(part)}</p>' for part in parts[1:])
    return f'<meta charset="utf-8"><style>{STYLE % family}</style><h1>{parts[0]}</h1><div class="{columns}">{body}{body if columns else ""}</div>'


def table(family):
    rows = csv.reader((SAMPLES / 'harbours.csv').read_text().splitlines())
    return f'<meta charset="utf-8"><style>{STYLE % family}</style><h1>Harbours</h1><table>' + ''.join(
        '<tr>' + ''.join(f'<td>{html.escape(c)}</td>' for c in row) + '</tr>' for row in rows) + '</table>'


def letter(lang, family):
    title, sections, rows, _, note = SETTINGS[lang]
    lines = ''.join(f'<tr><td>{k}</td><td>{v}</td></tr>' for k, v in rows)
    return f'<meta charset="utf-8"><style>{STYLE % family}</style><h1>{title}</h1><p>{note}</p><table>{lines}</table><p>{" · ".join(sections)}</p><p>{note}</p>'


def shot(name, page, per_inch=96, **more):
    return Shot(name, 'pdf', pdf, files={'page.html': page}, options={'per_inch': per_inch}, **{'width': 900, 'height': 760, **more})


SHOTS = [
    shot('pdf-walk', walk('Liberation Serif')),
    shot('pdf-walk-two-columns', walk('Noto Serif', 'two'), 110, width=1000),
    shot('pdf-walk-small', walk('Liberation Sans', 'two'), 72, width=700),
    shot('pdf-harbours', table('Open Sans'), 90),
    shot('pdf-harbours-2x', table('Liberation Serif'), 80, dpr=2, width=720, height=560),
    shot('pdf-letter-de', letter('de', 'Liberation Serif'), 100, locale='de_DE'),
    shot('pdf-letter-pl', letter('pl', 'Noto Sans'), 84, locale='pl_PL'),
    shot('pdf-letter-fr', letter('fr', 'DejaVu Serif'), 120, locale='fr_FR', width=1100),
    shot('pdf-letter-ru', letter('ru', 'DejaVu Serif'), 96, locale='ru_RU'),
]
