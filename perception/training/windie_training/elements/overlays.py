"""What lies over a page: dialogs, menus, toasts, tooltips, pickers, palettes."""

from .page import Page


def place(p: Page, content: str, width: int, x: int | None = None, y: int | None = None, z: int = 40) -> str:
    """The content at a place of the window that is drawn at random, in CSS pixels."""
    width = min(width, p.w - 16)
    x = p.r.randint(8, max(8, p.w - width - 8)) if x is None else x
    y = p.r.randint(30, max(31, int(p.h * 0.6))) if y is None else y
    return f'<div style="position:absolute;left:{x}px;top:{y}px;width:{width}px;z-index:{z}">{content}</div>'


def backdrop(p: Page) -> str:
    colour = p.r.choice(["#0006", "#0008", "#0004", "#000a", "#fff8", "#1238", "#0003"])
    return f'<div data-backdrop style="position:absolute;inset:0;background:{colour};z-index:30{";backdrop-filter:blur(2px)" if p.chance(0.1) else ""}"></div>'


def form(p: Page, n: int) -> str:
    make = lambda: p.r.choice([
        lambda: p.labelled(p.field()), lambda: p.labelled(p.select()), lambda: p.check(), lambda: p.text("sentence"), lambda: p.labelled(p.area()), lambda: p.radios(), lambda: p.row(p.grow(p.text("title")), p.switch()), lambda: p.labelled(p.slider()),
    ])()
    return p.col(*(make() for _ in range(n)), gap=10)


def dialog(p: Page) -> str:
    content = p.r.choice([
        lambda: p.text("paragraph"), lambda: form(p, p.r.randint(2, 5)), lambda: p.row(p.icon("info", 32), p.grow(p.text("sentence")), gap=14), lambda: p.col(*(p.check() for _ in range(4))),
        lambda: p.col(p.tabs(3), form(p, 3)), lambda: p.col(p.text("sentence"), p.progress(), p.text("number")),
    ])()
    w = min(p.w - 24, p.r.choice([280, 340, 420, 500, 620]))
    shade = backdrop(p) if p.chance(0.8) else ""
    return shade + place(p, p.dialog(content), w, (p.w - w) // 2 if p.chance(0.8) else None, p.r.randint(20, max(21, p.h // 3)))


def menu(p: Page) -> str:
    w = p.r.choice([160, 190, 220, 260, 300])
    content = p.menu()
    if p.chance(0.25):
        content = p.row(content, f'<div style="margin-top:{p.r.randint(10, 90)}px;flex:1">{p.menu(p.r.randint(2, 5))}</div>', gap=0, style="align-items:flex-start")
        w *= 2
    return place(p, content, w)


def toast(p: Page) -> str:
    style = f"background:{p.theme.raised};box-shadow:0 4px 16px #0005;border-radius:{p.theme.radius}px;padding:10px 14px;border:1px solid {p.theme.line}"
    inside = p.row(p.icon("check" if p.chance(0.5) else "info", p.r.choice([14, 18, 22])), p.grow(p.text("title", False), p.text("sentence", True) if p.chance(0.4) else ""), p.button(None, "text", False) if p.chance(0.3) else "", p.tiny("close"), gap=10, role="panel", style=style)
    w = min(p.w - 16, p.r.choice([260, 320, 380]))
    content = p.alert() if p.chance(0.3) else inside
    return place(p, content, w, p.r.choice([8, p.w - w - 8, (p.w - w) // 2]), p.r.choice([8, p.h - 90]))


def tip(p: Page) -> str:
    content = p.part("tip", "tooltip", t=p.say(p.r.choice(["label", "title"])))
    return f'<div style="position:absolute;left:{p.r.randint(4, max(5, p.w - 220))}px;top:{p.r.randint(4, p.h - 40)}px;z-index:40;max-width:260px">{content}</div>'


def picker(p: Page) -> str:
    """A picker of dates."""
    t, size, at = p.theme, p.r.choice([26, 30, 34, 38]), p.r.randint(1, 28)
    head = p.row(p.tiny("left"), p.grow(f'<div style="text-align:center">{p.say("word")} {p.r.randint(1990, 2030)}</div>'), p.tiny("right"), style="padding:6px")
    days = "".join(f'<span class="w-mute" style="width:{size}px;text-align:center">{d}</span>' for d in p.r.choice(["MTWTFSS", ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]]))
    start = p.r.randint(0, 6)
    cell = lambda n: (
        f'<span style="width:{size}px"></span>' if n < 1 or n > 31 else
        f'<span {p.d("button", (["selected"] if n == at else []) + (["disabled"] if n > 28 and at % 2 else []))} style="width:{size}px;height:{size - 2}px;display:inline-flex;align-items:center;justify-content:center;border-radius:{p.r.choice([t.radius, 99]) if n == at else 4}px;'
        f'{f"background:{t.accent};color:{t.on_accent}" if n == at else "opacity:.4" if n > 28 and at % 2 else ""}">{n}</span>'
    )
    weeks = "".join(f'<div class="x-row">{"".join(cell(w * 7 + d - start + 1) for d in range(7))}</div>' for w in range(5))
    foot = p.row(p.button(None, "text", False), p.button(None, "primary", False), style="justify-content:flex-end;padding:6px") if p.chance(0.4) else ""
    return place(p, f'<div {p.d("menu")} style="background:{t.raised};border:1px solid {t.line};border-radius:{min(12, t.radius)}px;box-shadow:0 4px 18px #0004;padding:6px;width:max-content">{head}<div class="x-row">{days}</div>{weeks}{foot}</div>', size * 7 + 14)


def palette(p: Page) -> str:
    """A palette of commands."""
    t, at = p.theme, p.r.randint(0, 3)
    rows = "".join(
        f'<div {p.d("item", ["selected"] if i == at else [])} class="x-row" style="gap:10px;padding:{t.pad * .8}px 12px;{f"background:{t.soft};" if i == at else ""}border-radius:{min(6, t.radius)}px">{p.icon()}<span class="one">{p.say("title")}</span><span class="w-mute" style="margin-left:auto">{p.say("word") if p.chance(.4) else ""}</span></div>'
        for i in range(p.r.randint(4, 9))
    )
    w = min(p.w - 20, p.r.choice([420, 520, 640]))
    body = f'<div {p.d("dialog")} style="background:{t.raised};border:1px solid {t.line};border-radius:{t.radius}px;box-shadow:0 10px 40px #0006;padding:8px">{p.field("text", "search")}<div style="height:6px"></div>{rows}</div>'
    return (backdrop(p) if p.chance(0.5) else "") + place(p, body, w, (p.w - w) // 2, p.r.randint(10, 90))


def popover(p: Page) -> str:
    t = p.theme
    content = p.r.choice([lambda: p.text("sentence"), lambda: form(p, 2), lambda: p.row(p.avatar(), p.col(p.text("name", False), p.text("word", True), gap=0)), lambda: p.col(*(p.check() for _ in range(3)))])()
    return place(p, f'<div {p.d("menu")} style="background:{t.raised};border:1px solid {t.line};border-radius:{t.radius}px;box-shadow:0 6px 20px #0004;padding:12px">{content}</div>', p.r.choice([220, 280, 340]))


def overlay(p: Page) -> str:
    """One layer over a page, at times two."""
    kinds = [dialog, dialog, dialog, menu, menu, menu, toast, tip, tip, picker, palette, popover]
    return p.r.choice(kinds)(p) + (p.r.choice([toast, tip])(p) if p.chance(0.15) else "")
