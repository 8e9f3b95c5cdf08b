#!/usr/bin/python3
"""Makes screens of real programs, with the truth about them.

    scripts/screens/make.py OUT [NAME...]

writes for each shot of the catalogue, or for those whose names fit a NAME as in a shell, OUT/NAME.png
and OUT/NAME.json, and what to ask about them to OUT/questions.json, all as
scripts/render-screens.mjs does. README.md says where the truth comes from.
It needs what `scripts/deps.sh native` installs.
"""

import json
import os
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import questions
from catalogue import SHOTS
from display import screen
from shots import is_held
from stage import Stage
from words import Box
from written import compress, line, lines


def css(box, dpr):
    return [v / dpr for v in box]


def label(shot, truth, size):
    """The text of NAME.json."""
    def placed(box):
        return dict(zip('xywh', css(box, shot.dpr)))
    words = [{'text': w.text, **placed(w.box)} for w in truth.words]
    els = [{**e, **placed(e.pop('box'))} for e in truth.elements]
    head = {'width': size[0] / shot.dpr, 'height': size[1] / shot.dpr, 'dpr': shot.dpr, 'kind': shot.kind, 'lang': shot.lang, 'held': shot.held}
    return (line(head)[:-1] + f',\n"words":{lines(words)},\n"ignore":{lines([css(b, shot.dpr) for b in truth.ignore])},'
            f'\n"els":{lines(els)}}}\n')


def make(shot, out):
    """Makes one screen; returns what to ask about it."""
    with screen(shot) as (env, home):
        os.environ |= {k: env[k] for k in ('DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'HOME', 'FONTCONFIG_FILE')}
        stage = Stage(shot, env, home)
        try:
            picture, truth = shot.truth(stage)
        finally:
            stage.close()
    truth.drop_outside(Box(0, 0, *picture.size))
    truth.drop_ignored()
    truth.ignore += truth.blind
    asked = questions.ask(shot.name, truth, shot.lang)
    file = out / f'{shot.name}.png'
    picture.save(file)
    compress(file)
    (out / f'{shot.name}.json').write_text(label(shot, truth, picture.size))
    print(f'{shot.name}: {len(truth.words)} words, {len(truth.ignore)} ignored, {len(asked)} questions', flush=True)
    return asked


def in_child(shot, out):
    """Makes one screen in a process of its own: a program that hangs, or its bus, does not harm the next."""
    result = subprocess.run([sys.executable, __file__, '--one', str(out), shot.name], timeout=240, check=False)
    return result.returncode == 0


def merge(out):
    """Joins what was asked of each screen, in the order of the names."""
    asked = []
    for file in sorted(out.glob('*.asked')):
        asked += json.loads(file.read_text())
    old = json.loads((out / 'questions.json').read_text()) if (out / 'questions.json').exists() else []
    made = {file.stem for file in out.glob('*.asked')}
    there = {file.stem for file in out.glob('*.png')}
    asked += [q for q in old if q['screen'] not in made and q['screen'] in there]
    asked.sort(key=lambda q: q['screen'])
    (out / 'questions.json').write_text(lines(asked) + '\n')
    for file in out.glob('*.asked'):
        file.unlink()


def main(arguments):
    if arguments and arguments[0] == '--list':
        for shot in SHOTS:
            print(f'{shot.kind:12} {"held" if is_held(shot.name) else "    "} {shot.name}')
        return 0
    if arguments and arguments[0] == '--one':
        out, shot = Path(arguments[1]), next(s for s in SHOTS if s.name == arguments[2])
        (out / f'{shot.name}.asked').write_text(json.dumps(make(shot, out)))
        return 0
    out, names = Path(arguments[0]).resolve(), arguments[1:]
    out.mkdir(parents=True, exist_ok=True)
    failed = []
    for shot in SHOTS:
        if names and not any(fnmatch(shot.name, name) for name in names):
            continue
        try:
            ok = in_child(shot, out) or in_child(shot, out)  # on a busy machine a program may start too late
        except subprocess.TimeoutExpired:
            ok = False
        if not ok:
            failed.append(shot.name)
    merge(out)
    if failed:
        print(f'screens: not made: {", ".join(failed)}', file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
