"""Programs, each written once against the widget interface of Kit and filled at random."""

from .glyphs import document, folder, glyph, hsl
from .kit import Item, Kit, Program, Tool
from .markup import GAP, col, e, row, states, t

MENUS = ["File", "Edit", "View", "Insert", "Format", "Tools", "Window", "Help", "Go", "Image", "Layer", "Project", "Build", "Debug", "Terminal"]
PLACES = ["Home", "Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos", "Trash", "Recent", "Network", "This PC", "Local Disk (C:)", "Applications", "AirDrop", "Starred"]


def menus(k: Kit) -> list[str]:
    return MENUS[: k.r.randint(2, 4)] + k.r.sample(MENUS[4:], k.r.randint(1, 4))


def toolset(k: Kit, n: int) -> list[Tool | None]:
    """Tools in groups; some are disabled, pressed or have a menu."""
    out: list[Tool | None] = []
    for i in range(n):
        if i and k.has(0.25):
            out.append(None)
        out.append(Tool(k.say("word"), k.r.choices(["", "disabled", "checked"], [8, 2, 1])[0], k.has(0.1)))
    return out


def some(k: Kit, low: int, high: int, make) -> list:
    return [make(i) for i in range(k.r.randint(low, high))]


def pick(k: Kit, i: int, at: int) -> str:
    """The states of entry i where entry `at` is chosen."""
    return ("selected focused" if k.focus else "selected") if i == at else ""


def mono_or(k: Kit, other: str) -> str:
    return other if k.has(0.5) else "mono"


def places(k: Kit, width=0, names=None, icon="") -> str:
    """A side bar with the places or sections of a program."""
    r = k.r
    icon = icon or r.choice(["mono", "mono", "mono", "folder", "app", ""])
    at, n, parts = r.randrange(12), 0, []
    for _ in range(r.randint(1, 3)):
        if k.has(0.6):
            parts.append(e("sidehead", k.heading(k.say("word"), "dim small")))
        for _ in range(r.randint(3, 8)):
            name = r.choice(names or PLACES) if k.has(0.6) else k.say()
            parts.append(k.item(Item(name, icon=icon, badge=str(r.randint(1, 99)) if k.has(0.12) else "", states=pick(k, n, at))))
            n += 1
    return k.sidebar("".join(parts), width or r.randint(140, 240))


def filename(k: Kit) -> str:
    return k.say("path").split("/")[-1]


# Files.
def files(k: Kit) -> Program:
    view = k.r.choice(["icons", "list", "list", "columns", "tiles"])
    body = {"icons": file_icons, "list": file_list, "columns": file_columns, "tiles": file_icons}[view](k)
    tools = [Tool("Back", glyph="back"), Tool("Forward", "disabled", glyph="forward"), Tool("Up", glyph="up"), None, *toolset(k, k.r.randint(2, 7))]
    side = places(k) if k.has(0.8) else k.sidebar(k.tree(nodes(k, "folder")), k.r.randint(150, 230))
    return Program(
        k.r.choice(PLACES), body, menus(k), tools, side, status=[f"{k.r.randint(2, 400)} items", f"{k.r.randint(1, 90)} GB free"], path=k.r.sample(PLACES, k.r.randint(1, 4)), search=k.has(0.7),
        right=preview(k) if k.has(0.12) else "", pages=["Recent", "Browse", "Shared"],
    )  # fmt: skip


def preview(k: Kit) -> str:
    facts = "".join(row(k.text(k.say("word"), "dim"), GAP, k.text(k.say("number"))) for _ in range(5))
    return e("side", k.picture("100%", 120), k.heading(filename(k)), facts, role="sidebar", style=f"width:{k.r.randint(150, 210)}px;gap:8px;padding:10px")


def file_icons(k: Kit) -> str:
    size = k.r.choice([32, 48, 48, 64, 72, 96])
    at = k.r.randrange(8)
    sort = k.r.random()

    def one(i):
        kind = k.r.random()
        art = folder(size, k.folder_hue) if kind < 0.25 + 0.5 * sort else k.picture(size, round(size * 0.75)) if kind > 0.85 else document(k.r, size)
        return e("item tile", art, e("tilelabel", t(filename(k))), role="item", states=pick(k, i, at))

    tiles = e("row wrap", *some(k, 8, 40, one), style="gap:6px;padding:10px;align-content:flex-start;align-items:flex-start")
    return k.scroll(tiles)


def file_list(k: Kit) -> str:
    at = k.r.randrange(10)
    named = lambda i: k.art("folder" if i < 5 else "file") + e("over", t(filename(k)))
    rows = some(k, 8, 40, lambda i: [named(i), t(k.say("date")), t(k.say("word")), f"{k.r.randint(1, 999)} kB"])
    return k.scroll(k.table(["Name", "Date modified", "Type", "Size"], rows, "minmax(140px,2.2fr) 1.3fr 1fr 90px", {at, at + 1} if k.has(0.2) else {at}, k.r.choice(["", "striped", "lined"]), numbers=(3,), focused=k.focus))


def file_columns(k: Kit) -> str:
    def column(i):
        at = k.r.randrange(6)
        return k.items([Item(filename(k), icon="folder" if k.has(0.5) else "file", more=k.has(0.5), states="selected" if j == at else "") for j in range(k.r.randint(4, 22))], style="width:190px;flex:none;padding:4px")

    columns = k.splitter().join(some(k, 2, 4, column))
    return e("row fill stretch", columns, k.splitter(), k.scroll(col(k.picture("100%", 160), k.heading(filename(k)), k.text(k.say("sentence"), "dim p"), style="padding:14px"), share=0.2))


def nodes(k: Kit, icon="mono", n=0, check=False) -> list[Item]:
    """The entries of a tree that is open in part."""
    out, depth, at = [], 0, k.r.randrange(10)
    for i in range(n or k.r.randint(8, 30)):
        kids = k.r.choice(["", "open", "closed"]) if depth < 4 else ""
        out.append(Item(k.say(), icon=icon, depth=depth, kids=kids, states=pick(k, i, at), check=k.r.choice(["on", "off"]) if check else ""))
        depth = depth + 1 if kids == "open" else max(0, depth - k.r.choice([0, 0, 0, 1, 2]))
    return out


# Mail and talk.
def mail(k: Kit) -> Program:
    at = k.r.randrange(5)
    letter = lambda i: Item(k.say("name"), k.say("title"), k.letter_icon, k.say("date")[:10], pick(k, i, at), badge=k.r.choice(["", "", "", "2", "New"]))
    letters = k.scroll(k.items([letter(i) for i in range(14)], "mails"))
    people = row(k.avatar(36), col(k.heading(k.say("name")), k.text(k.say("date"), "dim small"), gap=1), GAP, *(k.tool(Tool(s)) for s in ("Reply", "Forward", "Delete")))
    words = "".join(k.para(k.say("paragraph")) for _ in range(k.r.randint(1, 4)))
    attached = row(*(k.card(row(document(k.r, 24), k.text(filename(k))), acted=True) for _ in range(k.r.randint(1, 3))), cls="wrap") if k.has(0.4) else ""
    reading = k.scroll(col(k.heading(k.say("title"), "mid"), people, k.line(), words, k.link(f"https://{k.say('word').lower()}.example") if k.has(0.4) else "", attached, gap=12, style="padding:14px"))
    body = letters if k.PHONE else e("row fill stretch", e("col none over", letters, style=f"width:{k.r.randint(220, 330)}px"), k.splitter(), reading)
    side = places(k, names=["Inbox", "Drafts", "Sent", "Archive", "Spam", "Trash", "Starred", "All Mail"])
    return Program("Inbox", body, menus(k), toolset(k, k.r.randint(4, 10)), side, status=some(k, 0, 2, lambda i: k.say()), search=True, pages=["Mail", "Chat", "Spaces", "Meet"])


