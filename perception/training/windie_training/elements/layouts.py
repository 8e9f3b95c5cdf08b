"""Arrangements of whole programs and sites; each takes a Page and returns the HTML of its body."""

from .overlays import form
from .page import Page


def titlebar(p: Page) -> str:
    t = p.r
    controls = [p.tiny(k) for k in ("minus", "square", "close")]
    dots = "".join(f'<span {p.d("button")} style="width:12px;height:12px;border-radius:6px;background:{c}"></span>' for c in ("#ff5f57", "#febc2e", "#28c840"))
    title = f'<span class="one" style="{p.r.choice(["flex:1", "flex:1;text-align:center"])}">{p.say("title")}</span>'
    inside = [dots, title] if t.random() < 0.3 else [p.icon() if p.chance(0.5) else p.coloured(16), title, *controls]
    return p.bar(*inside, role="titlebar", gap=t.choice([6, 8, 12]))


def menubar(p: Page) -> str:
    on = p.r.randint(0, 20)
    pad = p.r.choice(["2px 6px", "3px 8px", "4px 10px"])
    entries = "".join(f'<span {p.d("item", ["expanded"] if i == on else [])} style="padding:{pad};border-radius:4px;white-space:nowrap;{f"background:{p.theme.soft}" if i == on else ""}">{p.say("word")}</span>' for i in range(p.r.randint(4, 9)))
    return p.row(entries, gap=p.r.choice([0, 2, 6]), style=f"padding:2px 6px;flex:none;overflow:hidden;background:{p.r.choice([p.theme.bg, p.theme.surface])}")


def line(p: Page) -> str:
    """The line between groups of tools."""
    return f'<span style="width:1px;height:18px;background:{p.theme.line};flex:none;margin:0 3px"></span>'


def tools(p: Page, n: int) -> list[str]:
    out = []
    for _ in range(n):
        k = p.r.random()
        out.append(p.iconbutton() if k < 0.7 else line(p) if k < 0.82 else p.button() if k < 0.89 else f'<div style="width:{p.r.randint(70, 130)}px;flex:none">{p.select()}</div>' if k < 0.94 else p.segments(3, True))
    return out


def appbar(p: Page) -> str:
    """The bar at the top of a site or a web application."""
    brand = p.row(p.coloured(22) if p.chance(0.4) else p.icon(None, 22), f'<b class="one">{p.say("word")}</b>', gap=8, style="flex:none")
    links = [f'<a href="#" {p.d("link", ["selected"] if i == 0 else [])} style="color:inherit;white-space:nowrap;{"font-weight:600" if i == 0 else "opacity:.8"}">{p.say("word")}</a>' for i in range(p.r.randint(2, 5))]
    search = f'<div style="width:{p.r.randint(130, 320)}px;min-width:60px;flex:0 1 auto">{p.field("text", "search")}</div>'
    end = [p.iconbutton("bell", [], badge=p.chance(0.4)), p.iconbutton() if p.chance(0.5) else "", p.avatar(p.r.choice([24, 28, 32])), p.button(None, "primary") if p.chance(0.4) else ""]
    middle = links if p.w > 900 and p.chance(0.7) else []
    return p.bar(brand, *middle, '<span style="flex:1"></span>', search if p.chance(0.6) and p.w > 620 else "", *end, role="titlebar" if p.chance(0.5) else "toolbar", gap=p.r.choice([10, 14, 20]), style="padding-top:8px;padding-bottom:8px")


