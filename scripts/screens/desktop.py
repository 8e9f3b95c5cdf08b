"""The screens of programs with widgets."""

from pathlib import Path

from shots import Shot
from widgets import widgets

SAMPLES = Path(__file__).parent / 'samples'


def sample(*names):
    return {f'papers/{name}': (SAMPLES / name).read_text() for name in names}


def shot(name, kind, command, files=(), keys=(), **more):
    options = {k: more.pop(k) for k in ('skip', 'scale', 'blind', 'partly') if k in more}
    return Shot(name, kind, widgets, command, files={**sample(*files), **more.pop('write', {})}, keys=list(keys), options=options, **more)


CODE = ['orchard.c', 'tides.py', 'walk.txt']
PAPERS = [*CODE, 'budget.csv', 'services.py', 'listing.sh']

LINGUIST6, LINGUIST5 = '/usr/lib/qt6/bin/linguist', '/usr/lib/qt5/bin/linguist'

SHOTS = [
    shot('edit-geany', 'editor', ['geany', '-i', 'HOME/papers/orchard.c', 'HOME/papers/tides.py'], CODE),
    shot('edit-geany-dark', 'editor', ['geany', '-i', 'HOME/papers/tides.py'], CODE, theme='dark', family='Noto Sans', keys=['ctrl+g', 'type 14', 'Return']),
    shot('edit-geany-fr-1.25', 'editor', ['geany', '-i', 'HOME/papers/walk.txt'], CODE, locale='fr_FR', dpi=120, width=1200),
    shot('edit-mousepad', 'editor', ['mousepad', 'HOME/papers/walk.txt'], CODE, family='Noto Sans', width=800, height=600),
    shot('edit-mousepad-menu-de', 'editor', ['mousepad', 'HOME/papers/tides.py'], CODE, ['alt+b'], locale='de_DE', width=800, height=600),
    shot('edit-mousepad-contrast', 'editor', ['mousepad', 'HOME/papers/tides.py'], CODE, theme='contrast-dark', points=12, width=900, height=640),
    shot('edit-gedit-2x', 'editor', ['gedit', 'HOME/papers/orchard.c'], CODE, dpr=2, family='Cantarell', points=11, width=760, height=520),
    shot('files-thunar', 'files', ['thunar', 'HOME/papers'], PAPERS, ['ctrl+2'], width=900, height=600, family='Noto Sans'),
    shot('files-thunar-ru', 'files', ['thunar', 'HOME/papers'], PAPERS, ['ctrl+2'], width=900, height=600, locale='ru_RU'),
    shot('files-pcmanfm', 'files', ['pcmanfm', 'HOME/papers'], PAPERS, width=900, height=600),
    shot('files-pcmanfm-pl', 'files', ['pcmanfm', 'HOME/papers'], PAPERS, ['ctrl+4'], width=900, height=600, locale='pl_PL', family='Noto Sans'),
    shot('files-dolphin', 'files', ['dolphin', 'HOME/papers'], PAPERS, kde=True, family='Noto Sans', width=900, height=600, partly=True),
    shot('files-pcmanfm-qt', 'files', ['pcmanfm-qt', 'HOME/papers'], PAPERS, family='Noto Sans', width=900, height=600, partly=True),
    shot('gtk3-calculator', 'gtk3', ['galculator'], width=520, height=420),
    shot('gtk3-calculator-dark-2x', 'gtk3', ['galculator'], width=520, height=420, dpr=2, theme='dark', family='Noto Sans'),
    shot('gtk3-torrent', 'gtk3', ['transmission-gtk'], ['walk.txt'], ['alt+e', 'Up', 'Return'], width=900, height=620),
    shot('gtk3-torrent-el', 'gtk3', ['transmission-gtk'], ['walk.txt'], ['alt+e', 'Up', 'Return'], width=900, height=620, locale='el_GR'),
    shot('gtk3-archive-menu', 'gtk3', ['xarchiver'], [], ['alt+a'], width=800, height=560, family='Noto Sans'),
    shot('gtk3-demo', 'gtk3', ['gtk3-demo'], width=900, height=640, family='Cantarell', points=11),
    shot('qt5-keepass', 'qt', ['keepassxc'], family='Noto Sans', width=900, height=640),
    shot('qt5-speedcrunch', 'qt', ['speedcrunch'], width=800, height=560),
    shot('qt5-linguist-1.5', 'qt', [LINGUIST5], width=900, height=600, dpr=1.5),
    shot('qt6-linguist', 'qt', [LINGUIST6], width=1000, height=680),
    shot('qt6-linguist-menu', 'qt', [LINGUIST6], [], ['alt+e'], width=1000, height=680, family='Noto Sans'),
]
