"""The screens of terminals."""

from pathlib import Path

from shots import Shot
from terminal import terminal

SAMPLES = Path(__file__).parent / 'samples'


def sample(*names):
    return {name: (SAMPLES / name).read_text() for name in names}


def bash(script):
    """A shell that runs a script, then waits without a prompt of its own."""
    return ['bash', '--norc', '--noprofile', '-c', script + '; sleep 600']


def shot(name, command, cells=(100, 32), files=(), keys=(), **more):
    options = {'cells': cells, **{k: more.pop(k) for k in ('colours', 'face') if k in more}}
    return Shot(name, 'terminal', terminal, command, files=sample(*files), keys=list(keys), options=options,
                maximized=False, **{'width': 900, 'height': 640, **more})


LISTING = ('PS="\\e[1;32mmara@desk\\e[0m:\\e[1;34m~/garden\\e[0m\\$ "; . ./listing.sh; printf "$PS"; echo ls -la; '
           'ls -la --color=always --time-style=long-iso | sed "s/ root root / mara users /"; printf "$PS"; echo "du -h * | tail -4"; '
           'du -h --apparent-size * | tail -4; printf "$PS"')
GIT = ('git init -q -b main r; cd r; git config user.name Mara; git config user.email mara@example.org; export GIT_AUTHOR_DATE="2031-04-02 09:15" '
       'GIT_COMMITTER_DATE="2031-04-02 09:15"; for w in "Plant the first row" "Measure the paths" "Add a pond"; do echo "$w" >>plan; git add plan; '
       'git commit -qm "$w"; done; git switch -qc hedge; sed -i "1s/first/second/" plan; echo "Trim in June" >>plan; git commit -qam "Move the hedge"; '
       'git --no-pager log --stat --color=always --decorate -2; git --no-pager diff --color=always main hedge; git status')
DIALOG = ['bash', '-c', 'dialog --title "Install packages" --backtitle "Harbour setup 4.2" --checklist "Select what this machine will run. '
          'Press space to mark an entry." 18 62 8 web "Web server and proxy" on mail "Mail transfer agent" off print "Print server for the office" on '
          'backup "Nightly backup to tape" off clock "Time server" on mirror "Package mirror" off 2>/dev/null; sleep 600']
LINES = {'NCURSES_NO_UTF8_ACS': '1'}  # lines of boxes as characters of their own
HTOP = ['unshare', '-Urpf', '--mount-proc', 'bash', '-c', 'for t in 501 502 503 504 505 506; do sleep $t & done; exec htop -d 600']
MC = ['bash', '-c', '. ./listing.sh; cd ..; exec mc -u garden .']
VIM = ['vim', '-u', 'NONE', '-N', '+set number cursorline hlsearch noswapfile laststatus=2 ruler t_RV= bg=dark', '+syntax on', '+18', 'orchard.c']

SHOTS = [
    shot('term-ls', bash(LISTING), files=['listing.sh'], theme='dark'),
    shot('term-ls-light-2x', bash(LISTING), files=['listing.sh'], dpr=2, cells=(90, 28), width=800, height=560, face='Liberation Mono'),
    shot('term-mc', MC, files=['listing.sh'], cells=(110, 34), theme='dark', width=960),
    shot('term-mc-hidpi', MC, files=['listing.sh'], cells=(100, 30), theme='dark', dpr=1.5, face='Hack', width=960),
    shot('term-mc-menu', MC, files=['listing.sh'], cells=(100, 30), keys=['F9', 'Down'], points=11, face='Noto Sans Mono', width=960),
    shot('term-htop', HTOP, cells=(110, 30), theme='dark', face='Noto Sans Mono', width=960, keys=['F5']),
    shot('term-vim', VIM, files=['orchard.c'], cells=(90, 34), theme='dark', width=800, height=660),
    shot('term-vim-light', [*VIM[:4], VIM[4].replace('dark', 'light').replace('cursorline', 'nocursorline'), *VIM[5:]], files=['orchard.c'],
         cells=(80, 30), points=12, face='Liberation Mono', width=860, height=660),
    shot('term-nano', ['nano', '-I', '-l', 'walk.txt'], files=['walk.txt'], cells=(90, 30), theme='contrast-dark', points=11),
    shot('term-nano-de', ['nano', '-I', 'walk.txt'], files=['walk.txt'], cells=(100, 30), locale='de_DE', colours='solarized'),
    shot('term-table', bash('python3 services.py light'), files=['services.py'], cells=(96, 30), theme='dark'),
    shot('term-table-double', bash('python3 services.py double'), files=['services.py'], cells=(96, 26), colours='green', points=12, width=1060),
    shot('term-table-heavy-2x', bash('python3 services.py heavy'), files=['services.py'], cells=(92, 24), dpr=2, width=800, height=480),
    shot('term-table-ascii', bash('python3 services.py ascii'), files=['services.py'], cells=(96, 26), face='Inconsolata', points=13, colours='solarized'),
    shot('term-git', bash(GIT), cells=(96, 46), theme='dark', face='Hack', width=860, height=820),
    shot('term-dialog', DIALOG, env=LINES, cells=(84, 28), theme='dark', width=800, height=600),
    shot('term-dialog-fr', DIALOG, env=LINES, cells=(84, 28), theme='dark', width=800, height=600, locale='fr_FR', points=12, face='Liberation Mono'),
    shot('term-less-ru', bash('LC_MESSAGES=ru_RU.UTF-8 ls --help | head -40'), cells=(100, 42), locale='ru_RU', width=860, height=760),
    shot('term-help-pl', bash('date --help | head -36'), cells=(96, 38), locale='pl_PL', theme='dark', width=860, height=720),
    shot('term-help-el', bash('wget --help | head -36'), cells=(96, 38), locale='el_GR', width=860, height=720),
    shot('term-help-zh', bash('cp --help | head -34'), cells=(96, 36), locale='zh_CN', theme='dark', width=860, height=720),
]
