"""What a kit is, and the free kit: components in looks that are drawn at random, which every other kit falls back to.

A kit's parts are templates of HTML. In them stand {d} for the role, the states and the attributes of the element,
{t} for its text, {i} for an icon, {c} for its content, {v} for the kit's word for a variant, {on}, {off} and {bad} for
the classes of what is selected, disabled and wrong, {x} for a button that closes, {n} for a share in percent.
"""

import dataclasses
import random
import re
from collections.abc import Callable

VARIANTS = ("primary", "default", "text", "danger")


@dataclasses.dataclass(frozen=True)
class Kit:
    name: str
    css: tuple[str, ...] = ()  # style sheets, below CACHE/kits/node_modules
    js: tuple[str, ...] = ()  # scripts, loaded before the page's end; modules end in .mjs or .esm.js
    parts: dict = dataclasses.field(default_factory=dict)  # templates by component, or lists of them to choose from
    variants: dict = dataclasses.field(default_factory=dict)  # the kit's words for VARIANTS
    on: str = "active"
    off: str = "disabled"
    bad: str = "is-invalid"
    dark: str = ""  # attributes of <html> for dark pages; none if the kit has no dark pages
    body: str = ""  # classes of <body>
    head: str = ""
    tail: str = ""  # HTML after the page, as a script that starts a framework
    more: str = ""  # style sheet of our own
    accents: tuple[str, ...] = ()  # the kit's main colours, for what falls back to the free kit
    font: bool = True  # whether the page's typeface is put over the kit's for some pages
    phone: float = 0.12  # share of pages in a phone's size
    light: str = ""  # attributes of <html> for light pages
    themes: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # the names that {light} and {dark} stand for there
    ground: str = ""  # the colour that the kit's pages have
    always_dark: bool = False


FREE = {
    "button": '<button type="button" class="w-btn w-{v} {on} {off}" {d}>{i}{t}</button>',
    "iconbutton": '<button type="button" class="w-ib {on} {off}" {d}>{i}</button>',
    "field": '<input class="w-in {bad}" {d}>',
    "iconfield": '<span class="w-in w-inw {bad}" {d}>{i}<input class="w-bare" {a}>{c}</span>',
    "area": '<textarea class="w-in {bad}" rows="{n}" {d}>{t}</textarea>',
    "select": ['<select class="w-in w-se" {d}><option>{t}</option></select>', '<div class="w-in w-combo {off}" {d}><span>{t}</span>{i}</div>'],
    "check": '<label class="w-ck"><input type="checkbox" class="w-cb" {d}>{t}</label>',
    "radio": '<label class="w-ck"><input type="radio" class="w-rd" {d}>{t}</label>',
    "switch": '<label class="w-ck"><input type="checkbox" class="w-sw" {d}>{t}</label>',
    "slider": ['<span class="w-sl" {d} data-surface="u,b"><u></u><i style="width:{n}%"></i><b style="left:{n}%"></b></span>', '<input type="range" class="w-range" value="{n}" {d}>'],
    "progress": '<div class="w-pg" {d}><i style="width:{n}%"></i></div>',
    "tabs": '<div class="w-tabs">{c}</div>',
    "tab": '<div class="w-tab {on} {off}" {d}>{i}{t}{c}</div>',
    "segments": '<div class="w-seg" data-role="panel">{c}</div>',
    "segment": '<div class="w-sg {on} {off}" {d}>{i}{t}</div>',
    "nav": '<div class="w-nav">{c}</div>',
    "navitem": '<a class="w-ni {on} {off}" {d}>{i}<span class="w-grow">{t}</span>{c}</a>',
    "list": '<div class="w-list" data-role="panel">{c}</div>',
    "listitem": '<div class="w-li {on} {off}" {d}>{c}</div>',
    "menu": '<div class="w-menu" {d}>{c}</div>',
    "menuitem": '<div class="w-mi {on} {off}" {d}>{i}<span class="w-grow">{t}</span>{c}</div>',
    "menuline": '<div class="w-ml"></div>',
    "table": '<table class="w-table">{c}</table>',
    "card": '<div class="w-card" {d}>{c}</div>',
    "dialog": '<div class="w-dlg" {d}><div class="w-dh"><h3 style="flex:1">{t}</h3>{x}</div><div class="w-db">{c}</div><div class="w-df">{f}</div></div>',
    "badge": '<span class="w-badge w-{v}" {d}>{t}</span>',
    "chip": '<span class="w-chip {on}" {d}>{i}{t}{x}</span>',
    "alert": '<div class="w-alert" {d}>{i}<div class="w-grow">{t}</div>{x}</div>',
    "tip": '<div class="w-tip" {d}>{t}</div>',
    "pages": '<div class="w-pages">{c}</div>',
    "page": '<a class="w-pi {on} {off}" {d}>{t}{i}</a>',
    "crumbs": '<div class="w-bc">{c}</div>',
    "crumb": '<a href="#" {d}>{t}</a><span class="w-mute">{sep}</span>',
    "link": '<a href="#" {d}>{t}</a>',
    "label": '<label class="w-lb">{t}</label>',
}


