"""Pages for a browser, which itself knows where each word stands (scripts/render-screens.mjs)."""

import html
import random
from pathlib import Path

from languages import SETTINGS

SAMPLES = Path(__file__).parent / 'samples'
THEMES = {  # ground, card, ink, faint ink, line, accent, ink on the accent
    'light': ('#f4f5f7', '#ffffff', '#1c2430', '#667085', '#d5dae1', '#2563eb', '#ffffff'),
    'dark': ('#15181d', '#1f242b', '#e6e9ee', '#98a2b3', '#343b45', '#4f8ff7', '#0b1220'),
    'contrast': ('#000000', '#000000', '#ffffff', '#ffff00', '#ffffff', '#00ffff', '#000000'),
    'sepia': ('#f3ead8', '#fbf5e8', '#43372a', '#85725a', '#d8c8ab', '#9a4b1f', '#fff8ec'),
}
BASE = '''* {{ box-sizing: border-box; margin: 0 }} html {{ --ground: {0}; --card: {1}; --ink: {2}; --faint: {3}; --line: {4}; --accent: {5}; --on: {6} }}
body {{ background: var(--ground); color: var(--ink); font: 14px/1.45 "{family}", "Noto Sans CJK SC", sans-serif; overflow: hidden; height: 100vh }}
.card {{ background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px }} .faint {{ color: var(--faint) }}
button {{ font: inherit; padding: 6px 14px; border-radius: 6px; border: 1px solid var(--line); background: var(--card); color: var(--ink) }}
button.main {{ background: var(--accent); color: var(--on); border-color: var(--accent) }}'''


def page(body, css='', size=(1100, 720), dpr=1, theme='light', family='Noto Sans', lang='en', head=''):
    style = BASE.format(*THEMES[theme], family=family) + css
    return (f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><meta name="screen" content="width={size[0]}, height={size[1]}, dpr={dpr}">'
            f'{head}<style>{style}</style><body>{body}')


def settings(lang, **look):
    title, sections, rows, buttons, note = SETTINGS[lang]
    side = ''.join(f'<a href="#" class="{"on" if i == 1 else ""}">{s}</a>' for i, s in enumerate(sections))
    table = ''.join(f'<tr><td class="faint">{k}</td><td>{v}</td></tr>' for k, v in rows)
    actions = ''.join(f'<button class="{"main" if i == 0 else ""}">{b}</button> ' for i, b in enumerate(buttons))
    css = '''body { display: grid; grid-template-columns: 210px 1fr; gap: 20px } nav { background: var(--card); border-right: 1px solid var(--line); padding: 20px 12px }
nav a { display: block; padding: 7px 12px; border-radius: 6px; color: inherit; text-decoration: none } nav a.on { background: var(--accent); color: var(--on) }
main { padding: 26px 30px 0 0 } h1 { font-size: 25px; margin-bottom: 14px } table { border-collapse: collapse; width: 100%; margin: 14px 0 } td { border: 1px solid var(--line); padding: 8px 12px }'''
    body = f'<nav>{side}</nav><main><h1>{title}</h1><div class="card"><p>{note}</p><table>{table}</table>{actions}</div></main>'
    return page(body, css, lang=lang, **{'size': (900, 560), **look})


def people():
    return ['Ada Brandt', 'Noor Vermeer', 'Luis Ortega', 'Mina Sato', 'Jonas Keller', 'Priya Nair', 'Tomasz Lis', 'Elsa Holm', 'Omar Haddad', 'Freya Dunn']