def chat(k: Kit) -> Program:
    r = k.r
    bubbles = k.has(0.5) or k.PHONE

    def message(i):
        mine = bubbles and k.has(0.4)
        words = k.para(k.say("sentence") if k.has(0.8) else k.say("paragraph"))
        extra = k.picture(r.randint(120, 260), r.randint(80, 150), "border-radius:8px;margin-top:4px") if k.has(0.12) else ""
        likes = row(*(k.badge(f"{s} {r.randint(1, 9)}", "chip") for s in r.sample(["👍", "❤", "😂", "🎉", "+1"], r.randint(1, 3))), gap=4) if k.has(0.15) else ""
        if bubbles:
            surface = e("bubble" + (" mine" if mine else ""), words, extra, role="panel")
            return row("" if mine else k.avatar(28), surface, style=f"align-items:flex-end;justify-content:{'flex-end' if mine else 'flex-start'}")
        head = row(k.text(k.say("name"), "bold"), k.text(k.say("date"), "dim small"))
        return row(k.avatar(r.choice([32, 36, 40])), col(head, words, k.link(f"https://{k.say('word').lower()}.example") if k.has(0.15) else "", extra, likes, gap=2), gap=10, style="align-items:flex-start")

    talk = k.scroll(col(*some(k, 6, 16, message), gap=r.choice([8, 14, 18]), style="padding:12px 16px"))
    tools = "".join(k.tool(Tool(s)) for s in ("Attach", "Emoji", "Mic", "Send"))
    entry = row(k.field(hint=f"Message {k.say('name')}", states=r.choice(["", "focused"])), tools, style="padding:8px 12px", cls="none")
    head = row(k.avatar(30), col(k.heading(k.say("name")), k.text(r.choice(["online", "last seen recently", "12 members"]), "dim small"), gap=0), GAP, *(k.tool(Tool(s)) for s in ("Call", "Video", "Search")), style="padding:6px 12px", cls="none")
    people = k.scroll(k.items([Item(k.say("name"), k.say("title") if k.has(0.8) else "", "avatar", k.say("date")[:8], pick(k, i, 1), badge=r.choice(["", "", "", "3"])) for i in range(12)]))
    side = k.sidebar(e("none", k.search(), style="padding:4px") + people, r.randint(200, 290))
    return Program(k.say("name"), col(head, k.line(), talk, k.line(), entry, cls="fill", gap=0), [], [], side, pages=["Chats", "Calls", "Updates", "Settings"])


# Words, code and numbers.
def code_lines(k: Kit, n: int, number=True, diff=False) -> str:
    hues = [210, 30, 130, 290, 350, 180]

    def line(i):
        words, kind = k.say("code")[:110], k.r.choice(["", "", "", "add", "del"]) if diff else ""
        inked = " ".join(f'<span style="color:{hsl(k.r.choice(hues), 60, 70 if k.dark else 35)}">{t(w)}</span>' if k.has(0.35) else t(w) for w in words.split(" "))
        num = f'<span class="num">{i}</span>' if number else ""
        return e(f"row line {kind}", num, e("t", "&nbsp;" * (k.r.choice([0, 0, 4, 4, 8]) if k.has(0.6) else 0), inked, role="text", tag="span"))

    start = k.r.choice([1, 1, k.r.randint(2, 900)])
    return e("code", *(line(start + i) for i in range(n)), style="padding:4px 6px")


def editor(k: Kit) -> Program:
    r = k.r
    text = k.scroll(code_lines(k, r.randint(15, 50)), across=k.has(0.4))
    mini = e("minimap", role="scrollbar", acted=True) if k.has(0.2) else ""
    side = k.sidebar(k.tree(nodes(k, r.choice(["mono", "file", "folder", ""]))), r.randint(150, 250)) if k.has(0.7) else ""
    below = k.splitter(False) + e("none over", k.tabs(["Problems", "Output", "Terminal"], r.randrange(3)), code_lines(k, 6, False), style=f"height:{r.randint(90, 180)}px") if k.has(0.5) else ""
    find = row(k.search("200px", "focused"), *(k.tool(Tool(s, glyph=s)) for s in ("up", "down", "close")), style="padding:4px 8px", cls="none find") if k.has(0.25) else ""
    status = ["Ln 12, Col 8", "UTF-8", "LF", r.choice(["Python", "Go", "C++", "Markdown"])]
    tabs = some(k, 1, 6, lambda i: filename(k))
    return Program(filename(k), col(find, row(text, mini, cls="fill stretch", gap=0), below, cls="fill", gap=0), menus(k), toolset(k, r.randint(0, 14)), side, status=status, tabs=tabs)


def ide(k: Kit) -> Program:
    """An editor between docked tool windows, each with a title of its own."""
    def dock(title, inside, style):
        head = e("dockhead", k.text(title), GAP, *(e("wctl", glyph(s, 10), role="button", name=s) for s in ("tri-down", "close")), role="titlebar")
        return e("col dock over", head, inside, role="panel", style=style)

    r = k.r
    p = editor(k)
    p.side = dock(r.choice(["Solution Explorer", "Project", "Outline"]), e("none", k.search(), style="padding:3px") + k.scroll(k.tree(nodes(k, "mono"))), f"width:{r.randint(170, 240)}px;flex:none")
    facts = [[t(k.say()), t(k.say("word"))] for _ in range(14)]
    p.right = dock("Properties", k.dropdown(k.say(), "100%") + k.scroll(k.table([], facts, "1fr 1fr", {r.randrange(8)}, "gridded")), f"width:{r.randint(160, 230)}px;flex:none") if k.has(0.7) else ""
    if not p.tools:
        p.tools = toolset(k, 14)
    return p


def document_(k: Kit) -> Program:
    """A word processor with a sheet of paper."""
    r = k.r
    words = col(k.heading(k.say("title"), "big"), *(k.para(k.say("paragraph")) for _ in range(r.randint(2, 5))), gap=12)
    sheet = e("paper", words, k.picture(220, 130) if k.has(0.3) else "", role="panel", style=f"width:{r.randint(430, 620)}px")
    ruler = e("ruler") if k.has(0.5) else ""
    formats = row(k.dropdown(r.choice(["Arial", "Calibri", "Helvetica", "Body"]), 120), k.dropdown(str(r.randint(8, 24)), 52), *(k.tool(Tool(s, r.choice(["", "", "checked"]))) for s in ("Bold", "Italic", "Underline")), e("sepv"), *(k.tool(Tool(f"align {s}")) for s in ("left", "center", "right")), gap=3, style="padding:3px 6px", cls="none over")
    body = col(formats, ruler, k.scroll(row(sheet, style="justify-content:center;padding:14px;align-items:flex-start"), "desk"), cls="fill", gap=0)
    return Program(filename(k), body, menus(k), toolset(k, r.randint(5, 16)), status=[f"Page 1 of {r.randint(1, 30)}", f"{r.randint(100, 9000)} words", "English"])


