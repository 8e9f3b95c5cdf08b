"""Puts the windows of a look on a screen: one filling it, some that overlap, with menus, tooltips and notices over them."""

import random

from . import custom, gnome, macos, phones, programs, unix, windows
from .glyphs import glyph
from .kit import Kit, Tool, some_entries
from .markup import GAP, SCRIM, col, e, row, t

FAMILIES = [(4, windows.LOOKS), (4, macos.LOOKS), (3, gnome.LOOKS), (3, unix.LOOKS), (5, phones.LOOKS), (3.5, custom.LOOKS)]
SIZES = [(1920, 1080), (1600, 900), (1440, 900), (1366, 768), (1280, 800), (1280, 720), (1024, 768), (800, 600), (640, 480)]


def page(r: random.Random, material) -> tuple[str, int, int]:
    """A random screen as one HTML page, its width and its height in CSS pixels."""
    looks = r.choices([looks for _, looks in FAMILIES], [share for share, _ in FAMILIES])[0]
    kit = r.choice(looks)(r, material)
    if kit.PHONE:
        width, height = r.choice([(360, 640), (360, 740), (375, 667), (390, 844), (393, 852), (412, 915), (430, 932), (768, 1024), (800, 1180)])
        inside = phone(kit, width, height)
    else:
        width, height = r.choice(SIZES)
        scene = r.choices([alone, floating, desktop, browser, small], [4, 2, 4, 1.2, 1.5])[0]
        width, height, inside = scene(kit, width, height) if scene is small else (width, height, scene(kit, width, height))
    return f'<!doctype html><html><head><meta charset="utf-8"><style>{kit.css()} body{{width:{width}px;height:{height}px}}</style></head><body>{inside}</body></html>', width, height


def alone(k: Kit, w: int, h: int) -> str:
    """One window as large as the picture, as if it was cut out of a screen."""
    return k.window(large(k), 0, 0, w, h, "bare" if k.has(0.7) else "") + over(k, w, h)


def large(k: Kit) -> programs.Program:
    """A program that fills the room that it gets."""
    return k.r.choice([make for make in programs.DESKTOP if make not in programs.SMALL])(k)


def small(k: Kit, w: int, h: int) -> tuple[int, int, str]:
    """A small window on a picture little larger than it: its width, its height and what is on it."""
    make = k.r.choice([make for make in programs.DESKTOP if make in programs.SMALL])
    ww, hh = (round(v * k.r.uniform(1, 1.25)) for v in programs.SMALL[make])
    edge = k.r.choice([0, 0, 14, 40, 110])
    w, h = ww + 2 * edge, hh + 2 * edge
    return w, h, (back(k, w, h) if edge else "") + k.window(make(k), edge, edge, ww, hh, "" if edge else "bare")


def back(k: Kit, w: int, h: int) -> str:
    return e("", role="picture", name="wallpaper", style=f"position:absolute;inset:0;{k.wallpaper(w, h)}")


def floating(k: Kit, w: int, h: int) -> str:
    """The picture of a window on a wallpaper, on black or on white."""
    ww, hh = round(w * k.r.uniform(0.6, 0.95)), round(h * k.r.uniform(0.6, 0.95))
    return back(k, w, h) + k.window(large(k), (w - ww) / 2, (h - hh) / 2, ww, hh) + over(k, w, h)


def desktop(k: Kit, w: int, h: int) -> str:
    """A whole screen: what surrounds the windows, and one to three of them."""
    shell, (x, y, ww, hh) = k.shell(w, h)
    out = [back(k, w, h), shell]
    for i in range(k.r.choice([1, 1, 2, 2, 3])):
        make = k.r.choice(programs.DESKTOP)
        like = programs.SMALL.get(make)
        pw, ph = like or (round(ww * k.r.uniform(0.45, 0.95)), round(hh * k.r.uniform(0.5, 0.97)))
        pw, ph = min(pw, ww), min(ph, hh)
        if i == 0 and not like and k.has(0.35):
            pw, ph = ww, hh
        px = x + k.r.uniform(-0.1, 1.05) * (ww - pw) if pw < ww else x
        out.append(k.window(make(k), px, y + k.r.uniform(0, 1) * (hh - ph), pw, ph))
    return "".join(out) + over(k, w, h)