def team(**look):
    """Avatars with initials, badges with numbers, chips and key caps."""
    chance = random.Random(7)
    hues = [12, 40, 95, 150, 190, 215, 250, 285, 320, 350]
    rows = ''
    for i, name in enumerate(people()):
        initials = ''.join(part[0] for part in name.split())
        role = ['Owner', 'Editor', 'Viewer', 'Billing', 'Guest'][i % 5]
        rows += (f'<li><i style="background: hsl({hues[i]} 55% {38 + 24 * (i % 2)}%)">{initials}</i><div><b>{name}</b><br><span class="faint">{name.split()[0].lower()}@example.org</span></div>'
                 f'<span class="chip c{i % 5}">{role}</span><span class="count">{chance.randint(1, 99)}</span></li>')
    keys = ''.join(f'<p>{label} <span>{"".join(f"<kbd>{k}</kbd>" for k in combo.split())}</span></p>' for label, combo in
                   [('Search everywhere', 'Ctrl K'), ('New task', 'N'), ('Assign to me', 'A'), ('Close panel', 'Esc'), ('Next unread', 'Alt Down'), ('Show help', 'F1')])
    css = '''body { display: grid; grid-template-columns: 1fr 300px; gap: 18px; padding: 20px } ul { list-style: none; padding: 0 }
li { display: flex; align-items: center; gap: 12px; padding: 9px 4px; border-bottom: 1px solid var(--line) } li div { flex: 1; line-height: 1.25 } li .faint { font-size: 12px }
i { width: 36px; height: 36px; border-radius: 50%; color: #fff; font: 600 14px/36px inherit; font-style: normal; text-align: center; line-height: 36px }
.chip { font-size: 11px; padding: 2px 9px; border-radius: 10px; background: #d1e9ff; color: #175cd3 } .c1 { background: #d1fadf; color: #05603a } .c2 { background: #fee4e2; color: #b42318 }
.c3 { background: #fef0c7; color: #93370d } .c4 { background: #344054; color: #f2f4f7 } .count { background: #d92d20; color: #fff; border-radius: 9px; min-width: 18px; padding: 0 5px; font: 700 11px/18px inherit; font-size: 11px; text-align: center }
kbd { border: 1px solid var(--line); border-bottom-width: 3px; border-radius: 5px; padding: 1px 7px; margin-left: 4px; font: 12px "DejaVu Sans Mono" } aside p { display: flex; justify-content: space-between; padding: 6px 0 }'''
    return page(f'<section class="card"><h2>Members</h2><ul>{rows}</ul></section><aside class="card"><h2>Keys</h2>{keys}</aside>', css, **{'size': (980, 720), **look})


def wallpaper(ground, **look):
    """A desktop: labels under icons, on a picture."""
    names = ['Home', 'Trash', 'Invoices 2031', 'Holiday photos', 'tax-return.pdf', 'Meeting notes', 'Music', 'backup.tar.gz', 'Recipes', 'floor plan.svg',
             'Budget.ods', 'To do', 'Screenshots', 'letter-draft.odt', 'Network', 'Scanner inbox', 'Old projects', 'readme.txt']
    icons = ''.join(f'<figure><b style="background: hsl({i * 47 % 360} 45% 55%)"></b><figcaption>{n}</figcaption></figure>' for i, n in enumerate(names))
    grain = '''<svg width="100%" height="100%" style="position: fixed; inset: 0; z-index: -1"><filter id="f"><feTurbulence type="fractalNoise" baseFrequency=".7" numOctaves="3" seed="5"/>
<feColorMatrix values=".5 0 0 0 .05  0 .6 0 0 .1  0 0 .5 0 .05  0 0 0 0 1"/></filter><rect width="100%" height="100%" filter="url(#f)"/></svg>''' if ground == 'grain' else ''
    back = {'grain': '#345', 'smooth': 'linear-gradient(160deg, #16325c, #7a5aa6 55%, #f0a36b)', 'bright': 'radial-gradient(circle at 30% 20%, #fdf3d7, #a8d8ea 60%, #6aa9c9)'}[ground]
    ink = ('#102030', '0 0 3px #fff') if ground == 'bright' else ('#ffffff', '0 1px 2px #000, 0 0 4px #000')
    css = f'''body {{ background: {back}; z-index: 0; position: relative }} main {{ display: grid; grid-auto-flow: column; grid-template-rows: repeat(5, 112px); grid-auto-columns: 118px; padding: 14px }}
figure {{ text-align: center; color: {ink[0]}; text-shadow: {ink[1]}; font-size: 13px }} figure b {{ display: block; width: 48px; height: 48px; border-radius: 10px; margin: 8px auto 6px; border: 2px solid #fff8 }}
footer {{ position: fixed; left: 0; right: 0; bottom: 0; height: 40px; background: #10141bd0; color: #e8ecf2; display: flex; gap: 26px; align-items: center; padding: 0 16px }} footer time {{ margin-left: auto }}'''
    body = f'{grain}<main>{icons}</main><footer><span>Applications</span><span>Files</span><span>Terminal</span><span>Mail (4)</span><time>Thursday 14:27</time></footer>'
    return page(body, css, **{'size': (1000, 660), **look})