def fill(template: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda f: values.get(f[1], ""), template)


@dataclasses.dataclass
class Theme:
    """The colours and measures of a page; lengths are CSS pixels."""

    dark: bool
    bg: str
    surface: str
    raised: str
    ink: str
    mute: str
    line: str
    accent: str
    soft: str  # the accent's tint for what is selected
    on_accent: str
    size: float
    radius: float
    pad: float


def _hsl(h, s, l, a=None):
    return f"hsl({h:.0f} {s:.0f}% {l:.0f}%{'' if a is None else f' / {a:.2f}'})"


def theme(r: random.Random, dark: bool, accents: tuple[str, ...] = ()) -> Theme:
    """Colours at random: neutral, tinted or of high contrast."""
    k, h = r.random(), r.randrange(360)
    tint = 0 if k < 0.45 else r.choice([4, 8, 14, 25]) if k < 0.85 else r.choice([30, 45, 60])
    hue = r.choice([0, 25, 45, 58, 90, 140, 175, 200, 212, 225, 245, 262, 285, 325, 350, h])
    sat, lum = r.choice([35, 55, 70, 85, 100]), r.choice([30, 38, 45, 52, 58]) + (8 if dark else 0)
    if dark:
        b = r.choice([0, 4, 8, 11, 14, 18, 24])
        layers = [_hsl(h, tint, b), _hsl(h, tint, b + r.choice([0, 3, 4, 6])), _hsl(h, tint, b + r.choice([4, 7, 10]))]
        ink, mute, line = _hsl(h, tint / 3, r.choice([82, 88, 94, 100])), _hsl(h, tint / 3, r.choice([45, 55, 65, 72])), _hsl(h, tint, b + r.choice([5, 8, 12, 20, 35]))
        soft = f"color-mix(in srgb, {_hsl(hue, sat, lum)} {r.choice([14, 22, 35])}%, {layers[1]})"
    else:
        b = r.choice([100, 100, 98, 97, 95, 92, 88])
        layers = [_hsl(h, tint, b), _hsl(h, tint, min(100, b + r.choice([-4, -2, 0, 2, 5]))), _hsl(h, tint, min(100, b + r.choice([0, 2, 8])))]
        ink, mute, line = _hsl(h, tint, r.choice([0, 8, 14, 20, 28])), _hsl(h, tint / 2, r.choice([35, 45, 52, 60])), _hsl(h, tint, b - r.choice([5, 8, 11, 16, 28, 50]))
        soft = f"color-mix(in srgb, {_hsl(hue, sat, lum)} {r.choice([8, 12, 18, 30])}%, {layers[1]})"
    accent = r.choice(accents) if accents and r.random() < 0.7 else _hsl(hue, sat, lum)
    pale = hue in range(40, 100) or lum > 55
    if r.random() < 0.15:
        soft = _hsl(h, tint, b + (8 if dark else -7))
    return Theme(
        dark, *layers, ink, mute, line, accent, soft, "#111" if pale else "#fff", r.choice([11, 12, 12, 13, 13, 14, 14, 14, 15, 16, 16, 18]),
        r.choice([0, 0, 2, 3, 4, 4, 6, 8, 10, 14, 20]), r.choice([2, 3, 4, 5, 6, 7, 8, 10, 12]),
    )


