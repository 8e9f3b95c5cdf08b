"""A screen of its own for one program: an X server, and a home with settings."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from PIL import ImageChops, ImageGrab

OPENBOX = '''<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc"><applications>
<application type="normal"><decor>no</decor><position force="yes"><x>0</x><y>0</y></position>%s</application>
</applications></openbox_config>
'''

GTK3 = '''[Settings]
gtk-theme-name={theme}
gtk-icon-theme-name=Adwaita
gtk-font-name={family} {points}
gtk-xft-dpi={xft_dpi}
gtk-xft-antialias=1
gtk-xft-hinting=1
gtk-xft-hintstyle={hinting}
gtk-xft-rgba={subpixel}
gtk-cursor-blink=0
gtk-enable-animations=0
gtk-modules=gail:atk-bridge
'''

FONTS = '''<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include>/etc/fonts/fonts.conf</include>
<match target="font"><edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="hintstyle" mode="assign"><const>{hinting}</const></edit>
<edit name="rgba" mode="assign"><const>{subpixel}</const></edit></match></fontconfig>
'''

QT_PALETTES = {'light': 'BreezeLight', 'dark': 'BreezeDark', 'contrast': 'BreezeHighContrast'}
GTK_THEMES = {'light': 'Adwaita', 'dark': 'Adwaita-dark', 'contrast': 'HighContrast', 'contrast-dark': 'HighContrastInverse'}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def settings(home, shot):
    """Writes what makes programs look as the shot says."""
    look = {'family': shot.family, 'points': shot.points, 'hinting': 'hintslight', 'subpixel': 'none', **shot.look,
            'theme': GTK_THEMES[shot.theme], 'xft_dpi': 96 * 1024}
    write(home / '.config/gtk-3.0/settings.ini', GTK3.format(**look))
    write(home / '.config/gtk-4.0/settings.ini', GTK3.format(**look))
    write(home / 'fonts.conf', FONTS.format(**look))
    write(home / '.config/openbox/rc.xml', OPENBOX % ('<maximized>yes</maximized>' if shot.maximized else ''))
    scheme = Path(f'/usr/share/color-schemes/{QT_PALETTES.get(shot.theme, "BreezeLight")}.colors')
    colors = scheme.read_text() if scheme.exists() else ''
    write(home / '.config/kdeglobals', f'{colors}\n[General]\nfont={shot.family},{shot.points},-1,5,50,0,0,0,0,0\n'
          f'menuFont={shot.family},{shot.points},-1,5,50,0,0,0,0,0\ntoolBarFont={shot.family},{shot.points},-1,5,50,0,0,0,0,0\n'
          f'[KDE]\nwidgetStyle=breeze\nCursorBlinkRate=0\n[Icons]\nTheme={"breeze-dark" if shot.theme == "dark" else "breeze"}\n')


def environment(home, number, shot):
    """What a program of the shot gets: nothing of who runs the script but the path."""
    lang = shot.locale + '.UTF-8'
    env = {'PATH': os.environ['PATH'] + ':/usr/games', 'HOME': str(home), 'DISPLAY': f':{number}', 'LANG': lang, 'LC_ALL': lang,
           'LANGUAGE': shot.locale, 'USER': 'mara', 'LOGNAME': 'mara', 'HOSTNAME': 'desk', 'TZ': 'UTC', 'XDG_RUNTIME_DIR': str(home / 'run'),
           'XDG_CONFIG_HOME': str(home / '.config'), 'FONTCONFIG_FILE': str(home / 'fonts.conf'), 'XDG_CURRENT_DESKTOP': 'KDE' if shot.kde else 'GNOME',
           'GTK_MODULES': 'gail:atk-bridge', 'NO_AT_BRIDGE': '0', 'GSETTINGS_BACKEND': 'memory', 'GDK_BACKEND': 'x11', 'GSK_RENDERER': 'cairo',
           'QT_LINUX_ACCESSIBILITY_ALWAYS_ON': '1', 'QT_ACCESSIBILITY': '1', 'QT_QPA_PLATFORM': 'xcb', 'SAL_USE_VCLPLUGIN': 'gtk3',
           'LIBGL_ALWAYS_SOFTWARE': '1', 'QT_FONT_DPI': str(round(shot.dpi)), 'GTK_THEME': GTK_THEMES[shot.theme].replace('-dark', ':dark')}
    if shot.kde:
        env |= {'KDE_FULL_SESSION': 'true', 'KDE_SESSION_VERSION': '5', 'QT_QPA_PLATFORMTHEME': 'kde'}
    if shot.dpi != 96:
        env |= {'GDK_DPI_SCALE': str(shot.dpi / 96)}
    if shot.dpr != 1:
        env |= {'GDK_SCALE': str(int(shot.dpr)), 'QT_SCALE_FACTOR': str(shot.dpr)}
    return env | shot.env


@contextmanager
def home_of(shot):
    """An empty home that is called the same each time, as programs show its name."""
    home = Path(tempfile.gettempdir()) / 'screens' / shot.name / 'mara'
    shutil.rmtree(home.parent, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        yield home
    finally:
        shutil.rmtree(home.parent, ignore_errors=True)


@contextmanager
def screen(shot):
    """Starts what the shot's program needs, and yields its environment and the program's home."""
    with home_of(shot) as home:
        (home / 'run').mkdir(mode=0o700)
        settings(home, shot)
        read, give = os.pipe()
        size = f'{shot.width * shot.dpr:.0f}x{shot.height * shot.dpr:.0f}x24'
        server = subprocess.Popen(['Xvfb', '-displayfd', str(give), '-screen', '0', size, '-dpi', str(round(shot.dpi * shot.dpr)),
                                   '-nolisten', 'tcp', '-noreset'], pass_fds=[give], stderr=subprocess.DEVNULL)
        started = [server]
        try:
            with open(read, closefd=False) as told:
                number = int(told.readline())
            env = environment(home, number, shot)
            bus = subprocess.Popen(['dbus-daemon', '--session', '--nofork', '--print-address'], env=env, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
            started.append(bus)
            env['DBUS_SESSION_BUS_ADDRESS'] = bus.stdout.readline().strip()
            started.append(subprocess.Popen(['openbox'], env=env, stderr=subprocess.DEVNULL))
            subprocess.run(['xsetroot', '-solid', '#3a5a78'], env=env, check=False)
            subprocess.run(['xdotool', 'mousemove', '10000', '10000'], env=env, check=True)
            yield env, home
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()
            os.close(read)
            os.close(give)


def grab(env):
    return ImageGrab.grab(xdisplay=env['DISPLAY']).convert('RGB')


def changed(now, last):
    """Whether more than a caret differs, which may blink."""
    box = ImageChops.difference(now, last).getbbox()
    return box and (box[2] - box[0] > 4 or box[3] - box[1] > 60)


def settled(env, seconds=60, still=2):
    """The picture of the screen once it has not changed for a while."""
    last, since = grab(env), time.monotonic()
    end = since + seconds
    while time.monotonic() < end:
        time.sleep(0.4)
        now = grab(env)
        if changed(now, last):
            last, since = now, time.monotonic()
        elif time.monotonic() - since > still and len(now.getcolors(1 << 24)) > 8:
            return now
    last.save('/tmp/screens-restless.png')
    raise TimeoutError(f'the screen does not come to rest within {seconds} s; /tmp/screens-restless.png has its last picture')


def popups(env):
    """The boxes of menus and the like, which no window manager moves, in pixels."""
    import_ = subprocess.run(['xwininfo', '-root', '-children'], env=env, capture_output=True, text=True).stdout
    boxes = []
    for line in import_.splitlines():
        found = re.match(r'\s+(0x[0-9a-f]+) .*\s(\d+)x(\d+)\+-?\d+\+-?\d+\s+\+(-?\d+)\+(-?\d+)', line)
        if not found:
            continue
        told = subprocess.run(['xwininfo', '-id', found[1]], env=env, capture_output=True, text=True).stdout
        if 'IsViewable' in told and 'Override Redirect State: yes' in told:
            width, height, x, y = map(int, found.groups()[1:])
            if width > 20 and height > 20:
                boxes.append((x, y, width, height))
    return boxes