def ledger(rows=26, **look):
    """A table with all its lines drawn."""
    chance = random.Random(rows)
    heads = ['No.', 'Date', 'Account', 'Payee', 'Reference', 'Debit', 'Credit', 'Balance']
    payees = ['Harbour Bakery', 'City Transit', 'Brightwell Ltd', 'Post Office', 'Nordic Paper', 'Elm Street Garage', 'Water Board', 'Corner Books']
    balance, body = 4120.50, ''
    for n in range(rows):
        amount, credit = chance.randint(250, 98000) / 100, chance.random() < 0.3
        balance += amount if credit else -amount
        cells = [str(1041 + n), f'2031-0{n % 9 + 1}-{n % 27 + 1:02}', chance.choice(['Current', 'Savings', 'Card']), chance.choice(payees),
                 f'RF{chance.randint(10000, 99999)}', '' if credit else f'{amount:.2f}', f'{amount:.2f}' if credit else '', f'{balance:,.2f}']
        body += '<tr>' + ''.join(f'<td>{c}</td>' for c in cells) + '</tr>'
    css = '''body { padding: 10px; font-size: 13px } table { border-collapse: collapse; width: 100%; background: var(--card) } th, td { border: 1px solid var(--line); padding: 2px 6px; text-align: left }
th { background: var(--accent); color: var(--on) } td:nth-child(n+6) { text-align: right } tr:nth-child(5) { outline: 2px solid var(--accent) }'''
    return page('<table><tr>' + ''.join(f'<th>{h}</th>' for h in heads) + f'</tr>{body}</table>', css, **{'size': (1000, 640), **look})


def bars(**look):
    """Bars of function keys in two colours, and tabs."""
    def bar(names, kind):
        return f'<div class="bar {kind}">' + ''.join(f'<span><b>F{i}</b><em>{n}</em></span>' for i, n in enumerate(names, 1)) + '</div>'
    lines = ''.join(f'<p>{html.escape(line) or "&nbsp;"}</p>' for line in (SAMPLES / 'walk.txt').read_text().splitlines()[:14])
    css = '''body { font-family: "DejaVu Sans Mono"; font-size: 14px; padding: 14px } .bar { display: flex; margin: 12px 0 } .bar span { flex: 1; display: flex } em { font-style: normal; flex: 1; padding: 1px 2px }
b { padding: 1px 4px; font-weight: 400 } .blue b { background: #000; color: #fff } .blue em { background: #00a8a8; color: #000 } .grey b { background: #ddd; color: #a00 } .grey em { background: #335; color: #fff }
.red b { background: #fff; color: #000 } .red em { background: #8c1d18; color: #ffe08a } p { white-space: pre }'''
    body = (bar(['Help', 'Menu', 'View', 'Edit', 'Copy', 'Move', 'Mkdir', 'Delete', 'PullDn', 'Quit'], 'blue') + lines
            + bar(['Help', 'Setup', 'Search', 'Filter', 'Tree', 'SortBy', 'Nice', 'Signal', 'Kill', 'Quit'], 'grey')
            + bar(['Info', 'Save', 'Mark', 'Replace', 'Load', 'Rename', 'Find', 'Erase', 'Print', 'Exit'], 'red'))
    return page(body, css, **{'size': (1000, 560), **look})