def sheet(k: Kit) -> Program:
    """A spreadsheet with its name box, a bar for formulas and a grid."""
    r = k.r
    n, m, at = r.randint(8, 20), r.randint(16, 48), (r.randrange(8), r.randrange(5))
    wide = r.randint(60, 100)
    letters = e("tr", e("td corner"), *(e("td hd", "ABCDEFGHIJKLMNOPQRST"[j], role="cell", acted=True) for j in range(n)))

    def line(i):
        cell = lambda j: e("td" + (" num" if j else ""), t(k.say("number" if j else "label")) if i < m * 0.7 and j < n - 2 and k.has(0.85) else "", role="cell", acted=True, states="selected focused" if (i, j) == at else "")
        return e("tr", e("td hd", str(i + 1), role="cell", acted=True), *(cell(j) for j in range(n)), role="row")

    grid = e("table gridded sheet", letters, *(line(i) for i in range(m)), style=f"--cols:34px repeat({n},{wide}px)")
    bar = row(k.dropdown(f"{'ABCDE'[at[1]]}{at[0] + 1}", 74), *(k.tool(Tool(s, glyph=s)) for s in ("close", "check")), k.field(r.choice(["=SUM(B2:B14)", "=A1*0.19", k.say("number")])), gap=3, style="padding:3px 5px", cls="none")
    sheets = row(k.tabs(["Sheet1", "Sheet2", k.say("word")], 0), k.tool(Tool("Add", glyph="plus")), GAP, gap=2, cls="none")
    return Program(filename(k), col(bar, k.scroll(grid, across=True, share=1), sheets, cls="fill", gap=0), menus(k), toolset(k, r.randint(8, 18)), status=["Ready", f"Sum: {k.say('number')}", "100 %"])


def calculator(k: Kit) -> Program:
    keys = ["C", "±", "%", "÷", "7", "8", "9", "×", "4", "5", "6", "−", "1", "2", "3", "+", "0", ".", "⌫", "="]
    pad = e("keys", *(e("btn key" + (" default" if s == "=" else ""), s, role="button") for s in keys), style="--n:4")
    shown = e("field display", t(f"{k.r.randint(1, 99999):,}"), role="field")
    return Program("Calculator", col(row(k.text(k.r.choice(["Standard", "Scientific"]), "bold")), shown, pad, cls="fill", gap=8, style="padding:8px"), plain=True)


def terminal(k: Kit) -> Program:
    prompt = lambda: f'<span style="color:#4e9a06">{t(k.say("word").lower())}@host</span>:<span style="color:#5a8fd0">~/{t(k.say("word").lower())}</span>$ {t(k.say("code")[:60])}'
    lines = [e("t", prompt() if k.has(0.3) else t(k.say("code")[:110] if k.has(0.6) else f'-rw-r--r-- 1 root root {k.r.randint(99, 99999):>6} {k.say("path")}'), role="text", tag="span") for _ in range(k.r.randint(8, 40))]
    ground = k.r.choice(["#000", "#300a24", "#1e1e1e", "#002b36", "#0c0c0c", "#012456", "#fff"])
    screen = e("col code fill", *lines, e("", prompt(), '<span class="cursor"></span>', role="field", states="focused"), style=f"background:{ground};color:{'#222' if ground == '#fff' else '#ddd'};padding:5px 7px;gap:0")
    tabs = some(k, 2, 4, lambda i: k.say("word").lower()) if k.has(0.4) else []
    return Program(f"{k.say('word').lower()}: bash", e("row fill stretch", screen, k.scrollbar(at=1) if k.has(0.5) else ""), menus(k) if k.has(0.6) else [], [], tabs=tabs)


# Pictures, sound and maps.
def paint(k: Kit) -> Program:
    r = k.r
    palette = e("palette", *(k.tool(Tool(s, states(checked=i == 2))) for i, s in enumerate(some(k, 10, 22, lambda i: k.say("word")))), role="toolbar", style=f"--n:{r.choice([1, 2, 2])}")
    swatches = e("swatches", *(e("swatch", role="button", name="colour", style=f"background:{hsl(r.randrange(360), r.randint(0, 95), r.randint(10, 90))}") for _ in range(r.choice([16, 20, 28]))))
    canvas = k.scroll(row(k.picture(r.randint(300, 560), r.randint(220, 420)), cls="fill", style="justify-content:center"), "desk", across=True)
    layer = lambda i: e("item", k.tool(Tool("eye"), size=13), k.picture(34, 26), e("lab grow", t(k.say())), k.tool(Tool("lock"), size=12), role="item", states=pick(k, i, 1))
    sliders = col(*(row(k.text(s), k.slider(r.random(), ""), k.spin(r.randint(0, 255), 56)) for s in ("Size", "Opacity", "Hardness")), gap=6)
    right = e("side", k.tabs(["Layers", "Paths"], 0), sliders, row(k.text("Mode"), k.dropdown("Normal")), e("list", *some(k, 3, 7, layer)), GAP, row(*(k.tool(Tool(s)) for s in ("add", "up", "down", "copy", "trash")), gap=1), role="sidebar", style=f"width:{r.randint(190, 250)}px;gap:7px;padding:7px")
    left = e("side", palette, swatches if k.has(0.6) else "", role="sidebar", style="gap:8px;padding:4px;width:auto")
    options = row(k.text("Brush"), k.dropdown("Round", 90), k.text("Opacity"), k.slider(r.random(), 90), k.check("Smooth", r.choice(["", "checked"])), style="padding:3px 8px", cls="none over")
    return Program(filename(k), col(options, canvas, cls="fill", gap=0), menus(k), toolset(k, r.randint(0, 8)), left, right, status=[f"{r.randint(200, 3000)} × {r.randint(200, 2000)} px", "100 %", "RGB"])


def transport(k: Kit) -> str:
    """The buttons and the seek bar of a player."""
    size = k.r.choice([14, 16, 20])
    marks = ["previous", k.r.choice(["play", "pause"]), "next"]
    main = "".join(k.tool(Tool(s, glyph=s), size=size + 6 * (s in ("play", "pause"))) for s in marks)
    seek = row(k.text(f"{k.r.randint(0, 4)}:{k.r.randint(10, 59)}", "small dim"), k.slider(k.r.random(), ""), k.text(f"{k.r.randint(3, 9)}:{k.r.randint(10, 59)}", "small dim"), cls="grow")
    more = row(k.tool(Tool("shuffle")), k.tool(Tool("repeat", glyph="repeat")), k.tool(Tool("volume")), k.slider(k.r.random(), 80), gap=4)
    if k.PHONE:
        return col(seek, row(k.tool(Tool("shuffle")), main, k.tool(Tool("repeat")), gap=18, style="justify-content:center"), gap=14)
    return row(row(main, gap=3), seek, more, gap=12, style="padding:6px 12px", cls="none transport")


