"""Viewers of PDF files: the file itself says where its words are."""

import html
import re
import subprocess

import numpy as np

from words import Box, Truth, Word, has_text

WORD = re.compile(r'<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)</word>')


def pdf(stage):
    """Shows a page in MuPDF, and returns the picture and its words."""
    file, per_inch = stage.home / 'page.pdf', stage.shot.options['per_inch'] * stage.shot.dpr
    subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', f'--print-to-pdf={file}',
                    str(stage.home / 'page.html')], env=stage.env, check=True, capture_output=True)
    stage.shot.command = ['mupdf', '-r', str(per_inch), str(file)]
    picture = stage.prepare()
    scale = per_inch / 72
    return picture, words_of(file, scale, sheet_of(np.asarray(picture), file, scale))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sheet_of(pixels, file, scale):
    """Where the page lies on the screen: it is white and of a known width, and what is around it is not."""
    width = float(re.search(r'Page size: +([\d.]+)', run('pdfinfo', str(file)))[1]) * scale
    white = (pixels == 255).all(axis=2)
    rows, columns = np.flatnonzero(white.mean(axis=1) > 0.3), np.flatnonzero(white.mean(axis=0) > 0.3)
    box = Box(int(columns[0]), int(rows[0]), int(columns[-1] - columns[0] + 1), int(rows[-1] - rows[0] + 1))
    if abs(box.w - width) > 3:
        raise ValueError(f'the page is {box.w} pixels wide; expected {width:.0f}')
    return box


def words_of(file, scale, page):
    truth = Truth()
    for number, found in enumerate(WORD.finditer(run('pdftotext', '-bbox', '-l', '1', str(file), '-'))):
        left, top, right, bottom = (float(v) * scale for v in found.groups()[:4])
        box, text = Box(page.x + left, page.y + top, right - left, bottom - top), html.unescape(found[5])
        if box.inside(page):
            if has_text(text):
                truth.words.append(Word(text, box, round(box.y)))
        else:
            truth.doubt(box.cut(page), text)
    return truth
