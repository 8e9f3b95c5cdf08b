"""Terminals: what the program wrote is kept, and an emulator says what stands in which cell."""

import re
import shlex
import subprocess

import pyte
from display import settled
from words import Box, Truth, Word, has_text

# What vim and others ask of a terminal, which the emulator takes for colours.
UNKNOWN = re.compile(r'\x1b\[[>?=][0-9;]*[mcn]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\')
BOXES = re.compile('[\u2500-\u259f\ue000-\uf8ff|]')
COLOURS = {'light': ('#1a1a1a', '#ffffff'), 'dark': ('#d8d8d8', '#1d1f21'), 'contrast-dark': ('#ffffff', '#000000'),
           'contrast': ('#000000', '#ffffff'), 'solarized': ('#586e75', '#fdf6e3'), 'green': ('#33d17a', '#0c1a10')}


def xterm(shot, columns, rows, log):
    fore, back = COLOURS[shot.options.get('colours', shot.theme)]
    inner = ' '.join(shlex.quote(part) for part in shot.command)
    face = shot.options.get('face', 'DejaVu Sans Mono')
    return ['xterm', '-fa', face, '-fs', str(shot.points * shot.dpr), '-fg', fore, '-bg', back, '-cr', fore, '-b', '4', '+sb', '-bc',
            '-geometry', f'{columns}x{rows}+0+0', '-xrm', '*cursorBlink: false', '-e', 'script', '-q', '-f', '-c', inner, log]


def terminal(stage):
    """Runs a program in xterm and returns the picture and its truth."""
    shot, columns, rows = stage.shot, *stage.shot.options['cells']
    log = str(stage.home / 'written')
    process = stage.start(xterm(shot, columns, rows, log))
    settled(stage.env)
    for key in shot.keys:
        stage.press(key)
    picture = settled(stage.env)
    grid = cells(open(log, encoding='utf-8', errors='replace', newline='').read(), columns, rows)
    truth = grid_truth(grid, columns, rows, *geometry(stage.env))
    process.terminate()
    return picture, truth


def geometry(env):
    """Where the text of the terminal begins, and the size of a cell, in pixels."""
    found = subprocess.run(['xdotool', 'search', '--onlyvisible', '--class', 'xterm'], env=env, capture_output=True, text=True).stdout.split()
    hints = subprocess.run(['xprop', '-id', found[0], 'WM_NORMAL_HINTS'], env=env, capture_output=True, text=True).stdout
    where = subprocess.run(['xwininfo', '-id', found[0]], env=env, capture_output=True, text=True).stdout
    width, height = map(int, re.search(r'resize increment: (\d+) by (\d+)', hints).groups())
    x = int(re.search(r'Absolute upper-left X: +(-?\d+)', where)[1])
    y = int(re.search(r'Absolute upper-left Y: +(-?\d+)', where)[1])
    border = 4
    return x + border, y + border, width, height


def cells(written, columns, rows):
    """The emulator's screen after what a program wrote, without the lines that script adds."""
    written = re.sub(r'\AScript started[^\n]*\n', '', written)
    written = re.sub(r'\n?Script done[^\n]*\n?\Z', '', written)
    screen = pyte.Screen(columns, rows)
    pyte.Stream(screen).feed(UNKNOWN.sub('', written))
    return screen


def grid_truth(screen, columns, rows, x, y, width, height):
    """The words of the cells. A word ends where the ground's colour changes, and at lines of boxes."""
    truth = Truth()
    for row in range(rows):
        line = screen.buffer[row]
        start, text = None, ''
        for column in range(columns + 1):
            cell = line[column] if column < columns else None
            ends = cell is None or blank(cell)
            if start is not None and (ends or ground(cell) != ground(line[start])):
                box = Box(x + start * width, y + row * height, (column - start) * width, height)
                bar = '|' in (line[start - 1].data if start else '', cell.data if cell else '')  # of a meter, which reads as letters
                add(truth, text, box, (row, line[start].bold, ground(line[start])), bar or cursor_in(screen, row, start, column))
                start = None
            if not ends and start is None:
                start, text = column, ''
            if start is not None:
                text += cell.data
    return truth


def blank(cell):
    """Whether nothing that is a letter is seen in a cell."""
    hidden = cell.fg == cell.bg != 'default'
    return hidden or cell.data.isspace() or bool(BOXES.match(cell.data or ' '))


def ground(cell):
    return cell.fg if cell.reverse else cell.bg


def cursor_in(screen, row, first, last):
    return not screen.cursor.hidden and screen.cursor.y == row and first <= screen.cursor.x < last


def add(truth, text, box, phrase, doubtful):
    if doubtful:
        truth.doubt(box, text)
    elif has_text(text):
        truth.words.append(Word(text, box, phrase))