def music(k: Kit) -> Program:
    r = k.r
    side = places(k, names=["Songs", "Albums", "Artists", "Playlists", "Radio", "Podcasts", "Library", "Listen Now", "Browse"])
    if k.PHONE:
        cover = row(k.picture(r.randint(220, 290), 260, "border-radius:12px"), style="justify-content:center")
        return Program("Now Playing", col(cover, k.heading(k.say("title"), "mid"), k.text(k.say("name"), "dim"), transport(k), row(k.tool(Tool("heart")), GAP, k.tool(Tool("list"))), cls="fill", gap=16, style="padding:20px"), pages=["Home", "Search", "Library"])
    if k.has(0.5):
        album = lambda i: col(k.picture(130, 130, f"border-radius:{r.choice([2, 6, 10])}px", acted=True), k.text(k.say("title"), "bold"), k.text(k.say("name"), "dim small"), gap=3, style="width:130px")
        body = k.scroll(col(k.heading(k.say(), "big"), row(*some(k, 6, 20, album), cls="wrap", gap=16, style="align-items:flex-start"), gap=12, style="padding:16px"))
    else:
        rows = some(k, 10, 30, lambda i: [str(i + 1), e("over", t(k.say("title"))), t(k.say("name")), f"{r.randint(2, 6)}:{r.randint(10, 59)}"])
        body = k.scroll(k.table(["#", "Title", "Artist", "Time"], rows, "36px 2fr 1.4fr 60px", {r.randrange(8)}, r.choice(["striped", "lined", ""]), numbers=(3,), focused=k.focus))
    now = row(k.picture(40, 40), col(k.text(k.say("title"), "bold"), k.text(k.say("name"), "dim small"), gap=0, cls="none", style="width:120px"), transport(k), style="padding:2px 8px", cls="none")
    return Program("Music", col(*([body, k.line(), now] if k.has(0.7) else [now, k.line(), body]), cls="fill", gap=0), menus(k), [], side, search=k.has(0.6))


def video(k: Kit) -> Program:
    return Program(filename(k), col(k.picture("100%", "100%", "flex:1;border-radius:0"), transport(k), cls="fill", gap=0, style="background:#000" if k.dark else ""), menus(k), [], status=some(k, 0, 1, lambda i: k.say("path")))


def mixer(k: Kit) -> Program:
    """Many vertical sliders with their meters."""
    r = k.r
    high = r.randint(110, 220)

    def strip(i):
        meter = e("meter", e("", style=f"height:{r.randint(5, 95)}%"), role="progress", style=f"height:{high}px")
        return k.card(k.text(k.say("word")[:9], "small"), row(k.slider(r.random(), high, True), meter if k.has(0.8) else "", gap=7), row(*(e("tool checked" if k.has(0.2) else "tool", s, role="button") for s in "MS"), gap=2), k.spin(f"{r.randint(-40, 6)}", 58) if k.has(0.4) else k.text(f"{r.randint(-40, 6)} dB", "small dim"), style="padding:8px 6px;align-items:center;flex:none")

    return Program("Mixer", k.scroll(row(*some(k, 5, 18, strip), style="align-items:flex-start;padding:10px", gap=6), across=True, share=0.3), menus(k), [Tool(s, glyph=s) for s in ("previous", "play", "stop", "record")] + toolset(k, 5), plain=True)


def map_(k: Kit) -> Program:
    r = k.r
    ground, land, road = ("#242f3e", "#2d3b4d", "#465a75") if k.dark else ("#e9e5dc", "#cfe6c4", "#fff")
    blocks = "".join(f'<path d="M{r.randint(-50, 800)} {r.randint(-50, 600)}q{r.randint(-90, 200)} {r.randint(-90, 200)} {r.randint(-200, 300)} {r.randint(-90, 200)}z" fill="{r.choice([land, land, "#a9d3f0" if not k.dark else "#17263c"])}"/>' for _ in range(12))
    roads = "".join(f'<path d="M{r.randint(-50, 900)} -20q{r.randint(-300, 300)} 300 {r.randint(-500, 500)} 900" fill="none" stroke="{r.choice([road, road, "#f7d774"])}" stroke-width="{r.choice([3, 4, 8])}"/>' for _ in range(16))
    plan = f'<svg data-role="picture" data-name="map" width="100%" height="100%" viewBox="0 0 900 700" preserveAspectRatio="xMidYMid slice" style="position:absolute;inset:0;background:{ground}">{blocks}{roads}</svg>'
    pin = lambda i: e("pin", k.icon(14), role="button", style=f"left:{r.randint(8, 90)}%;top:{r.randint(20, 85)}%;background:{hsl(r.randrange(360), 70, 45)}")
    name = lambda i: e("t", t(k.say()), role="text", ground="picture", style=f"position:absolute;left:{r.randint(5, 80)}%;top:{r.randint(20, 90)}%;font-size:11px;color:{'#9fb3c8' if k.dark else '#5f6368'}")
    zoom = e("col zoom", *(k.tool(Tool(s, glyph=s)) for s in ("plus", "minus")), role="toolbar")
    found = k.card(k.search(), k.items([Item(k.say(), k.say("sentence")[:40], "mono") for _ in range(r.randint(0, 4))]), style="position:absolute;left:12px;top:12px;width:min(300px,85%);gap:4px;padding:8px")
    return Program("Maps", e("fill", plan, *some(k, 3, 10, name), *some(k, 2, 8, pin), zoom, found, style="position:relative"), [], toolset(k, r.randint(0, 5)), pages=["Explore", "Go", "Saved"])