def sheet(r: random.Random, t: Theme) -> str:
    """The free kit's style sheet, in a look at random."""
    bw = r.choice([0, 1, 1, 1, 1, 1.5, 2, 3])
    rad, small = t.radius, min(t.radius, 6)
    shadow = r.choice(["none", "none", "0 1px 2px #0003", "0 2px 6px #0003", "0 4px 14px #0004", f"{bw + 1}px {bw + 1}px 0 {t.line}", "0 0 0 1px #0002"])
    big = r.choice(["0 8px 30px #0005", "0 4px 12px #0004", "0 1px 3px #0006", f"0 0 0 1px {t.line}", f"4px 4px 0 {t.line}"])
    flat = r.random()
    button = (
        f"background:{t.raised};border:{max(1, bw)}px solid {t.line}" if flat < 0.45 else f"background:{t.line};border:{bw}px solid transparent" if flat < 0.7
        else f"background:linear-gradient({t.raised},{t.surface});border:1px solid {t.line}" if flat < 0.85 else f"background:none;border:{max(1, bw)}px solid {t.ink}"
    )
    primary = r.choice([f"background:{t.accent};color:{t.on_accent};border-color:transparent"] * 3 + [
        f"background:linear-gradient(color-mix(in srgb,{t.accent},#fff 22%),{t.accent});color:{t.on_accent};border-color:{t.accent}",
        f"background:none;color:{t.accent};border:{max(1, bw)}px solid {t.accent}", f"background:{t.soft};color:{t.ink};border-color:transparent",
        f"background:{t.ink};color:{t.bg};border-color:{t.ink}",
    ])
    field = r.choice([f"background:{t.raised};border:{max(1, bw)}px solid {t.line}"] * 4 + [
        f"background:{t.line};border:0", f"background:none;border:0;border-bottom:{max(1, bw)}px solid {t.mute};border-radius:0;padding-left:2px",
        f"background:{t.raised};border:1px solid {t.mute};box-shadow:inset 0 1px 3px #0003",
    ])
    radius = r.choice([f"{rad}px"] * 4 + ["99px", f"{rad * 1.5}px"])
    tick = "url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='none' stroke='white' stroke-width='2.2' d='M3.5 8.5l3 3 6-7'/%3E%3C/svg%3E\")"
    c = r.choice([12, 13, 14, 16, 16, 18, 20])
    native = r.random() < 0.25
    box = (
        f".w-cb,.w-rd{{accent-color:{t.accent};width:{c}px;height:{c}px}}" if native else
        f".w-cb,.w-rd{{appearance:none;width:{c}px;height:{c}px;border:{r.choice([1, 1, 1.5, 2])}px solid {r.choice([t.line, t.mute, t.mute, t.ink])};background:{r.choice(['none', t.raised])};border-radius:{r.choice([0, 2, 3, 4, 5])}px}}"
        f".w-rd{{border-radius:50%}}.w-cb:checked{{background:{t.accent} {tick} center/90% no-repeat;border-color:{t.accent}}}.w-cb:indeterminate{{background:linear-gradient({t.accent},{t.accent}) center/60% 2px no-repeat}}"
        f".w-rd:checked{{border-color:{t.accent};background:radial-gradient({t.accent} {r.choice([38, 45, 52])}%,transparent {r.choice([54, 56])}%)}}.w-cb:disabled,.w-rd:disabled{{opacity:.45}}"
    )
    h = r.choice([12, 14, 16, 18, 20, 22, 24, 28])
    w, gap = round(h * r.choice([1.6, 1.75, 2, 2.2])), r.choice([1, 2, 2, 3])
    thumb = r.choice(["#fff", "#fff", t.raised, t.ink])
    off = t.mute if t.line == t.bg else r.choice([t.line, t.mute])
    select = r.choice([f"background:{t.soft}", f"background:{t.soft};color:{t.accent};font-weight:600", f"background:{t.accent};color:{t.on_accent}", f"background:{t.line}", f"box-shadow:inset 3px 0 0 {t.accent};font-weight:600", f"color:{t.accent}"])
    tab = r.choice([
        f"box-shadow:inset 0 -{r.choice([2, 3])}px 0 {t.accent};color:{r.choice([t.ink, t.accent])}", f"background:{t.raised};border:1px solid {t.line};border-bottom-color:{t.raised}", f"background:{t.soft};border-radius:{small}px",
        f"background:{t.accent};color:{t.on_accent};border-radius:{small}px", "font-weight:700", f"box-shadow:inset 0 2px 0 {t.accent};background:{t.raised}",
    ])
    rows = r.choice([f"border-bottom:1px solid {t.line}", f"border:1px solid {t.line}", "", f"border-bottom:1px solid {t.line}"])
    py, px = t.pad * 0.75, t.pad * r.choice([1, 1.5, 2, 2.4])
    ib = r.choice([t.size + 8, t.size + 12, t.size + 16, t.size + 22])
    ibs = r.choice(["background:none;border:0"] * 4 + [f"background:none;border:1px solid {t.line}", f"background:{t.raised};border:1px solid {t.line}", f"background:{t.line};border:0"])
    tipbg = r.choice([("#222", "#fff"), (t.ink, t.bg), (t.raised, t.ink), ("#ffffe1", "#111")])
    return f"""
.w-btn{{{button};border-radius:{radius};padding:{py:.1f}px {px:.1f}px;color:{t.ink};font:inherit;font-weight:{r.choice([400, 400, 500, 600, 700])};box-shadow:{shadow};display:inline-flex;align-items:center;justify-content:center;gap:.45em;white-space:nowrap;line-height:1.35;flex:none{';text-transform:uppercase;letter-spacing:.04em' if r.random() < 0.08 else ''}}}
.w-btn.w-primary{{{primary}}}.w-btn.w-text{{background:none;border-color:transparent;box-shadow:none;color:{t.accent}}}.w-btn.w-danger{{background:{r.choice(['#d33', '#c62828', '#e5484d'])};color:#fff;border-color:transparent}}
.w-btn:disabled{{opacity:{r.choice([.35, .45, .6])}}}.w-btn.w-on{{{select}}}
.w-ib{{{ibs};width:{ib}px;height:{ib}px;border-radius:{r.choice([rad, small, 99])}px;display:inline-flex;align-items:center;justify-content:center;color:{r.choice([t.ink, t.ink, t.mute])};padding:0;flex:none;font-size:{t.size + r.choice([0, 2, 4, 6])}px}}.w-ib:disabled{{opacity:.35}}.w-ib.w-on{{{select if 'inset' not in select else 'background:' + t.soft}}}
.w-in{{{field};color:{t.ink};font:inherit;padding:{py:.1f}px {t.pad + 3:.1f}px;border-radius:{min(rad, 14) if radius != '99px' else 14}px;min-width:0;width:100%;box-sizing:border-box;line-height:1.35}}textarea.w-in{{resize:none}}.w-in::placeholder,.w-bare::placeholder{{color:{t.mute};opacity:1}}
.w-in:focus,.w-inw:focus-within{{outline:{r.choice([1, 2, 3])}px solid {t.accent};outline-offset:{r.choice([-1, 0, 1])}px}}.w-in.w-bad{{border-color:#d22}}.w-in:disabled{{opacity:.5}}
.w-inw,.w-combo{{display:flex;align-items:center;gap:.5em}}.w-combo span{{flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}}.L .w-bare,.L .w-bare:focus{{border:0!important;background:none!important;outline:0!important;box-shadow:none!important;font:inherit;color:inherit;flex:1;min-width:0;padding:0!important;margin:0!important;width:100%;height:auto!important;min-height:0!important}}.w-combo.w-off{{opacity:.45}}
.w-ck{{display:inline-flex;align-items:center;gap:.5em}}.w-ck input{{margin:0;flex:none}}{box}
.w-sw{{appearance:none;width:{w}px;height:{h}px;border-radius:{r.choice([99, 99, 99, 3])}px;background:{off};position:relative}}.w-sw::before{{content:"";position:absolute;left:{gap}px;top:{gap}px;width:{h - 2 * gap}px;height:{h - 2 * gap}px;border-radius:inherit;background:{thumb};box-shadow:0 1px 2px #0005}}.w-sw:checked{{background:{t.accent}}}.w-sw:checked::before{{left:auto;right:{gap}px}}.w-sw:disabled{{opacity:.4}}
.w-sl{{display:inline-block;position:relative;width:100%;height:{(s := r.choice([10, 12, 14, 16, 20]))}px;min-width:50px}}.w-sl u,.w-sl i{{position:absolute;left:0;top:50%;height:{(g := r.choice([2, 3, 4, 6, 8]))}px;margin-top:-{g / 2}px;border-radius:9px;background:{off};width:100%}}.w-sl i{{background:{t.accent}}}.w-sl b{{position:absolute;top:0;width:{s}px;height:{s}px;margin-left:-{s / 2}px;border-radius:{r.choice([50, 50, 20])}%;background:{r.choice(['#fff', t.accent, t.raised])};border:{r.choice([0, 1, 2])}px solid {r.choice([t.accent, t.mute])};box-sizing:border-box;box-shadow:0 1px 3px #0006}}.w-range{{accent-color:{t.accent};width:100%;margin:0}}
.w-pg{{height:{r.choice([2, 3, 4, 6, 8, 12, 16])}px;background:{t.line};border-radius:{r.choice([0, 9])}px;overflow:hidden;width:100%}}.w-pg i{{display:block;height:100%;background:{t.accent}}}
.w-tabs{{display:flex;gap:{r.choice([0, 0, 2, 8])}px;border-bottom:{r.choice([0, 1, 1])}px solid {t.line};overflow:hidden}}.w-tab{{padding:{t.pad}px {t.pad * 1.8}px;white-space:nowrap;display:flex;align-items:center;gap:.45em;color:{t.mute}}}.w-tab.w-on{{color:{t.ink};{tab}}}
.w-seg{{display:inline-flex;border:{max(1, bw)}px solid {t.line};border-radius:{rad}px;overflow:hidden;background:{r.choice([t.line, t.surface])};padding:{r.choice([0, 0, 2, 3])}px}}.w-sg{{padding:{py * 0.8}px {t.pad * 1.5}px;display:flex;gap:.4em;align-items:center;white-space:nowrap;border-radius:{max(0, rad - 3)}px}}.w-sg.w-on{{{r.choice([f'background:{t.accent};color:{t.on_accent}', f'background:{t.raised};box-shadow:0 1px 3px #0003', f'background:{t.soft};color:{t.accent}', f'background:{t.bg};font-weight:600'])}}}
.w-nav{{display:flex;flex-direction:column;gap:{r.choice([0, 0, 1, 2, 4])}px}}.w-ni,.w-mi{{display:flex;align-items:center;gap:{r.choice([.4, .6, .8, 1])}em;padding:{t.pad * r.choice([.5, .7, .9])}px {t.pad * 1.4}px;border-radius:{r.choice([0, small, small, 99])}px;white-space:nowrap;color:{t.ink};overflow:hidden;text-decoration:none}}.w-ni.w-on,.w-mi.w-on,.w-li.w-on{{{select}}}.w-ni.w-off,.w-mi.w-off,.w-tab.w-off,.w-sg.w-off{{opacity:.4}}
.w-list{{border:{bw}px solid {t.line};border-radius:{rad}px;background:{t.surface};overflow:hidden}}.w-li{{padding:{t.pad}px {t.pad * 1.5}px;display:flex;align-items:center;gap:.8em;{rows if 'bottom' in rows else ''}}}
.w-menu{{background:{t.raised};border:{r.choice([0, 1, 1])}px solid {t.line};border-radius:{min(rad, 12)}px;box-shadow:{big};padding:{r.choice([0, 2, 4, 6])}px {r.choice([0, 0, 4])}px;min-width:150px;color:{t.ink}}}.w-ml{{height:1px;background:{t.line};margin:4px 0}}
.w-table{{border-collapse:collapse;width:100%;{r.choice(['', f'background:{t.surface}', f'border:1px solid {t.line}'])}}}.w-table td,.w-table th{{padding:{t.pad * r.choice([.4, .7, 1])}px {t.pad + 2}px;text-align:left;{rows};white-space:nowrap;overflow:hidden;text-overflow:ellipsis;max-width:260px}}.w-table th{{{r.choice([f'color:{t.mute};font-weight:500', f'background:{t.line}', 'font-weight:700', f'color:{t.mute};font-size:.85em;text-transform:uppercase'])}}}{r.choice(['', '', f'.w-table tr:nth-child(even) td{{background:{t.surface}}}'])}tr.w-on td{{background:{t.soft}}}
.w-card{{background:{t.surface};border:{bw}px solid {t.line};border-radius:{rad}px;padding:{t.pad * 1.8}px;box-shadow:{shadow};min-width:0}}
.w-dlg{{background:{t.raised};border:{r.choice([0, 1])}px solid {t.line};border-radius:{rad}px;box-shadow:{big};color:{t.ink};display:flex;flex-direction:column;width:100%}}.w-dh{{display:flex;align-items:center;padding:{t.pad * 1.5}px {t.pad * 2}px;{r.choice(['', f'border-bottom:1px solid {t.line}', f'background:{t.surface}'])}}}.w-dh h3{{margin:0}}.w-db{{padding:{t.pad}px {t.pad * 2}px;overflow:hidden;min-height:0}}.w-df{{display:flex;gap:8px;justify-content:{r.choice(['flex-end', 'flex-end', 'flex-start', 'center'])};padding:{t.pad * 1.5}px {t.pad * 2}px;{r.choice(['', f'border-top:1px solid {t.line}'])}}}
.w-badge{{background:{r.choice([t.line, t.soft, t.accent])};color:{t.ink};font-size:{r.choice([.68, .75, .85])}em;padding:.1em .55em;border-radius:{r.choice([3, 99, 99])}px;white-space:nowrap;line-height:1.5;flex:none;display:inline-block}}.w-badge.w-primary{{background:{t.accent};color:{t.on_accent}}}.w-badge.w-danger{{background:#d33;color:#fff}}.w-badge.w-text{{background:none;border:1px solid {t.mute};color:{t.mute}}}
.w-chip{{display:inline-flex;align-items:center;gap:.35em;padding:.2em .75em;border-radius:{r.choice([99, 99, small])}px;{r.choice([f'border:1px solid {t.line}', f'background:{t.line}', f'background:{t.soft};color:{t.accent}'])};white-space:nowrap}}.w-chip.w-on{{background:{t.accent};color:{t.on_accent}}}
.w-alert{{display:flex;align-items:flex-start;gap:.7em;padding:{t.pad * 1.2}px {t.pad * 1.5}px;border-radius:{rad}px;background:{r.choice([t.soft, t.raised, '#fde7b0', '#d7ecff'])};border:{r.choice([0, 1])}px solid {t.line};{r.choice(['', f'border-left:4px solid {t.accent}'])}}}
.w-tip{{background:{tipbg[0]};color:{tipbg[1]};padding:3px 8px;border-radius:{small}px;font-size:.88em;box-shadow:0 2px 6px #0004;white-space:nowrap;width:max-content}}
.w-pages{{display:flex;gap:{r.choice([0, 2, 4])}px;align-items:center}}.w-pi{{min-width:1.2em;padding:{py * .7}px {t.pad}px;text-align:center;border-radius:{small}px;{r.choice(['', f'border:1px solid {t.line}'])};color:{t.ink};display:inline-flex;justify-content:center;text-decoration:none}}.w-pi.w-on{{background:{t.accent};color:{t.on_accent}}}.w-pi.w-off{{opacity:.4}}
.w-bc{{display:flex;gap:.5em;align-items:center;white-space:nowrap}}.w-mute,.w-muted{{color:{t.mute}}}.w-lb{{display:block;margin-bottom:3px;{r.choice(['', 'font-weight:600', f'color:{t.mute};font-size:.9em'])}}}.w-grow{{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis}}
.w-av{{border-radius:{r.choice([50, 50, 50, 22, 8])}%;display:inline-flex;align-items:center;justify-content:center;flex:none;object-fit:cover;font-weight:600;overflow:hidden}}"""