def editor(sample, mode, code_theme, **look):
    """CodeMirror, with a marked line and guides of indents."""
    root = 'codemirror'
    head = (f'<link rel="stylesheet" href="{root}/lib/codemirror.css"><link rel="stylesheet" href="{root}/theme/{code_theme}.css">' if code_theme != 'default' else
            f'<link rel="stylesheet" href="{root}/lib/codemirror.css">') + f'<script src="{root}/lib/codemirror.js"></script>' + ''.join(
                f'<script src="{root}/{s}.js"></script>' for s in (f'mode/{mode}/{mode}', 'addon/selection/active-line'))
    text = (SAMPLES / sample).read_text().replace('\\', '\\\\').replace('`', '\\`').replace('${', '\\${')
    mime = {'clike': 'text/x-csrc', 'python': 'python'}[mode]
    css = '''.CodeMirror { height: 100vh; font: 14px/1.5 "DejaVu Sans Mono" } .CodeMirror-cursor { visibility: hidden }
.CodeMirror-line .cm-tab, .guide { background: linear-gradient(#8886, #8886) left / 1px 100% no-repeat }'''
    script = f'''<script>const cm = CodeMirror(document.body, {{ value: `{text}`, mode: '{mime}', theme: '{code_theme}', lineNumbers: true, styleActiveLine: true, tabSize: 4, viewportMargin: 99 }});
cm.addOverlay({{ token(s) {{ if (s.pos % 4 === 0 && s.match(/    /) && !s.string.slice(0, s.pos).trim()) return 'guide'; s.skipToEnd(); }} }});
cm.setCursor(12, 0);</script>'''
    return page(script, css.replace('.guide', '.cm-guide'), head=head, **{'size': (900, 620), **look})


PAGES = {
    'web-editor-light': ('web editor', 'en', lambda: editor('orchard.c', 'clike', 'default')),
    'web-editor-dark-1.25': ('web editor', 'en', lambda: editor('tides.py', 'python', 'dracula', dpr=1.25)),
    'web-editor-solarized-2x': ('web editor', 'en', lambda: editor('orchard.c', 'clike', 'solarized', dpr=2, size=(760, 520))),
    'web-editor-night': ('web editor', 'en', lambda: editor('tides.py', 'python', 'material-darker', family='Fira Code')),
    'web-team': ('badges', 'en', lambda: team(family='Inter')),
    'web-team-dark-1.5': ('badges', 'en', lambda: team(theme='dark', dpr=1.5, family='Roboto')),
    'web-team-sepia': ('badges', 'en', lambda: team(theme='sepia', family='Open Sans')),
    'web-desktop-smooth': ('wallpaper', 'en', lambda: wallpaper('smooth')),
    'web-desktop-grain': ('wallpaper', 'en', lambda: wallpaper('grain', family='DejaVu Sans')),
    'web-desktop-bright': ('wallpaper', 'en', lambda: wallpaper('bright', family='Open Sans')),
    'web-desktop-grain-1.5': ('wallpaper', 'en', lambda: wallpaper('grain', family='Inter', dpr=1.5, size=(860, 640))),
    'web-ledger': ('grid', 'en', lambda: ledger(family='Liberation Sans')),
    'web-ledger-dark': ('grid', 'en', lambda: ledger(22, theme='dark')),
    'web-ledger-4k': ('grid', 'en', lambda: ledger(44, dpr=2, size=(1920, 1080), family='Roboto')),
    'web-ledger-contrast-1.25': ('grid', 'en', lambda: ledger(20, theme='contrast', dpr=1.25, family='DejaVu Sans')),
    'web-bars': ('key bars', 'en', bars),
    'web-bars-2x': ('key bars', 'en', lambda: bars(dpr=2, theme='dark')),
    'web-settings-en': ('languages', 'en', lambda: settings('en', theme='contrast')),
    'web-settings-de': ('languages', 'de', lambda: settings('de')),
    'web-settings-de-dark-1.5': ('languages', 'de', lambda: settings('de', theme='dark', dpr=1.5, family='Open Sans')),
    'web-settings-fr': ('languages', 'fr', lambda: settings('fr', theme='dark', family='Inter')),
    'web-settings-fr-1.25': ('languages', 'fr', lambda: settings('fr', dpr=1.25, family='Liberation Sans')),
    'web-settings-pl': ('languages', 'pl', lambda: settings('pl', theme='sepia', family='Roboto')),
    'web-settings-pl-2x': ('languages', 'pl', lambda: settings('pl', dpr=2)),
    'web-settings-ru': ('languages', 'ru', lambda: settings('ru')),
    'web-settings-el': ('languages', 'el', lambda: settings('el', theme='dark')),
    'web-settings-zh': ('languages', 'zh', lambda: settings('zh', family='Noto Sans CJK SC')),
}