def dashboard(k: Kit) -> Program:
    r = k.r
    def chart(w=300, h=90):
        hue = r.randrange(360)
        if k.has(0.5):
            bars = "".join(f'<rect x="{i * 15 + 4}" y="{h - (v := r.randint(8, h))}" width="10" height="{v}" fill="{hsl(hue, 60, 55)}"/>' for i in range(w // 15))
        else:
            bars = f'<polyline fill="none" stroke="{hsl(hue, 70, 50)}" stroke-width="2" points="{" ".join(f"{x},{r.randint(5, h - 5)}" for x in range(0, w + 1, 15))}"/>'
        return f'<svg data-role="picture" data-name="chart" width="100%" height="{h}" viewBox="0 0 {w} {h}" preserveAspectRatio="none">{bars}</svg>'

    figure = lambda i: k.card(row(k.text(k.say("label"), "dim"), GAP, k.icon()), k.heading(k.say("number"), "big"), row(k.badge(f"+{r.randint(1, 40)} %", r.choice(["", "hot"])), k.text(k.say("date"), "dim small")), style="flex:1;min-width:150px")
    plot = lambda i: k.card(row(k.heading(k.say("label")), GAP, k.link(k.say("word")) if k.has(0.5) else k.tool(Tool("more", glyph="dots"))), chart(), style="flex:1;min-width:240px")
    cards = col(row(*some(k, 2, 4, figure), cls="wrap stretch", gap=12), row(*some(k, 1, 3, plot), cls="wrap stretch", gap=12), k.card(k.heading(k.say("label")), table_of(k, 8)), gap=12, style="padding:14px")
    return Program(k.say("label"), k.scroll(cards), [], toolset(k, r.randint(0, 5)), places(k, icon="mono"), tabs=[], search=k.has(0.5), pages=["Home", "Stats", "Profile"])


# Tables.
def table_of(k: Kit, n: int, picked=()) -> str:
    kinds = k.r.choices(["label", "number", "date", "name", "word", "path", "title"], k=k.r.randint(2, 3 if k.PHONE else 6))
    cell = lambda kind: (k.badge(k.say("word"), k.r.choice(["", "hot"])) if kind == "word" and k.has(0.3) else f'<span class="over">{t(k.say(kind))}</span>')
    rows = [[cell(kind) for kind in kinds] for _ in range(n)]
    widths = " ".join(f"minmax(60px,{ {'title': 2.4, 'path': 1.6}.get(kind, 1)}fr)" for kind in kinds)
    numbers = [i for i, kind in enumerate(kinds) if kind == "number"]
    return k.table([k.say("word") for _ in kinds], rows, widths, picked, k.r.choice(["", "striped", "lined", "gridded"]), numbers=numbers, focused=k.focus)


def tasks(k: Kit) -> Program:
    """A task manager: processes with bars, or charts."""
    r = k.r
    bar = lambda v: e("cellbar", e("", style=f"width:{v}%"), f"<span>{v} %</span>")
    rows = some(k, 12, 30, lambda i: [k.art(r.choice(["app", "mono"])) + e("over", t(k.say())), bar(r.randint(0, 99)) if k.has(0.7) else f"{r.randint(0, 99)} %", f"{r.randint(1, 900)} MB", str(r.randint(100, 9999)), t(k.say("word"))])
    list_ = k.scroll(k.table(["Name", "CPU", "Memory", "PID", "User"], rows, "2fr 110px 90px 70px 1fr", {r.randrange(9)}, r.choice(["", "striped"]), numbers=(2, 3), focused=k.focus))
    meters = col(*(row(e("none", k.text(s), style="width:70px"), k.progress(r.random(), ""), k.text(f"{r.randint(1, 99)} %", "dim")) for s in ("CPU", "Memory", "Swap", "Disk")), style="padding:10px", cls="none") if k.has(0.5) else ""
    foot = row(k.check(k.say(), r.choice(["", "checked"])), GAP, k.default(r.choice(["End task", "End Process"]), r.choice(["", "disabled"])), style="padding:8px 10px", cls="none")
    tabs = ["Processes", "Performance", "Users", "Details", "Services"]
    return Program(r.choice(["Task Manager", "System Monitor", "Activity"]), col(k.tabs(tabs, r.randrange(5)) if not k.PHONE else "", meters, list_, foot, cls="fill", gap=0), menus(k)[:3], toolset(k, r.randint(0, 5)), search=k.has(0.4), pages=tabs[:3])


def database(k: Kit) -> Program:
    r = k.r
    query = e("none over", code_lines(k, r.randint(4, 9)), style=f"height:{r.randint(80, 150)}px")
    body = col(query, k.splitter(False), k.tabs(["Result", "Messages", "Plan"], 0), k.scroll(table_of(k, 24, {r.randrange(12)}), across=k.has(0.5)), cls="fill", gap=0)
    return Program(f"{k.say('word')} – SQL", body, menus(k), toolset(k, r.randint(6, 14)), k.sidebar(k.tree(nodes(k, "mono")), r.randint(170, 250)), status=[f"{r.randint(1, 999)} rows", "Connected"], tabs=some(k, 0, 3, lambda i: f"query {i + 1}"))


def logs(k: Kit) -> Program:
    r = k.r
    kinds = ["Error", "Warning", "Info", "Info", "Debug"]
    rows = some(k, 15, 40, lambda i: [k.icon() + r.choice(kinds), t(k.say("date")), t(k.say("word")), e("over", t(k.say("sentence")))])
    top = row(k.search("180px"), k.dropdown("All levels", 110), *(k.check(s, "checked") for s in ("Error", "Info")), GAP, k.button("Clear"), style="padding:6px 8px", cls="none over")
    return Program(r.choice(["Event Viewer", "Log", "Console"]), col(top, k.scroll(k.table(["Level", "Time", "Source", "Message"], rows, "90px 120px 110px 1fr", {r.randrange(12)}, r.choice(["", "striped", "gridded"]), focused=k.focus), across=k.has(0.3)), cls="fill", gap=0), menus(k), toolset(k, r.randint(2, 8)), k.sidebar(k.tree(nodes(k, "folder")), 190) if k.has(0.4) else "", status=[f"{len(rows)} events"])


def git(k: Kit) -> Program:
    r = k.r
    dot = lambda: f'<svg data-role="none" width="22" height="22" style="flex:none"><path d="M11 0v22" stroke="{hsl(r.choice([210, 30, 130]), 60, 50)}" stroke-width="2"/><circle cx="11" cy="11" r="4" fill="{hsl(210, 60, 50)}"/></svg>'
    commits = some(k, 8, 16, lambda i: [dot() + (k.badge(r.choice(["main", "dev", "v1.2"]), "hot") if k.has(0.15) else "") + e("over", t(k.say("title"))), t(k.say("name")), t(k.say("date"))])
    changed = k.items([Item(filename(k), icon="mono", check=r.choice(["on", "off"]), trail="M", states=pick(k, i, 2)) for i in range(r.randint(4, 12))], style=f"width:{r.randint(170, 230)}px;flex:none")
    lower = row(changed, k.splitter(), k.scroll(code_lines(k, 24, diff=True)), cls="fill stretch", gap=0)
    say = col(k.field(hint="Summary"), k.area(k.say("sentence"), "52px"), row(k.check("Amend"), GAP, k.default("Commit")), gap=6, style="padding:8px", cls="none")
    return Program(f"{k.say('word').lower()} – main", col(e("col over", k.table(["Message", "Author", "Date"], commits, "1fr 130px 110px", {2}, focused=k.focus), style="height:40%;flex:none"), k.splitter(False), lower, say if k.has(0.6) else "", cls="fill", gap=0), menus(k), [Tool(s) for s in ("Commit", "Pull", "Push", "Branch", "Merge", "Stash")], places(k), status=["main", "2 ahead"])


def plugins(k: Kit) -> Program:
    """A shop of programs or plug-ins with their Install buttons."""
    r = k.r
    big = r.choice([32, 40, 48])
    action = lambda: r.choice([k.button("Install"), k.default("Install"), k.button("Remove"), k.button("Installed", states="disabled"), k.switch(r.choice(["", "checked"])), k.progress(r.random(), 70)])

    def entry(i):
        words = col(row(k.text(k.say("label"), "bold"), k.badge(k.say("word")) if k.has(0.2) else ""), k.text(k.say("sentence"), "dim small"), k.text("★★★★☆ " + str(r.randint(3, 900)), "dim small") if k.has(0.3) else "", gap=2, cls="grow")
        return e("item plug", k.appicon(big, round_=k.PHONE and k.has(0.4)), words, action(), role="item", states=pick(k, i, 2) if k.has(0.3) else "")

    top = col(row(k.search("100%"), style="padding:8px"), k.tabs(["Explore", "Installed", "Updates"], r.randrange(3)) if k.has(0.7) else "", gap=0, cls="none")
    return Program(r.choice(["Plugins", "Extensions", "Software", "Add-ons"]), col(top, k.scroll(e("list", *some(k, 6, 14, entry))), cls="fill", gap=0), [], [], places(k) if k.has(0.4) else "", pages=["Games", "Apps", "Search"])


def network(k: Kit) -> Program:
    """The table of requests that developers look at."""
    r = k.r
    fall = lambda: e("waterfall", e("", style=f"margin-left:{r.randint(0, 60)}%;width:{r.randint(2, 40)}%;background:{hsl(r.choice([140, 210, 30]), 55, 55)}"))
    rows = some(k, 14, 34, lambda i: [e("over", t(filename(k))), r.choice(["200", "304", "404", "200"]), r.choice(["document", "script", "xhr", "png"]), f"{r.randint(1, 900)} kB", f"{r.randint(1, 900)} ms", fall()])
    top = row(k.tool(Tool("record", "checked", glyph="record")), k.tool(Tool("clear")), e("sepv"), k.search("150px"), k.check("Preserve log"), k.dropdown("No throttling", 110), style="padding:3px 6px", cls="none over", gap=5)
    kinds = row(*(e("tab chiptab", s, role="tab", states=states(selected=i == 0)) for i, s in enumerate(["All", "Fetch", "JS", "CSS", "Img", "Media", "Doc"])), gap=3, style="padding:2px 6px", cls="none over")
    return Program("Developer Tools", col(k.tabs(["Elements", "Console", "Network", "Sources", "Storage"], 2), top, kinds, k.scroll(k.table(["Name", "Status", "Type", "Size", "Time", "Waterfall"], rows, "2fr 60px 80px 70px 70px 1.4fr", {r.randrange(12)}, r.choice(["striped", "lined", "gridded"]), focused=k.focus)), cls="fill", gap=0), status=[f"{len(rows)} requests", f"{r.randint(1, 9)} MB"])


# Times.
def month(k: Kit, cell=28) -> str:
    """A small calendar, as date pickers have it."""
    r = k.r
    names = [e("day dim", s, role="text") for s in ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")]
    start, today = r.randrange(7), r.randint(1, 28)
    days = [e("day" + (" faint" if not 0 < d <= 30 else ""), str((d - 1) % 30 + 1), role="button", states=states(selected=d == today)) for d in range(1 - start, 43 - start)]
    head = row(k.tool(Tool("previous", glyph="left")), GAP, k.text(r.choice(["March", "July", "October"]) + " 2025", "bold"), GAP, k.tool(Tool("next", glyph="right")), gap=2)
    return k.card(head, e("keys", *names, *days, style="--n:7;gap:1px"), style=f"width:{cell * 7 + 26}px;flex:none")


def calendar(k: Kit) -> Program:
    r = k.r
    event = lambda: e("event", t(k.say("label")), role="panel", acted=True, style=f"background:{hsl(h := r.randrange(360), 65, 30 if k.dark else 85)};color:{hsl(h, 60, 85 if k.dark else 25)}")
    days = [e("calday", e("t", str(i % 30 + 1), role="text", tag="span"), *(event() for _ in range(r.choice([0, 0, 1, 1, 2]))), role="cell", acted=True, states=states(selected=i == 9)) for i in range(35)]
    grid = e("cal", *(e("t dim", s, role="text", style="padding:4px") for s in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")), *days)
    if k.PHONE:
        agenda = k.items([Item(k.say("title"), k.say("date"), "mono") for _ in range(8)])
        return Program("March", k.scroll(col(row(month(k, 42), style="justify-content:center"), agenda, style="padding:10px")), [], toolset(k, 2), pages=["Day", "Week", "Month"])
    head = row(k.button("Today"), k.tool(Tool("previous", glyph="left")), k.tool(Tool("next", glyph="right")), k.heading("March 2025", "mid"), GAP, k.segments(["Day", "Week", "Month", "Year"], 2), style="padding:8px 12px", cls="none")
    side = k.sidebar(month(k, 24) + "".join(k.item(Item(k.say("word"), check=r.choice(["on", "off"]))) for _ in range(6)), 208) if k.has(0.7) else ""
    return Program("Calendar", col(head, grid, cls="fill", gap=0), menus(k), toolset(k, r.randint(0, 4)), side, search=k.has(0.3))


# Settings and dialogs.
def control(k: Kit) -> str:
    """Any control, for a line of settings."""
    r = k.r
    off = r.choice(["", "", "", "", "disabled"])
    return r.choices(
        [k.switch(f"{r.choice(['', 'checked'])} {off}".strip()), k.dropdown(k.say("word"), r.randint(90, 170), off), k.spin(r.randint(0, 500), 90, off), k.button(k.say("word"), states=off), k.slider(r.random(), r.randint(100, 170), ticks=r.choice([0, 0, 6]), states=off), k.field(k.say("word"), width=r.randint(100, 170)), k.check(k.say("word"), r.choice(["", "checked"])), k.segments(k.says(r.randint(2, 3), "word"), 0), k.text(k.say("number"), "dim"), k.progress(r.random(), 120)],
        [5, 3, 1.5, 2, 1.5, 1, 1, 0.7, 1.5, 0.5],
    )[0]  # fmt: skip


def settings(k: Kit) -> Program:
    r = k.r
    def one(i):
        more = k.has(0.25)
        return Item(k.say("label"), k.say("sentence")[:70] if k.has(0.35) else "", r.choice(["mono", "mono", "app", ""]) if k.PHONE else r.choice(["", "", "mono"]), control="" if more else control(k), more=more, trail=k.say("word") if more and k.has(0.4) else "")

    groups = [k.settings(k.say("label") if k.has(0.75) else "", some(k, 2, 6, one)) for _ in range(r.randint(2, 5))]
    if k.has(0.3):
        groups.insert(r.randrange(len(groups)), k.card(row(k.avatar(48), col(k.heading(k.say("name")), k.text(k.say("path"), "dim"), gap=2), GAP, k.link(k.say("label"))), acted=True))
    if k.has(0.3):
        groups.append(col(k.heading("Related"), *some(k, 1, 4, lambda i: k.link(k.say())), gap=7))
    if k.has(0.2):
        groups.insert(0, e("group", *(k.radio(k.say(), states(checked=i == 1)) for i in range(3)), role="panel"))
    wide = "max-width:640px;width:100%;align-self:center;" if k.has(0.5) else ""
    inside = col(k.heading(k.say("label"), "big") if k.has(0.5) else "", *groups, gap=r.choice([12, 18, 24]), style=f"padding:var(--setpad,18px);{wide}")
    side = k.sidebar((e("none", k.search(), style="padding:4px") if k.has(0.5) else "") + "".join(k.item(Item(k.say("label"), icon=k.side_icon, states=pick(k, i, 2))) for i in range(r.randint(8, 20))), r.randint(170, 270))
    return Program(r.choice(["Settings", "Preferences", "System Settings", "Options"]), k.scroll(inside), menus(k) if k.has(0.2) else [], [Tool("Back", glyph="back")] if k.has(0.3) else [], side if k.has(0.85) else "", plain=k.has(0.5), pages=["General", "Network", "About"])


def properties(k: Kit) -> Program:
    """A property sheet: tabs, group boxes, all kinds of old controls."""
    r = k.r
    labelled = lambda s, c: row(e("none", k.text(s + ":"), style="width:110px;overflow:hidden"), c)
    boxes = lambda: k.group(k.say("label"), *(k.check(k.say("label"), r.choice(["", "checked", "checked", "disabled", "checked disabled"])) for _ in range(r.randint(2, 4))))
    radios = lambda: k.group(k.say("label"), *(k.radio(k.say("label"), states(checked=i == 0, disabled=i == 2 and k.has(0.5))) for i in range(r.randint(2, 4))))
    entries = lambda: k.group(k.say("label"), *(labelled(k.say("word"), r.choice([k.field(k.say("word")), k.dropdown(k.say("word"), "100%"), k.spin(r.randint(1, 99), 70), k.slider(r.random(), "60%", ticks=r.choice([0, 5]))])) for _ in range(r.randint(2, 5))))
    listed = lambda: k.group(k.say("label"), row(e("col sunk over", k.items(nodes(k, r.choice(["mono", "folder", ""]), 6, k.has(0.5)) if k.has(0.5) else [Item(k.say(), check=r.choice(["on", "off"])) for _ in range(6)]), style="height:126px;flex:1"), col(*(k.button(s, states="disabled" if i == 2 else "") for i, s in enumerate(("Add…", "Edit…", "Remove"))), gap=5), style="align-items:flex-start"))
    facts = lambda: col(k.link(k.say("title")) if k.has(0.4) else "", *(row(e("none", k.text(k.say("word") + ":"), style="width:110px"), k.text(k.say("path"))) for _ in range(3)), gap=6)
    page = [make() for make in r.sample([boxes, radios, entries, listed, facts], r.randint(2, 4))]
    sheet = col(k.tabs(k.says(r.randint(2, 6), "word"), r.randrange(2)), col(*page, gap=10, cls="fill tabpage"), cls="fill", gap=0)
    body = col(sheet, k.buttons(["OK", "Cancel", "Apply"], 0, r.choice(["", "disabled"])), cls="fill", gap=8, style="padding:10px")
    return Program(f"{k.say('word')} Properties", body, plain=True)


def wizard(k: Kit) -> Program:
    """An installer: a banner, a page and Back, Next, Cancel."""
    r = k.r
    page = r.choice([
        lambda: [k.para(k.say("paragraph")), k.progress(r.random()), k.text(k.say("path"), "dim")],
        lambda: [k.para(k.say("sentence")), k.area(k.say("paragraph") + " " + k.say("paragraph"), "150px"), k.radio("I accept the agreement", "checked"), k.radio("I do not accept the agreement")],
        lambda: [k.para(k.say("sentence")), row(k.field("C:\\Program Files\\" + k.say("word")), k.button("Browse…")), k.check("Create a desktop shortcut", "checked"), k.check(k.say("label"))],
        lambda: [k.para(k.say("sentence")), e("col sunk over", k.tree(nodes(k, "", 8, True)), style="height:170px"), k.text(f"Space required: {k.say('number')}")],
    ])()  # fmt: skip
    art = k.picture(r.randint(110, 170), "100%", "border-radius:0") if k.has(0.5) else ""
    body = col(row(art, col(k.heading(k.say("title"), "mid"), *page, gap=12, cls="fill", style="padding:18px"), cls="fill stretch", gap=0), k.line(), e("none", k.buttons(["< Back", "Next >", "Cancel"], 1), style="padding:10px"), cls="fill", gap=0)
    return Program(f"{k.say('word')} Setup", body, plain=k.has(0.5))


def form(k: Kit) -> Program:
    """A tool of someone's own with all its controls on one panel."""
    r = k.r
    line = lambda i: row(e("none", k.text(k.say("word")), style="width:90px;overflow:hidden"), r.choice([k.field(k.say("word"), states=r.choice(["", "focused", "disabled"])), k.dropdown(k.say("word"), "100%"), k.field(hint=k.say("label"))]), k.button("…", cls="tiny") if k.has(0.2) else "")
    left = col(k.group(k.say("label"), *some(k, 3, 7, line)), k.group(k.say("label"), row(*(k.radio(k.say("word"), states(checked=i == 0)) for i in range(3))), k.slider(r.random(), ticks=r.choice([0, 11])), row(k.text("Max"), k.spin(r.randint(1, 9999), 80), k.check(k.say("word"), "checked"))), row(k.default(k.say("word")), k.button(k.say("word")), k.button(k.say("word"), states="disabled")), cls="fill", gap=10)
    right = col(e("col sunk fill", k.scroll(k.tree(nodes(k, r.choice(["mono", "folder"]), 0, k.has(0.4))))), k.progress(r.random()), k.area("\n".join(k.say("code") for _ in range(4)), "90px"), cls="fill", gap=8)
    return Program(k.say("title"), row(left, right, cls="fill stretch", gap=10, style="padding:10px"), menus(k), toolset(k, r.randint(0, 10)), status=[k.say("label"), k.say("path")], plain=True)


def factory(k: Kit) -> Program:
    """Groups of one kind of control each, as in preferences of old and in galleries of widgets."""
    r = k.r
    off = lambda: r.choice(["", "", "", "disabled"])
    on = lambda: " ".join(filter(None, [r.choice(["", "checked"]), off()]))
    word = lambda: k.say("word")
    kinds = [
        lambda i: k.check(k.say(), on()),
        lambda i: k.radio(k.say(), states(checked=i == 1, disabled=i == 3)),
        lambda i: row(k.text(k.say()), GAP, k.switch(on())),
        lambda i: row(e("none", k.text(word()), style="width:64px;overflow:hidden"), k.slider(r.random(), "", ticks=r.choice([0, 0, 5]), states=off())),
        lambda i: row(e("none", k.text(word()), style="width:64px;overflow:hidden"), k.progress(r.random(), "")),
        lambda i: row(k.text(word()), GAP, k.spin(r.randint(0, 999), r.randint(70, 110), off())),
        lambda i: k.dropdown(k.say(), "100%", off()),
        lambda i: k.link(k.say("title")),
        lambda i: row(k.default(word(), off()), k.button(word(), states=off()), k.button(word(), k.icon(14)) if k.has(0.5) else ""),
        lambda i: k.segments(k.says(3, "word"), r.randrange(3), k.has(0.3)),
        lambda i: row(*(k.badge(word(), r.choice(["", "hot", "chip"])) for _ in range(3)), gap=5),
        lambda i: k.field(*r.choice([(word(), ""), ("", k.say())]), states=off(), width="100%"),
    ]
    part = lambda kind: k.group(k.say() if k.has(0.8) else "", *(kind(i) for i in range(r.randint(2, 5))))
    columns = 1 if k.PHONE else r.choice([1, 2, 2, 3])
    stack = lambda: col(*(part(kind) for kind in r.sample(kinds, r.randint(3, 6))), gap=14, style="flex:1;min-width:0")
    body = k.scroll(row(*(stack() for _ in range(columns)), gap=16, style="padding:16px;align-items:flex-start"), share=0.4)
    return Program(k.say("title"), body, menus(k), toolset(k, r.randint(0, 6)), status=some(k, 0, 2, lambda i: k.say()), plain=k.has(0.7), pages=k.says(3, "word"))


def picker(k: Kit) -> Program:
    """A dialog that chooses a colour."""
    r = k.r
    h = r.randrange(360)
    plane = e("pic", e("ring"), role="picture", acted=True, name="colour plane", style=f"width:{r.randint(180, 240)}px;height:190px;background:linear-gradient(#0000,#000),linear-gradient(90deg,#fff,{hsl(h, 100, 50)})")
    hue = e("pic", role="slider", name="hue", style="width:20px;height:190px;background:linear-gradient(red,#ff0,lime,cyan,blue,#f0f,red)")
    numbers = col(*(row(e("none", k.text(s), style="width:14px"), k.spin(r.randint(0, 255), 64)) for s in "HSVRGB"), gap=5)
    swatches = e("swatches", *(e("swatch", role="button", name="colour", style=f"background:{hsl(r.randrange(360), r.randint(20, 95), r.randint(15, 85))}") for _ in range(32)))
    body = col(row(plane, hue, numbers, gap=12, style="align-items:flex-start"), swatches, row(k.text("HTML"), k.field(f"#{r.randrange(1 << 24):06x}", width=90), e("swatch big", role="picture", style=f"background:{hsl(h, 80, 50)}")), k.buttons(["Select", "Cancel"]), cls="fill", gap=12, style="padding:12px")
    return Program("Select Colour", body, plain=True)


def keyboard(k: Kit) -> Program:
    """An on-screen keyboard below a field."""
    def key(s, wide=1):
        return e("btn key", s if len(s) < 6 else "", glyph("up", 14) if s == "shift___" else "", role="button", name=s, style=f"flex:{wide};min-width:0;padding:0")

    rows = [row(*(key(s) for s in line), gap=5) for line in ("qwertyuiop", "asdfghjkl")] + [row(key("shift___", 1.5), *(key(s) for s in "zxcvbnm"), key("⌫", 1.5), gap=5), row(key("123", 1.5), key(","), key("space___", 5), key("."), key("⏎", 1.5), gap=5)]
    hints = row(*(e("btn hint", t(k.say("word")), role="button", style="flex:1;border:0;background:none") for _ in range(3)), gap=0)
    talk = k.scroll(col(*(k.para(k.say("sentence")) for _ in range(4)), style="padding:14px", gap=12))
    return Program(k.say("name"), col(talk, row(k.field(k.say("sentence"), states="focused"), k.tool(Tool("send")), style="padding:8px", cls="none"), e("col kbd none", hints, *rows, style="gap:7px;padding:8px 5px", role="panel"), cls="fill", gap=0))


def notes(k: Kit) -> Program:
    at = k.r.randrange(4)
    if k.PHONE or k.has(0.3):
        note = lambda i: k.card(k.heading(k.say("label")), k.para(k.say("sentence"), "dim"), row(k.badge(k.say("word"), "chip"), GAP, k.tool(Tool("pin"))) if k.has(0.4) else "", style="break-inside:avoid;margin-bottom:10px", acted=True)
        return Program("Notes", k.scroll(e("", *some(k, 5, 12, note), style=f"columns:{2 if k.PHONE else 3};column-gap:10px;padding:12px")), [], toolset(k, 3), pages=["Notes", "Reminders", "Archive"])
    words = k.scroll(col(k.heading(k.say("title"), "big"), *(k.para(k.say("paragraph")) for _ in range(2)), *(k.check(k.say("label"), k.r.choice(["", "checked"])) for _ in range(4)), gap=10, style="padding:20px"))
    return Program("Notes", words, menus(k), toolset(k, 6), k.sidebar(k.scroll(k.items([Item(k.say("title"), k.say("sentence")[:40], states=pick(k, i, at)) for i in range(12)])), 220), search=True)


def gallery(k: Kit) -> Program:
    """Photos in a grid."""
    n = k.r.choice([3, 4]) if k.PHONE else k.r.randint(4, 8)
    grid = lambda: e("keys", *(k.picture("100%", "auto", "aspect-ratio:1", acted=True) for _ in range(k.r.randint(4, 18))), style=f"--n:{n};gap:{k.r.choice([2, 4, 10])}px")
    return Program("Photos", k.scroll(col(*(part for _ in range(2) for part in (k.heading(k.say("date"), "mid"), grid())), gap=10, style="padding:10px")), menus(k), toolset(k, k.r.randint(1, 5)), places(k, names=["Library", "Albums", "People", "Favourites"]), search=k.has(0.5), pages=["Photos", "Search", "Library"])


def launcher(k: Kit) -> Program:
    """Programs to start, as cards or as a grid of icons."""
    r = k.r
    size = r.choice([40, 48, 56, 64])
    app = lambda i: e("item tile", k.appicon(size), e("tilelabel", t(k.say("word"))), role="item")
    hero = k.card(row(k.picture(200, 110), col(k.heading(k.say("title"), "mid"), k.para(k.say("sentence"), "dim"), row(k.default("Play"), k.button("Details")))), style="padding:14px") if k.has(0.5) and not k.PHONE else ""
    return Program(k.say("word"), k.scroll(col(hero, e("row wrap", *some(k, 8, 24, app), style="gap:12px;align-items:flex-start"), style="padding:14px", gap=14)), [], toolset(k, 3), places(k) if k.has(0.4) else "", search=k.has(0.6), pages=["Home", "Games", "Apps"])


# Small windows over others: title, body, buttons and size.
def message(k: Kit) -> tuple[str, str, str, int, int]:
    mark = k.icon(32, f"color:{hsl(k.r.choice([210, 45, 0]), 80, 50)}", "warning")
    labels = k.r.choice([["OK"], ["Yes", "No", "Cancel"], ["Save", "Don't Save", "Cancel"], ["Delete", "Cancel"]])
    more = k.check("Don't ask again") if k.has(0.3) else ""
    return k.say("label"), row(mark if k.has(0.8) else "", col(k.heading(k.say("title")) if k.has(0.6) else "", k.para(k.say("sentence")), more, cls="grow"), gap=14, style="align-items:flex-start"), k.buttons(labels), k.r.randint(320, 440), k.r.randint(150, 190)


def copying(k: Kit) -> tuple[str, str, str, int, int]:
    one = lambda i: col(k.text(k.say("path")), row(k.progress(k.r.random(), ""), k.tool(Tool("cancel", glyph="close"))), k.text(f"{k.r.randint(2, 59)} minutes left", "dim small"), gap=5)
    return f"{k.r.randint(3, 99)} % complete", col(*some(k, 1, 3, one), gap=12), k.buttons(["Pause", "Cancel"], -1), 400, 230


def chooser(k: Kit) -> tuple[str, str, str, int, int]:
    side = places(k, 130)
    name = row(k.text("File name:"), k.field(filename(k), states="focused"), k.dropdown("All files", 120))
    return k.r.choice(["Open", "Save As"]), col(row(k.dropdown(k.r.choice(PLACES), 180), GAP, *(k.tool(x) for x in toolset(k, 3) if x)), row(side, e("col fill sunk", file_list(k)), cls="fill stretch"), name, cls="fill"), k.buttons(["Open", "Cancel"]), 580, 400


def asking(k: Kit) -> tuple[str, str, str, int, int]:
    lines = some(k, 1, 4, lambda i: col(k.text(k.say("label")), k.field(*k.r.choice([(k.say("word"), ""), ("", k.say("label")), ("••••••••", "")]), width="100%", states="focused" if i == 0 else ""), gap=4))
    return k.say("label"), col(*lines, k.check(k.say("label"), "checked") if k.has(0.5) else "", k.link(k.say("label")) if k.has(0.3) else "", gap=10), k.buttons(["OK", "Cancel"]), k.r.randint(300, 400), 110 + 56 * len(lines) + 50


DIALOGS = [message, message, copying, chooser, asking]
SMALL = {properties: (400, 500), wizard: (540, 480), picker: (440, 480), calculator: (360, 480), form: (720, 520), tasks: (620, 500)}  # their natural sizes
DESKTOP = [files, files, files, mail, chat, editor, ide, document_, sheet, calculator, terminal, paint, music, music, video, mixer, mixer, map_, dashboard, tasks, tasks, database, logs, git, plugins, network, calendar, settings, settings, settings, settings, factory, factory, factory, factory, properties, properties, properties, wizard, form, form, form, picker, notes, gallery, launcher]
PHONE = [settings] * 5 + [factory] * 2 + [mail, chat, chat, music, calendar, map_, plugins, notes, dashboard, keyboard, gallery, launcher]