def browser(k: Kit, w: int, h: int) -> str:
    """A program inside a browser: tabs, an address, icons of extensions, bookmarks."""
    r = k.r
    tab = lambda i: e("btab", k.appicon(16, 0.2), e("grow over", t(k.say("title"))), e("wctl", glyph("close", 9), role="button", name="close", style="width:16px;height:16px"), role="tab", states="selected" if i == at else "")
    n = r.randint(1, 9)
    at = r.randrange(n)
    lights = k.window_buttons()
    strip = e("bstrip", lights if k.LIGHTS_LEFT else "", *(tab(i) for i in range(n)), k.tool(Tool("new tab", glyph="plus")), GAP, "" if k.LIGHTS_LEFT else lights, role="titlebar")
    address = k.field(f"{k.say('word').lower()}.example/{k.say('word').lower()}", icon=k.icon(13), tail=k.icon(14))
    tools = "".join(k.tool(Tool(s, glyph=s)) for s in ("back", "forward", "reload"))
    more = "".join(e("tool", k.appicon(16, 0.2) if k.has(0.4) else k.icon(16), role="button", name="extension") for _ in range(r.randint(1, 6)))
    bar = k.toolbar(row(tools, address, more, k.avatar(22), k.tool(Tool("menu", glyph=r.choice(["vdots", "menu", "dots"]))), gap=4, cls="grow"))
    marks = e("row over none", *(e("tool labelled", k.appicon(14, 0.2) if k.has(0.6) else k.icon(14), t(k.say("word")), role="button", name="bookmark") for _ in range(r.randint(3, 14))), role="toolbar", style="padding:2px 6px;gap:2px") if k.has(0.5) else ""
    p = r.choice([programs.mail, programs.dashboard, programs.chat, programs.calendar, programs.map_, programs.sheet, programs.notes, programs.network, programs.settings, programs.music])(k)
    inner = e("col fill base", k.toolbar(k.heading(p.title) + k.tools(p.tools[:6]) + GAP + k.avatar(26)) if k.has(0.6) else "", k.middle(p))
    fits = k.has(0.6)
    ww, hh = (w, h) if fits else (round(w * 0.85), round(h * 0.85))
    return ("" if fits else back(k, w, h)) + k.frame(strip + bar + marks + k.line() + inner, (w - ww) / 2, (h - hh) / 2, ww, hh, cls="bare" if fits else "") + over(k, w, h)


def over(k: Kit, w: int, h: int) -> str:
    """What comes and goes above the windows: menus, a dialog, a tooltip, notices."""
    out = []
    if k.has(0.3):
        x, y = k.r.uniform(0.05, 0.7) * w, k.r.uniform(0.03, 0.5) * h
        out.append(k.menu(some_entries(k), x, y))
        if k.has(0.3):
            out.append(k.menu(some_entries(k), x + 170, y + 40))
    if k.has(0.22):
        title, body, buttons, ww, hh = k.r.choice(programs.DIALOGS)(k)
        if ww < w and hh < h:
            out.append((SCRIM if k.has(0.3) else "") + k.dialog(title, body, buttons, k.r.uniform(0.3, 0.7) * (w - ww), k.r.uniform(0.2, 0.6) * (h - hh), ww, hh))
    if k.has(0.2):
        out.append(k.tooltip(k.say("label"), k.r.uniform(0.05, 0.8) * w, k.r.uniform(0.05, 0.9) * h))
    if k.has(0.15):
        out.append(notice(k, w, h))
    if k.has(0.08):
        undo = e("link", t(k.r.choice(["Undo", "Retry", "View"])), role="button", style="font-weight:600;color:#8ab4f8")
        close = e("wctl", glyph("close", 12), role="button", name="close", style="width:20px;height:20px") if k.has(0.5) else ""
        out.append(e("row toast", k.text(k.say("title")), undo, close, role="panel", style=f"left:50%;bottom:{k.r.randint(20, 90)}px;border-radius:{k.r.choice([4, 8, 24])}px"))
    return "".join(out)


def notice(k: Kit, w: int, h: int) -> str:
    """A notification in a corner."""
    words = col(k.text(k.say("title"), "bold"), k.text(k.say("sentence"), "dim p"), gap=2, cls="grow")
    buttons = row(*(k.button(s) for s in ("Dismiss", "Open")), gap=6) if k.has(0.4) else ""
    top = row(k.appicon(k.r.choice([24, 32, 40])), words, e("wctl", glyph("close", 11), role="button", name="close", style="width:20px;height:20px"), gap=10, style="align-items:flex-start")
    side = f"right:14px;{k.r.choice(['top:40px', 'bottom:60px'])}"
    return e("card notice", top, buttons, role="panel", acted=True, style=f"position:absolute;{side};width:{k.r.randint(280, 360)}px;z-index:42;background:var(--pop);box-shadow:0 6px 22px #0005")


def phone(k: Kit, w: int, h: int) -> str:
    return k.window(k.r.choice(programs.PHONE)(k), 0, 0, w, h, "bare") + over(k, w, h)