def page_css(t: Theme, family: str, link: str) -> str:
    """What holds for pages of all kits: their layout, and texts that belong to no component."""
    return f"""*{{box-sizing:border-box}}html,body{{height:100%;margin:0}}html{{overflow:hidden!important}}body{{overflow:hidden;scrollbar-width:auto}}
.L{{color:{t.ink};background:{t.bg};font-size:{t.size}px;line-height:1.4;height:100vh;overflow:hidden;display:flex;flex-direction:column;position:relative;text-align:left}}.F,.F button,.F input,.F select,.F textarea{{font-family:{family}}}
.L .x-row{{display:flex;flex-direction:row;align-items:center;margin:0;flex-wrap:nowrap;padding:0;width:auto;max-width:none}}.L .x-col{{display:flex;flex-direction:column;min-width:0;min-height:0;padding:0;width:auto;max-width:none;margin:0}}.L .x-row>*,.L .x-col>*{{max-width:100%}}.L .x-col>*{{flex-shrink:0}}.one{{white-space:nowrap;overflow:hidden;text-overflow:ellipsis;min-width:0}}
.L h1,.L h2,.L h3,.L h4{{margin:0;padding:0}}.L svg.wi{{display:inline-block;vertical-align:-.125em}}.scroll{{overflow:auto}}.hide{{overflow:hidden}}.L p{{margin:0}}.L .pic{{object-fit:cover;display:block}}.L .full{{width:100%}}
{link}"""