def table(p: Page, rows: int, check: bool | None = None) -> str:
    r = p.r
    check = p.chance(0.5) if check is None else check
    kinds = [r.choice(["label", "name", "date", "number", "path", "title", "badge", "link", "switch", "avatar", "progress", "icon"]) for _ in range(r.randint(3, max(3, min(8, p.w // 150))))]
    actions = p.chance(0.5)

    def cell(kind: str) -> str:
        made = {
            "badge": lambda: p.badge(), "link": lambda: p.link(), "switch": lambda: p.switch(), "avatar": lambda: p.row(p.avatar(24), f'<span class="one">{p.say("name")}</span>'), "progress": lambda: f'<div style="width:80px">{p.progress()}</div>', "icon": lambda: p.icon(),
        }.get(kind, lambda: p.say(kind))()
        return f'<td {p.d("cell")}{" style=text-align:right" if kind == "number" else ""}>{made}</td>'

    sort = r.randint(0, 5)
    head = "".join(f'<th {p.d("cell")}>{p.say("word")}{" " + p.icon("sort", 11) if i == sort or p.chance(0.1) else ""}</th>' for i in range(len(kinds)))
    box = lambda: f'<td {p.d("cell")} style="width:30px">{p.check("")}</td>' if check else ""
    acts = lambda: f'<td {p.d("cell")}><div class="x-row" style="gap:2px">{r.choice([lambda: p.iconbutton("more", []), lambda: p.iconbutton("edit", []) + p.iconbutton("trash", []), lambda: p.button(None, None, False), lambda: p.link()])()}</div></td>' if actions else ""
    body = ""
    for _ in range(rows):
        on = p.chance(0.07)
        body += f'<tr {p.d("row", ["selected"] if on else [])} class="{"w-on" if on else ""}">{box()}{"".join(map(cell, kinds))}{acts()}</tr>'
    return p.part("table", "", c=f'<thead><tr {p.d("row")}>{box()}{head}{f"<th {p.d(chr(99) + chr(101) + chr(108) + chr(108))}></th>" if actions else ""}</tr></thead><tbody>{body}</tbody>')


def statusbar(p: Page) -> str:
    cells = [p.r.choice([lambda: p.text("word", True), lambda: p.text("number", True), lambda: p.row(p.icon(None, 12), p.text("word", True), gap=4), lambda: f'<div style="width:90px">{p.progress()}</div>', lambda: f'<div style="width:90px">{p.slider()}</div>'])() for _ in range(p.r.randint(2, 6))]
    return p.bar(*cells, gap=14, style=f"font-size:{max(10, p.theme.size - 2)}px;white-space:nowrap;border-top:1px solid {p.theme.line};border-bottom:0")


def shell(p: Page) -> str:
    """A program with bars, a tree and a list."""
    r = p.r
    top = "".join([titlebar(p) if p.chance(0.7) else "", menubar(p) if p.chance(0.7) else "", p.bar(*tools(p, r.randint(6, 18))), p.bar(*tools(p, r.randint(4, 14))) if p.chance(0.3) else ""])
    left = p.side(p.heading(4, "word") if p.chance(0.4) else "", p.tree(r.randint(8, 30)) if p.chance(0.6) else p.nav(r.randint(6, 18)), width=r.randint(150, 260))
    main = r.choice([lambda: table(p, r.randint(6, 28)), lambda: file_grid(p, r.randint(12, 40)), lambda: form(p, 8), lambda: canvas(p)])()
    right = p.side(properties(p), width=r.randint(180, 260), end=True) if p.w > 1000 and p.chance(0.5) else ""
    tabs = p.tabs(r.randint(2, 6), close=p.chance(0.5)) if p.chance(0.4) else ""
    return top + p.row(left, p.splitter() if p.chance(0.3) else "", p.col(tabs, f'<div style="flex:1;min-height:0;position:relative;overflow:{r.choice(["auto", "hidden", "scroll"])};padding:{r.choice([0, 8])}px">{main}</div>', gap=0, style="flex:1;align-self:stretch"), right, gap=0, style="flex:1;min-height:0;align-items:stretch") + (statusbar(p) if p.chance(0.6) else "")


def canvas(p: Page) -> str:
    return p.picture(f"width:{p.r.randint(50, 90)}%;height:{p.r.randint(50, 85)}%;margin:4%")


def properties(p: Page) -> str:
    """A panel of properties: small fields with labels beside them."""
    short = lambda: f'<div style="flex:1;min-width:0">{p.field("number")}</div>'
    make = lambda: p.r.choice([
        lambda: p.row(f'<span style="width:52px;flex:none" class="one w-mute">{p.say("word")}</span>', short()), lambda: p.row(short(), short(), gap=6), lambda: p.row(p.grow(p.select()), p.iconbutton()), lambda: p.check(), lambda: p.row(p.grow(p.slider()), p.text("number", True)),
        lambda: p.segments(3, True), lambda: p.heading(4, "word"), lambda: p.row(*(p.iconbutton() for _ in range(4)), gap=2), lambda: p.row(f'<span {p.d("button")} style="width:20px;height:20px;flex:none;border:1px solid #8888;background:hsl({p.r.randrange(360)} 70% 50%)"></span>', p.grow(p.field("text")), p.tiny("eye")),
        lambda: f'<hr style="width:100%;border:0;border-top:1px solid {p.theme.line};margin:2px 0">', lambda: p.row(p.grow(p.text("word")), p.switch()),
    ])()
    return p.col(*(make() for _ in range(p.r.randint(8, 18))), gap=p.r.choice([4, 6, 9]))


def setting(p: Page) -> str:
    control = p.r.choice([lambda: p.switch(), lambda: p.switch(), lambda: f'<div style="width:140px">{p.select()}</div>', lambda: p.button(None, None), lambda: p.icon("right", 14), lambda: f'<div style="width:130px">{p.slider()}</div>', lambda: p.segments(), lambda: p.check(""), lambda: f'<div style="width:110px">{p.field()}</div>', lambda: p.text("word", True)])()
    icon = p.icon(None, p.r.choice([16, 20, 24])) if p.chance(0.4) else ""
    return icon + p.grow(p.text(p.r.choice(["label", "title"]), False), p.text("sentence", True, f"font-size:.88em") if p.chance(0.45) else "") + f'<div style="flex:none">{control}</div>'


def setting_list(p: Page, n: int) -> str:
    item = p.chance(0.4)
    rows = [p.part("listitem", "item", c=setting(p)) if item else f'<div class="x-row" style="gap:12px;padding:{p.theme.pad}px {p.theme.pad * 1.4}px;border-bottom:1px solid {p.theme.line}">{setting(p)}</div>' for _ in range(n)]
    return p.part("list", "panel", c="".join(rows)) if item else p.card("".join(rows))


def settings(p: Page) -> str:
    r = p.r
    left = p.side(p.field("text", "search") if p.chance(0.5) else "", p.nav(r.randint(6, 16)), width=r.randint(170, 270))
    groups = [p.heading(3) + setting_list(p, r.randint(2, 6)) for _ in range(r.randint(2, 4))]
    main = p.col(p.crumbs() if p.chance(0.3) else "", p.heading(1, "label"), *groups, p.row(p.button(), p.button(None, "primary")), gap=r.choice([8, 12, 18]), style=f"flex:1;padding:{r.choice([12, 20, 30])}px;overflow:{r.choice(['hidden', 'auto'])};align-self:stretch")
    return (appbar(p) if p.chance(0.5) else titlebar(p)) + p.row(left, main, gap=0, style="flex:1;min-height:0;align-items:stretch")


def forms(p: Page) -> str:
    r = p.r
    columns = 1 if p.w < 760 else r.choice([1, 2, 2, 3])
    cols = [p.col(p.heading(3), form(p, r.randint(4, 9)), gap=12, style="flex:1") for _ in range(columns)]
    inner = p.col(p.crumbs() if p.chance(0.4) else "", p.heading(1), p.alert() if p.chance(0.4) else "", p.tabs() if p.chance(0.4) else "", p.row(*cols, gap=24, style="align-items:flex-start"), p.row(*(p.button() for _ in range(r.randint(1, 4)))), gap=14)
    body = p.card(inner) if p.chance(0.5) else inner
    return (appbar(p) if p.chance(0.7) else "") + f'<div style="flex:1;min-height:0;overflow:{r.choice(["auto", "hidden"])};padding:{r.choice([10, 20, 40])}px">{body}</div>'


def admin(p: Page) -> str:
    r = p.r
    head = p.row(p.heading(2), '<span style="flex:1"></span>', p.button(None, "default"), p.button(None, "primary", "add"))
    bar = p.row(f'<div style="width:{r.randint(140, 260)}px">{p.field("text", "search")}</div>', p.button(None, "default", True), p.segments() if p.chance(0.4) else "", *(p.chip() for _ in range(r.randint(0, 3))), '<span style="flex:1"></span>', p.iconbutton(), p.iconbutton("more"), style="overflow:hidden")
    grid = table(p, r.randint(5, 22))
    foot = p.row(p.text("number", True), '<span style="flex:1"></span>', p.pages())
    body = p.col(p.crumbs() if p.chance(0.4) else "", head, p.tabs() if p.chance(0.5) else "", bar, p.card(f'<div style="overflow:auto">{grid}</div>') if p.chance(0.5) else f'<div style="overflow:{r.choice(["auto", "hidden"])};min-height:0;flex:0 1 auto">{grid}</div>', foot, gap=12, style=f"flex:1;padding:{r.choice([8, 16, 24])}px;overflow:hidden")
    left = p.side(p.nav(r.randint(5, 14)), width=r.randint(150, 240)) if p.w > 760 and p.chance(0.7) else ""
    return appbar(p) + p.row(left, body, gap=0, style="flex:1;min-height:0;align-items:stretch")


def dashboard(p: Page) -> str:
    r = p.r
    stat = lambda: p.card(p.row(p.grow(p.text("label", True), f'<div style="font-size:{r.choice([20, 26, 32])}px;font-weight:600">{p.say("number")}</div>'), r.choice([lambda: p.icon(None, 28), lambda: p.badge(), lambda: p.iconbutton("more", [])])()), p.chart(h=30) if p.chance(0.3) else "", style="flex:1")
    big = lambda: p.card(p.row(p.heading(4), '<span style="flex:1"></span>', r.choice([lambda: p.segments(), lambda: p.iconbutton("more"), lambda: f'<div style="width:120px">{p.select()}</div>'])()), '<div style="height:8px"></div>', r.choice([lambda: p.chart(h=r.randint(120, 240)), lambda: table(p, r.randint(3, 6)), lambda: feed(p, 4), lambda: p.col(*(p.col(p.text("label"), p.progress(), gap=3) for _ in range(4)))])(), style="flex:1;min-width:0")
    n = max(1, p.w // 280)
    rows = [p.row(*(stat() for _ in range(min(4, n))), gap=12, style="align-items:stretch")] + [p.row(*(big() for _ in range(max(1, min(3, n - 1)))), gap=12, style="align-items:stretch") for _ in range(3)]
    body = p.col(p.row(p.heading(1, "label"), '<span style="flex:1"></span>', p.segments() if p.chance(0.5) else "", p.button()), *rows, gap=12, style=f"flex:1;padding:{r.choice([10, 18, 28])}px;overflow:hidden")
    left = p.side(p.nav(r.randint(5, 12)), width=r.choice([56, 180, 220])) if p.w > 800 and p.chance(0.8) else ""
    return appbar(p) + p.row(left, body, gap=0, style="flex:1;min-height:0;align-items:stretch")


def feed(p: Page, n: int) -> str:
    act = lambda: p.iconbutton("more", []) if p.chance(0.4) else p.text("date", True, "flex:none")
    return p.part("list", "panel", c="".join(p.part("listitem", "item", p.states(0, selected=0.1), c=(p.avatar() if p.chance(0.7) else p.icon(None, 20)) + p.grow(p.text("name", False, "font-weight:600"), f'<div class="one w-mute">{p.say("sentence")}</div>') + act()) for _ in range(n)))


def mail(p: Page) -> str:
    r, t = p.r, p.theme
    folders = p.side(p.button(None, "primary", "edit"), p.nav(r.randint(6, 12)), p.heading(4, "word"), p.nav(r.randint(2, 6)), width=r.randint(150, 220))
    at = r.randint(0, 8)
    dense = p.chance(0.35) or p.w < 900

    def row(i: int) -> str:
        states = (["selected"] if i == at else [])
        bold = "font-weight:700;" if p.chance(0.35) else ""
        style = f"gap:10px;padding:{t.pad}px 10px;border-bottom:1px solid {t.line};{bold}{f'background:{t.soft};' if i == at else ''}"
        lead = p.check("") + (p.tiny("star") if p.chance(0.6) else "")
        if dense:
            return f'<div {p.d("item", states)} class="x-row" style="{style}">{lead}<span class="one" style="width:130px;flex:none">{p.say("name")}</span><span class="one" style="flex:1">{p.say("title")} <span class="w-mute">{p.say("sentence")}</span></span>{p.badge() if p.chance(.15) else ""}<span style="flex:none">{p.say("date")}</span></div>'
        return f'<div {p.d("item", states)} class="x-row" style="{style}">{p.avatar(34) if p.chance(.7) else p.check("")}<div style="flex:1;min-width:0"><div class="x-row"><span class="one" style="flex:1">{p.say("name")}</span><span class="w-mute" style="flex:none;font-size:.85em">{p.say("date")}</span></div><div class="one">{p.say("title")}</div><div class="one w-mute">{p.say("sentence")}</div></div></div>'

    rows = "".join(row(i) for i in range(r.randint(8, 22)))
    rows = f'<div style="flex:1;min-height:0;overflow:{r.choice(["auto", "hidden"])};position:relative">{rows}{p.thin_scrollbar() if p.chance(.3) else ""}</div>'
    middle = p.col(p.bar(p.field("text", "search")) if p.chance(0.5) else p.bar(p.check("") if p.chance(0.5) else "", *tools(p, 5)), rows, gap=0, style=f"{'flex:1' if dense else f'width:{r.randint(260, 360)}px;flex:none'};border-right:1px solid {t.line};align-self:stretch")
    letter = "" if dense else p.col(p.bar(*tools(p, 8)), p.col(p.heading(2), p.row(p.avatar(), p.col(p.text("name", False), p.text("date", True), gap=0), '<span style="flex:1"></span>', p.iconbutton("star"), p.iconbutton("more")), *(p.text("paragraph", False) for _ in range(r.randint(1, 4))), p.row(p.button(None, "default", "send"), p.button(None, "default")), gap=14, style="padding:18px"), gap=0, style="flex:1;overflow:hidden;align-self:stretch")
    return r.choice([titlebar, appbar])(p) + p.row(folders, middle, letter, gap=0, style="flex:1;min-height:0;align-items:stretch")


def file_grid(p: Page, n: int) -> str:
    size, at = p.r.choice([40, 48, 64, 80, 110]), p.r.randint(0, n)
    def one(i: int) -> str:
        thing = p.picture(f"width:{size}px;height:{size * .75}px") if p.chance(0.3) else (p.coloured(size * 0.8) if p.chance(0.5) else p.icon(p.r.choice(["folder", "file"]), size * 0.8, f"color:{p.theme.accent}"))
        on = i == at
        return f'<div {p.d("item", ["selected"] if on else [])} class="x-col" style="width:{size + 44}px;align-items:center;gap:4px;padding:6px;border-radius:{min(8, p.theme.radius)}px;{f"background:{p.theme.soft}" if on else ""}">{thing}<span class="one" style="max-width:100%">{p.say(p.r.choice(["path", "word"]))}</span></div>'
    return f'<div class="x-row" style="flex-wrap:wrap;gap:{p.r.choice([0, 6, 14])}px;padding:8px;align-items:flex-start">{"".join(one(i) for i in range(n))}</div>'


def files(p: Page) -> str:
    r = p.r
    left = p.side(p.nav(r.randint(5, 10)), p.heading(4, "word"), p.nav(r.randint(2, 5)), width=r.randint(140, 210))
    main = file_grid(p, r.randint(12, 48)) if p.chance(0.55) else table(p, r.randint(8, 26), False)
    path = p.row(p.iconbutton("left"), p.iconbutton("right", p.states(0.5)), p.grow(p.crumbs() if p.chance(0.6) else p.field("text", "folder")), p.segments(2, True), f'<div style="width:150px">{p.field("text", "search")}</div>' if p.chance(0.6) else p.iconbutton("search"))
    return titlebar(p) + (menubar(p) if p.chance(0.4) else "") + p.bar(path.replace('style="', 'style="flex:1;', 1)) + p.row(left, f'<div style="flex:1;min-width:0;overflow:{r.choice(["auto", "hidden"])};position:relative">{main}{p.thin_scrollbar() if p.chance(.3) else ""}</div>', gap=0, style="flex:1;min-height:0;align-items:stretch") + (statusbar(p) if p.chance(0.6) else "")


def messages(p: Page, n: int) -> str:
    t, out = p.theme, []
    for _ in range(n):
        mine = p.chance(0.4)
        content = p.picture("width:180px;height:110px;border-radius:8px") if p.chance(0.12) else p.say(p.r.choice(["sentence", "title", "word", "paragraph"]))
        bubble = f'<div {p.d("panel")} style="padding:{t.pad}px {t.pad * 1.6}px;border-radius:{min(18, t.radius + 4)}px;max-width:{p.r.choice([60, 70, 80])}%;{f"background:{t.accent};color:{t.on_accent}" if mine else f"background:{t.raised};border:1px solid {t.line}"}">{content}</div>'
        out.append(f'<div class="x-row" style="gap:8px;align-items:flex-end;{"flex-direction:row-reverse" if mine else ""}">{p.avatar(28) if not mine else ""}{bubble}<span class="w-mute" style="font-size:.8em;flex:none">{p.say("date") if p.chance(.3) else ""}</span></div>')
    return p.col(*out, gap=p.r.choice([6, 10, 16]), style="flex:1;padding:12px;overflow:hidden;justify-content:flex-end")


def composer(p: Page) -> str:
    return p.bar(p.iconbutton("add"), p.grow(p.field("text")), p.iconbutton() if p.chance(0.6) else "", p.iconbutton("mic") if p.chance(0.4) else "", p.iconbutton("send") if p.chance(0.7) else p.button(None, "primary", False), style=f"border-top:1px solid {p.theme.line};border-bottom:0")


def chat(p: Page) -> str:
    r = p.r
    left = p.side(p.field("text", "search"), feed(p, r.randint(5, 14)), width=r.randint(200, 300)) if p.w > 640 else ""
    head = p.bar(p.avatar(32), p.grow(p.text("name", False, "font-weight:600"), p.text("word", True, "font-size:.85em")), p.iconbutton("phone"), p.iconbutton("camera"), p.iconbutton("more"))
    return (titlebar(p) if p.chance(0.4) else "") + p.row(left, p.col(head, messages(p, r.randint(4, 14)), composer(p), gap=0, style="flex:1"), gap=0, style="flex:1;min-height:0;align-items:stretch")


def player(p: Page) -> str:
    r = p.r
    left = p.side(p.nav(r.randint(4, 8)), width=r.randint(150, 220))
    covers = [p.col(p.picture(f"width:100%;aspect-ratio:1;border-radius:{p.theme.radius}px", 0.3), f'<div class="one">{p.say("label")}</div>', f'<div class="one w-mute">{p.say("name")}</div>', gap=3, style=f"width:{r.choice([110, 140, 170])}px;flex:none") for _ in range(12)]
    main = p.col(p.heading(1, "label"), p.row(*covers, gap=14, style="flex-wrap:wrap;align-items:flex-start;max-height:56%;overflow:hidden"), table(p, 8, False), gap=12, style="flex:1;padding:16px;overflow:hidden")
    bar = p.row(p.row(p.picture("width:44px;height:44px;flex:none", 0.3), p.col(p.text("label", False), p.text("name", True), gap=0), p.tiny("heart"), style="width:230px;overflow:hidden"), p.col(p.row(*(p.iconbutton(k) for k in ("left", "play", "next")), gap=10, style="justify-content:center"), p.row(p.text("number", True), p.grow(p.slider()), p.text("number", True)), gap=4, style="flex:1"), p.row(p.iconbutton(), f'<div style="width:90px">{p.slider()}</div>'), gap=20, role="toolbar", style=f"flex:none;padding:8px 14px;background:{p.theme.raised};border-top:1px solid {p.theme.line};overflow:hidden")
    return p.row(left, main, gap=0, style="flex:1;min-height:0;align-items:stretch") + bar


def code(p: Page, n: int) -> str:
    """Lines of a program with their numbers."""
    t, r = p.theme, p.r
    colours = [f"hsl({r.randrange(360)} 60% {72 if t.dark else 35}%)" for _ in range(4)]
    start, at = r.choice([1, 1, r.randint(20, 900)]), r.randint(0, n)
    paint = lambda s: "".join(f'<span style="color:{r.choice(colours)}">{w}</span>' if r.random() < 0.35 else w for w in s.replace(" ", " \0").split("\0"))
    rows = "".join(f'<div class="x-row" style="gap:14px;white-space:pre;{f"background:{t.soft};" if i == at else ""}"><span class="w-mute" style="width:34px;text-align:right;flex:none">{start + i}</span><span>{"&nbsp;" * 2 * r.randint(0, 4)}{paint(p.say("code"))}</span></div>' for i in range(n))
    return f'<div style="font-family:{p.m.mono(r)};font-size:{r.choice([11, 12, 13, 14])}px;line-height:{r.choice([1.3, 1.45, 1.6])};flex:1;overflow:hidden;min-height:0">{rows}</div>'


def editor(p: Page) -> str:
    r, t = p.r, p.theme
    activity = p.col(*(p.iconbutton() for _ in range(r.randint(4, 8))), role="toolbar", gap=r.choice([4, 10]), style=f"padding:6px 4px;background:{r.choice([t.surface, t.line])};align-self:stretch;align-items:center") if p.chance(0.7) else ""
    tree = p.side(p.row(p.grow(p.heading(4, "word")), p.tiny("add"), p.tiny("more")), p.tree(r.randint(10, 30)), width=r.randint(150, 250))
    terminal = p.splitter(True) * p.chance(0.5) + p.col(p.row(p.tabs(r.randint(2, 4)), '<span style="flex:1"></span>', p.tiny("add"), p.tiny("trash"), p.tiny("close"), style="padding-right:8px"), f'<div style="font-family:{p.m.mono(r)};font-size:12px;padding:6px 10px;white-space:pre;overflow:hidden">{"".join(f"<div>{p.say(chr(99) + chr(111) + chr(100) + chr(101))}</div>" for _ in range(r.randint(3, 9)))}</div>', gap=0, style=f"height:{r.randint(100, 200)}px;flex:none;border-top:1px solid {t.line};{'background:#111;color:#ddd' if p.chance(.3) else ''}") if p.chance(0.6) else ""
    main = p.col(p.row(p.tabs(r.randint(2, 6), p.chance(0.4), True), '<span style="flex:1"></span>', p.iconbutton("play"), p.iconbutton("more")), p.crumbs() if p.chance(0.3) else "", code(p, 46), terminal, gap=0, style="flex:1;align-self:stretch;position:relative")
    return (titlebar(p) if p.chance(0.5) else "") + (menubar(p) if p.chance(0.5) else "") + (p.bar(*tools(p, 10)) if p.chance(0.3) else "") + p.row(activity, tree, p.splitter() if p.chance(0.2) else "", main, gap=0, style="flex:1;min-height:0;align-items:stretch") + statusbar(p)


def kanban(p: Page) -> str:
    r = p.r
    ticket = lambda: p.card(p.row(p.badge(), p.badge() if p.chance(0.4) else "", '<span style="flex:1"></span>', p.tiny("more")), p.text("title", False), p.row(p.icon(None, 13), p.text("number", True), '<span style="flex:1"></span>', p.avatar(22), style="margin-top:6px"))
    lists = [p.col(p.row(p.grow(p.heading(4, "word")), p.count(), p.tiny("add")), *(ticket() for _ in range(r.randint(2, 6))), p.button(None, "text", "add"), role="panel", gap=8, style=f"width:{r.randint(210, 270)}px;flex:none;padding:8px;background:{p.theme.surface};border-radius:{p.theme.radius}px;max-height:100%;overflow:hidden") for _ in range(6)]
    return appbar(p) + p.bar(p.heading(3), p.segments(), *(p.avatar(26) for _ in range(3)), p.button(), p.iconbutton("more")) + p.row(*lists, gap=10, style="flex:1;min-height:0;padding:12px;align-items:flex-start;overflow-x:auto;overflow-y:hidden;max-width:100vw")


def calendar(p: Page) -> str:
    r, t, at = p.r, p.theme, p.r.randint(3, 28)
    event = lambda: f'<div {p.d("badge", acted=True)} class="one" style="background:hsl({r.randrange(360)} {r.randint(40, 80)}% {r.randint(35, 80)}%);color:{r.choice(["#fff", "#000"])};border-radius:3px;padding:1px 4px;font-size:.8em">{p.say("label")}</div>'
    day = lambda n: f'<div {p.d("cell", ["selected"] if n == at else [], True)} class="x-col" style="flex:1;border:0 solid {t.line};border-width:0 1px 1px 0;padding:3px;gap:2px;overflow:hidden;{f"background:{t.soft}" if n == at else ""}"><span style="font-size:.85em">{(n - 1) % 31 + 1}</span>{p.some(0, 2, event)}</div>'
    weeks = "".join(f'<div class="x-row" style="flex:1;gap:0;align-items:stretch;min-height:0">{"".join(day(w * 7 + d + 1) for d in range(7))}</div>' for w in range(5))
    head = p.row(*(f'<span style="flex:1;padding:3px;text-align:center" class="w-mute">{d}</span>' for d in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]), gap=0)
    return appbar(p) + p.bar(p.button(None, "default", False), p.iconbutton("left"), p.iconbutton("right"), p.heading(2, "word"), '<span style="flex:1"></span>', p.segments(), p.iconbutton("gear")) + p.row(p.side(p.button(None, "primary", "add"), *(p.check() for _ in range(6)), width=180) if p.w > 800 else "", p.col(head, weeks, gap=0, style="flex:1;align-self:stretch"), gap=0, style="flex:1;min-height:0;align-items:stretch")


def login(p: Page) -> str:
    r = p.r
    w = min(p.w - 24, r.choice([280, 330, 400, 460]))
    social = [p.button(None, "default", False).replace(">", ">", 1) for _ in range(r.randint(0, 3))]
    inner = p.col(p.row(p.coloured(r.choice([32, 48])), style="justify-content:center") if p.chance(0.5) else "", p.heading(2), p.text("sentence", True), p.labelled(p.field("email", "mail" if p.chance(0.3) else None)), p.labelled(p.field("password", "eye" if p.chance(0.2) else None)), p.row(p.check(), '<span style="flex:1"></span>', p.link()), p.button(None, "primary", False), p.row(*social, wrap=True), p.row(p.text("title", True), p.link(), gap=6), gap=12)
    box = p.card(inner) if p.chance(0.7) else inner
    place = f'<div style="width:{w}px;margin:auto">{box}</div>'
    if p.w > 800 and p.chance(0.4):
        return p.row(p.picture("flex:1;height:100vh;min-width:0"), f'<div style="flex:1;display:flex">{place}</div>', gap=0, style="flex:1;align-items:stretch")
    back = f"background:url({p.m.photo(r)}) center/cover" if p.chance(0.2) else ""
    return f'<div style="flex:1;display:flex;{back}" {"data-ground=picture" if back else ""}>{place if not back else place.replace("margin:auto", f"margin:auto;background:{p.theme.bg};padding:14px")}</div>'


def review(p: Page) -> str:
    r, t = p.r, p.theme
    def hunk(n: int) -> str:
        out = []
        for i in range(n):
            k = r.choice(["", "", "+", "-"])
            c = {"+": "#2da44e33", "-": "#cf222e2b", "": "transparent"}[k]
            out.append(f'<div class="x-row" style="background:{c};gap:8px;white-space:pre"><span class="w-mute" style="width:30px;text-align:right;flex:none">{i + 40}</span><span style="width:10px;flex:none">{k}</span><span>{"&nbsp;" * 2 * r.randint(0, 3)}{p.say("code")}</span></div>')
        return f'<div style="font-family:{p.m.mono(r)};font-size:12px;overflow:hidden">{"".join(out)}</div>'
    comment = lambda: p.card(p.row(p.avatar(24), p.text("name", False), p.text("date", True), '<span style="flex:1"></span>', p.tiny("more")), p.text("sentence", False), p.row(p.field("text"), p.button(None, "primary", False), style="margin-top:6px"))
    one = lambda: p.col(p.bar(p.tiny("down"), p.grow(f'<span class="one">{p.say("path")}</span>'), p.badge("+12"), p.check(), p.iconbutton("more")), hunk(r.randint(5, 14)), comment() if p.chance(0.6) else "", gap=0, role="panel", style=f"border:1px solid {t.line};border-radius:{min(8, t.radius)}px;overflow:hidden;flex:none")
    left = p.side(p.field("text", "search"), p.tree(r.randint(8, 20)), width=r.randint(180, 260)) if p.w > 800 else ""
    return appbar(p) + p.row(left, p.col(p.heading(2), p.row(p.badge(), p.avatar(20), p.text("sentence", True)), p.tabs(4, True), one(), one(), one(), gap=12, style="flex:1;padding:14px;overflow:hidden"), gap=0, style="flex:1;min-height:0;align-items:stretch")


def article(p: Page) -> str:
    r = p.r
    para = lambda: f'<p>{p.say("paragraph")} {p.link() if p.chance(.5) else ""} {p.say("sentence")}</p>'
    parts = [r.choice([para, para, lambda: p.heading(2), lambda: p.heading(3), lambda: p.picture(f"width:{r.randint(50, 100)}%;height:{r.randint(120, 260)}px"), lambda: p.alert(), lambda: f'<ul style="margin:0;padding-left:22px">{"".join(f"<li>{p.say(chr(116) + chr(105) + chr(116) + chr(108) + chr(101))}</li>" for _ in range(4))}</ul>', lambda: table(p, 4, False), lambda: p.row(*(p.chip() for _ in range(3)), wrap=True)])() for _ in range(9)]
    main = p.col(p.crumbs() if p.chance(0.4) else "", p.heading(1), p.row(p.avatar(32), p.text("name"), p.text("date", True)), *parts, gap=14, style=f"flex:1;max-width:{r.choice([620, 720, 900])}px;padding:18px")
    left = p.side(p.nav(r.randint(6, 18), False), width=r.randint(160, 230)) if p.w > 800 and p.chance(0.6) else ""
    right = p.col(p.heading(4, "word"), *(p.link() for _ in range(r.randint(3, 8))), gap=6, style="width:180px;padding:18px;flex:none") if p.w > 1100 and p.chance(0.6) else ""
    return appbar(p) + f'<div style="flex:1;min-height:0;overflow:{r.choice(["auto", "hidden"])}">' + p.row(left, main, right, gap=0, style=f"align-items:stretch;justify-content:{r.choice(['center', 'flex-start'])}") + "</div>"


def shop(p: Page) -> str:
    r = p.r
    w = r.choice([150, 190, 240])
    item = lambda: p.card(f'<div style="position:relative">{p.picture(f"width:100%;height:{w * .7:.0f}px")}{f"<div style=position:absolute;top:4px;left:4px>{p.badge()}</div>" if p.chance(.3) else ""}{f"<div style=position:absolute;top:4px;right:4px>{p.iconbutton(chr(104) + chr(101) + chr(97) + chr(114) + chr(116))}</div>" if p.chance(.4) else ""}</div>', p.text("label", False, "font-weight:600;margin-top:6px"), p.row(*(p.icon("star", 12) for _ in range(5)), gap=1) if p.chance(0.4) else "", p.row(p.text("number", False), '<span style="flex:1"></span>', p.button(None, None, False) if p.chance(0.6) else p.iconbutton("add")))
    grid = f'<div style="display:grid;grid-template-columns:repeat(auto-fill,minmax({w}px,1fr));gap:{r.choice([6, 12, 20])}px">{"".join(item() for _ in range(12))}</div>'
    filters = p.side(*(p.heading(4, "word") + p.col(*(p.check() for _ in range(r.randint(2, 5))), gap=5) for _ in range(3)), p.slider(), p.row(p.field("number"), p.field("number")), width=r.randint(160, 220)) if p.w > 760 else ""
    return appbar(p) + p.row(filters, p.col(p.row(p.heading(2), '<span style="flex:1"></span>', f'<div style="width:140px">{p.select()}</div>', p.segments(2, True)), p.row(*(p.chip() for _ in range(4)), wrap=True), grid, p.pages(), gap=12, style="flex:1;padding:14px;overflow:hidden"), gap=0, style="flex:1;min-height:0;align-items:stretch")


def zoo(p: Page) -> str:
    """Components of all kinds in no order."""
    r = p.r
    make = lambda: r.choice([
        lambda: p.button(), lambda: p.button(), lambda: p.iconbutton(), lambda: p.iconbutton(), lambda: p.row(*(p.iconbutton() for _ in range(5)), gap=r.choice([0, 3, 8])), lambda: p.check(), lambda: p.check(), lambda: p.radios(), lambda: p.switch(p.say()), lambda: f'<div style="width:{r.randint(90, 260)}px">{p.slider()}</div>',
        lambda: f'<div style="width:{r.randint(90, 260)}px">{p.field()}</div>', lambda: f'<div style="width:{r.randint(120, 260)}px">{p.field("text", "search")}</div>', lambda: f'<div style="width:{r.randint(100, 220)}px">{p.select()}</div>', lambda: p.badge(), lambda: p.chip(), lambda: p.avatar(), lambda: p.icon(None, r.choice([11, 14, 16, 20, 24, 32])),
        lambda: p.tabs(), lambda: p.segments(), lambda: p.pages(), lambda: p.crumbs(), lambda: f'<div style="width:{r.randint(80, 220)}px">{p.progress()}</div>', lambda: p.spinner(), lambda: p.link(), lambda: p.heading(3), lambda: p.text(), lambda: p.picture(f"width:{r.randint(50, 160)}px;height:{r.randint(40, 120)}px"),
        lambda: f'<div style="width:{r.randint(160, 260)}px">{p.card(p.heading(4), p.text("sentence"), p.row(p.button(), p.iconbutton()))}</div>', lambda: f'<div style="width:180px">{p.nav(r.randint(2, 5))}</div>', lambda: f'<div style="width:200px">{p.menu(r.randint(2, 5))}</div>', lambda: f'<div style="width:260px">{p.alert()}</div>', lambda: p.part("tip", "tooltip", t=p.say("label")),
        lambda: p.row(*(p.icon(None, r.choice([12, 14, 16, 20]), f"color:{p.theme.mute}") for _ in range(6)), gap=r.choice([4, 8, 14])), lambda: f'<div style="width:220px">{p.area()}</div>', lambda: f'<div style="width:200px">{setting_list(p, 2)}</div>', lambda: p.row(*(p.avatar(28) for _ in range(3)), gap=r.choice([4, 8])),
    ])()
    return p.row(*(make() for _ in range(r.randint(40, 90))), gap=r.choice([8, 12, 18, 26]), wrap=True, style=f"padding:{r.choice([8, 16, 30])}px;align-content:flex-start;align-items:{r.choice(['center', 'flex-start'])};flex:1;overflow:hidden")


def paint(p: Page) -> str:
    """A program for pictures: palettes of tools around one."""
    r, t = p.r, p.theme
    n = r.randint(10, 22)
    palette = f'<div {p.d("toolbar")} style="display:grid;grid-template-columns:repeat({r.choice([1, 2, 2])},max-content);align-content:start;gap:{r.choice([0, 2, 4])}px;padding:4px;background:{t.surface};border-right:1px solid {t.line};flex:none;overflow:hidden">{"".join(p.iconbutton() for _ in range(n))}</div>'
    layer = lambda: f'<div {p.d("item", p.states(0, selected=.2))} class="x-row" style="gap:6px;padding:3px 6px;border-bottom:1px solid {t.line}">{p.tiny("eye")}{p.picture("width:28px;height:22px;flex:none")}<span class="one">{p.say("word")}</span></div>'
    right = p.side(p.tabs(2), properties(p), p.col(*(layer() for _ in range(5)), gap=0), p.row(*(p.iconbutton() for _ in range(5)), gap=1), width=r.randint(190, 250), end=True)
    middle = f'<div style="flex:1;min-width:0;background:{r.choice(["#3a3a3a", "#888", "#d8d8d8", t.line])};display:flex;overflow:hidden">{p.picture(f"width:{r.randint(60, 90)}%;height:{r.randint(50, 90)}%;margin:auto")}</div>'
    return titlebar(p) + menubar(p) + p.bar(*tools(p, r.randint(5, 12))) + p.row(palette, middle, right, gap=0, style="flex:1;min-height:0;align-items:stretch") + statusbar(p)


# Phones

def phone_head(p: Page) -> str:
    r = p.r
    status = p.row(f'<b>{r.randint(0, 23)}:{r.randint(10, 59)}</b>', '<span style="flex:1"></span>', *(p.icon(k, 13) for k in (r"^wifi", r"(signal|cellular)", r"^battery")), gap=4, style="padding:4px 14px;flex:none;font-size:13px")
    title = f'<div class="one" style="flex:1;font-size:{r.choice([17, 18, 20, 22])}px;font-weight:600;{r.choice(["", "text-align:center"])}">{p.say("label")}</div>'
    return (status if p.chance(0.6) else "") + p.bar(p.iconbutton(r.choice(["left", "menu", "close"])), title, p.iconbutton(), p.iconbutton("more") if p.chance(0.5) else "", role="titlebar", style="min-height:48px")


def phone_foot(p: Page) -> str:
    t, n, at = p.theme, p.r.randint(3, 5), p.r.randint(0, 4)
    one = lambda i: f'<div {p.d("tab", ["selected"] if i == at else [])} class="x-col" style="flex:1;align-items:center;gap:2px;padding:6px 0;color:{t.accent if i == at else t.mute}">{p.icon(None, p.r.choice([20, 22, 24]))}{f"<span class=one style=font-size:11px>{p.say(chr(119) + chr(111) + chr(114) + chr(100))}</span>" if labels else ""}</div>'
    labels = p.chance(0.75)
    return p.row(*(one(i) for i in range(n)), gap=0, role="toolbar", style=f"flex:none;background:{t.surface};border-top:1px solid {t.line}")


def phone_list(p: Page) -> str:
    r = p.r
    fab = f'<div style="position:absolute;right:18px;bottom:78px"><span {p.d("button")} style="display:flex;width:54px;height:54px;border-radius:{r.choice([16, 27])}px;background:{p.theme.accent};color:{p.theme.on_accent};align-items:center;justify-content:center;box-shadow:0 3px 10px #0006">{p.icon("add", 24)}</span></div>' if p.chance(0.3) else ""
    body = p.col(p.field("text", "search") if p.chance(0.5) else "", p.row(*(p.chip() for _ in range(5)), style="overflow:hidden;flex:none") if p.chance(0.4) else "", p.tabs(3) if p.chance(0.3) else "", r.choice([lambda: feed(p, 12), lambda: setting_list(p, 9), lambda: setting_list(p, 4) + p.heading(4) + setting_list(p, 4)])(), gap=10, style="flex:1;padding:10px;overflow:hidden")
    return phone_head(p) + body + (phone_foot(p) if p.chance(0.8) else "") + fab


def phone_cards(p: Page) -> str:
    r = p.r
    one = lambda: p.card(p.picture(f"width:100%;height:{r.randint(90, 200)}px") if p.chance(0.7) else p.chart(h=110), p.heading(4), p.text("sentence", True), p.row(p.button(None, None), '<span style="flex:1"></span>', p.iconbutton("heart"), p.iconbutton("send")))
    return phone_head(p) + p.col(p.heading(2), p.segments() if p.chance(0.4) else "", *(one() for _ in range(4)), gap=12, style="flex:1;padding:12px;overflow:hidden") + phone_foot(p)


def phone_chat(p: Page) -> str:
    return phone_head(p) + messages(p, p.r.randint(6, 12)) + composer(p)


def phone_form(p: Page) -> str:
    return phone_head(p) + p.col(p.heading(2), form(p, p.r.randint(5, 9)), p.button(None, "primary", False), gap=14, style="flex:1;padding:16px;overflow:hidden") + (phone_foot(p) if p.chance(0.3) else "")


def phone_player(p: Page) -> str:
    return phone_head(p) + p.col(p.picture(f"width:100%;aspect-ratio:1;border-radius:{p.theme.radius}px", 0.5), p.row(p.grow(p.heading(3), p.text("name")), p.iconbutton("heart")), p.slider(), p.row(p.text("number", True), '<span style="flex:1"></span>', p.text("number", True)), p.row(*(p.iconbutton(k) for k in ("left", "play", "next", "more")), style="justify-content:space-around"), gap=14, style="flex:1;padding:18px;overflow:hidden")


def phone_zoo(p: Page) -> str:
    return phone_head(p) + zoo(p)


LAYOUTS = {f.__name__: f for f in (shell, settings, forms, admin, dashboard, mail, files, chat, player, editor, kanban, calendar, login, review, article, shop, zoo, paint)}
PHONE = {f.__name__: f for f in (phone_list, phone_cards, phone_chat, phone_form, phone_player, phone_zoo, login)}
