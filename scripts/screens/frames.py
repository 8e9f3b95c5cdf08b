#!/usr/bin/python3
"""Makes screens of windows in the frames of Openbox's themes, with the place of each button of a title bar.

    scripts/screens/frames.py OUT [THEME...]

The window manager itself says where the buttons are: each is a window of the X server. Their names follow from the
order that the manager is told. A name of a screen that is held decides alone, as with other screens. It needs what
`scripts/deps.sh native` installs.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

from PIL import ImageGrab

from display import screen
from shots import Shot, is_held
from written import compress, line, lines

THEMES = Path('/usr/share/themes')
LAYOUTS = ['NLIMC', 'LIMC', 'LIC', 'NLC', 'CMIL', 'NLSIMC']
NAMES = {'N': 'Menu', 'I': 'Minimize', 'M': 'Maximize', 'C': 'Close', 'S': 'Shade'}
CONFIG = '''<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc"><theme><name>%s</name><titleLayout>%s</titleLayout></theme></openbox_config>
'''
# Programs, where their windows stand, and what they are called. The last one has the keyboard.
WINDOWS = [(['xterm', '-geometry', '62x14+40+60', '-T', 'make - work', '-e', 'sh', '-c', 'ls /usr/share; sleep 1000'], 'xterm'),
           (['galculator'], 'galculator')]


def children(env, window):
    """The windows in a window: their names for the server, and their boxes on the screen. Unseen ones are left out."""
    said = subprocess.run(['xwininfo', '-id', window, '-children'], env=env, capture_output=True, text=True, check=True).stdout
    found = re.findall(r'^\s+(0x[0-9a-f]+) .*?(\d+)x(\d+)\+-?\d+\+-?\d+\s+\+(-?\d+)\+(-?\d+)$', said, re.M)
    for name, w, h, x, y in found:
        state = subprocess.run(['xwininfo', '-id', name], env=env, capture_output=True, text=True, check=False).stdout
        if 'IsViewable' in state:
            yield name, (int(x), int(y), int(w), int(h))


def bars(env):
    """The buttons of each title bar, from left to right: squares as high as a bar, beside a text."""
    root = re.search(r'Window id: (0x[0-9a-f]+)', subprocess.run(['xwininfo', '-root'], env=env, capture_output=True, text=True, check=True).stdout)[1]
    for frame, _ in children(env, root):
        for title, place in children(env, frame):
            inside = [b for _, b in children(env, title)]
            squares = sorted(b for b in inside if abs(b[2] - b[3]) <= 3 and 8 <= b[2] <= 40 and 8 <= b[3] <= place[3])
            if place[3] < 50 and squares and any(b[2] > 60 and b[3] >= 8 for b in inside):
                yield squares


def make(theme, layout, out):
    name = 'frame-' + theme.lower().replace('_', '-')
    shot = Shot(name=name, kind='frame', truth=None, width=760, height=480, maximized=False)
    with screen(shot) as (env, home):
        config = home / '.config/openbox/rc.xml'
        config.write_text(CONFIG % (theme, layout))
        subprocess.run(['openbox', '--reconfigure'], env=env, check=True)
        started = []
        try:
            for command, _ in WINDOWS:
                started.append(subprocess.Popen(command, env=env, cwd=home, stderr=subprocess.DEVNULL))
                time.sleep(3)
            for kind, x, y in (('xterm', 30, 40), ('galculator', 330, 190)):
                subprocess.run(['xdotool', 'search', '--onlyvisible', '--class', kind, 'windowmove', str(x), str(y)], env=env, check=True,
                               stdout=subprocess.DEVNULL)
            time.sleep(2)
            picture, els, letters = ImageGrab.grab(xdisplay=env['DISPLAY']).convert('RGB'), [], [c for c in layout if c != 'L']
            found = list(bars(env))
        finally:
            for process in started:
                process.terminate()
                process.wait()
    for squares in found:
        if len(squares) != len(letters):
            raise ValueError(f'{name}: {len(squares)} buttons of {layout}: {squares}')
        els += [{'tag': 'button', 'type': '', 'role': 'button', 'text': NAMES[c], 'cls': 'title', **dict(zip('xywh', b))} for c, b in zip(letters, squares)]
    if len(found) != len(WINDOWS):
        raise ValueError(f'{name}: {len(found)} title bars of {len(WINDOWS)} windows')
    picture.save(out / f'{name}.png')
    compress(out / f'{name}.png')
    head = {'width': picture.width, 'height': picture.height, 'dpr': 1, 'kind': 'frame', 'lang': 'en', 'held': is_held(name), 'partly': True}
    (out / f'{name}.json').write_text(f'{line(head)[:-1]},\n"words":[],\n"ignore":[],\n"els":{lines(els)}}}\n')
    print(f'{name}: {len(els)} buttons', flush=True)


def main(arguments):
    out = Path(arguments[0]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    themes = sorted(p.parent.parent.name for p in THEMES.glob('*/openbox-3/themerc'))
    failed = False
    for n, theme in enumerate(themes):
        if len(arguments) > 1 and theme not in arguments[1:]:
            continue
        try:
            make(theme, LAYOUTS[n % len(LAYOUTS)], out)
        except (ValueError, subprocess.CalledProcessError) as error:
            print(error, file=sys.stderr)
            failed = True
    return failed


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
