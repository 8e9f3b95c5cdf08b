"""The looks of Windows: 95/2000, XP, 7, 10 and 11, with ribbons, task bars and start menus."""

from .glyphs import glyph, hsl
from .kit import Item, Kit, Program, Tool, tones
from .markup import GAP, col, e, row, states, t

ACCENTS = ["#0078d4", "#0067c0", "#0078d7", "#107c10", "#744da9", "#c30052", "#ca5010", "#038387", "#4c4a48", "#005fb8"]

RIBBON_CSS = """
.rtabs{display:flex;flex:none;padding:0 2px;background:var(--rtabs)}.rtabs .tab{height:26px;padding:0 13px;border:0;color:var(--rink,var(--ink))}.rtabs .file{background:var(--accent);color:var(--onaccent)}.rtabs .tab.selected{background:var(--ribbon);color:var(--accent);border:1px solid var(--line);border-bottom:0;border-radius:var(--r) var(--r) 0 0}
.ribbon{display:flex;flex:none;background:var(--ribbon);border-bottom:1px solid var(--line);height:94px;overflow:hidden;padding:3px 2px 0}.rgroup{display:flex;flex-direction:column;border-right:1px solid var(--hair);padding:0 4px;flex:none}.rgroup .rows{display:flex;flex:1;gap:2px;align-items:flex-start}.rgroup .rlabel{align-self:center;font-size:11px;padding-bottom:2px}.ribbon .tool{min-width:22px}.ribbon .small3{display:flex;flex-direction:column;gap:1px}.ribbon .small3 .tool{height:22px;justify-content:flex-start}
"""
BAR_CSS = """
.taskbar{position:absolute;left:0;right:0;bottom:0;display:flex;align-items:center;color:var(--taskink,#fff);z-index:30;overflow:hidden}.taskbar .task{display:flex;align-items:center;justify-content:center;gap:6px;flex:none;position:relative;overflow:hidden;white-space:nowrap}
.tray{display:flex;align-items:center;gap:9px;padding:0 10px;height:100%;flex:none}.clock{display:flex;flex-direction:column;align-items:center;font-size:12px;line-height:1.25}.start{position:absolute;z-index:31;overflow:hidden}
.dicon{position:absolute;width:76px;color:#fff;text-shadow:0 1px 2px #000c}
"""


class Windows(Kit):
    FONTS = ("Open Sans", "Noto Sans", "Open Sans")
    ARROWS = True
    BAR_HIGH = 40
    RIBBON = 0.25
    CSS = RIBBON_CSS + BAR_CSS

    def inside(self, p: Program) -> str:
        if p.tools and len(p.tools) > 4 and self.has(self.RIBBON):
            body = self.middle(p)
            return self.ribbon(p) + self.path(p) + (self.tabs(p.tabs, 0, closable=True) if p.tabs else "") + body + self.statusbar(p.status)
        return super().inside(p)

    def ribbon(self, p: Program) -> str:
        """Tabs with groups of tall and small tools."""
        r = self.r
        names = ["Home", "Insert", "Layout", "Review", "View", "Data", "Help"][: r.randint(3, 7)]
        tabs = e("tab file", "File", role="tab") + "".join(e("tab", s, role="tab", states=states(selected=i == 0)) for i, s in enumerate(names))
        small = lambda: e("small3", *(self.tool(Tool(self.say("word"), r.choice(["", "", "disabled", "checked"])), self.labelled) for _ in range(3)))
        tall = lambda: e("tool tall", self.icon(r.choice([24, 32]), label=(s := self.say("word"))), t(s), glyph("tri-down", 8) if self.has(0.4) else "", role="button", states=r.choice(["", "", "", "disabled"]))
        grid = lambda: col(row(self.dropdown(self.say("word"), 104), self.dropdown("11", 44), gap=2), row(*(self.tool(Tool(self.say("word"))) for _ in range(5)), gap=0), gap=4)
        group = lambda: e("rgroup", e("rows", *(r.choice([tall, tall, small, small, grid])() for _ in range(r.randint(1, 4)))), self.text(self.say("word"), "rlabel dim"), role="panel")
        return e("rtabs", tabs, GAP, self.tool(Tool("collapse", glyph="up"))) + e("ribbon", *(group() for _ in range(r.randint(4, 8))), role="toolbar")

    def tray(self) -> str:
        clock = e("clock", self.text(f"{self.r.randint(0, 23)}:{self.r.randint(10, 59)}"), self.text("11/30/2025") if self.BAR_HIGH > 34 else "", role="button", name="clock")
        return e("tray", e("", glyph("up", 11), role="button", name="hidden icons"), *(e("", self.icon(15), role="button") for _ in range(self.r.randint(2, 5))), clock)

    def tasks(self) -> str:
        size = 24 if self.BAR_HIGH > 38 else 18
        one = lambda i: e("task" + (" on" if i in (0, 2) else ""), self.appicon(size), role="button", states=states(selected=i == 0), name="task", style=f"width:{self.BAR_HIGH + 4}px;height:100%")
        return "".join(one(i) for i in range(self.r.randint(3, 11)))

    def start_button(self) -> str:
        pane = '<svg width="20" height="20" viewBox="0 0 20 20" data-role="icon" data-name="start"><path d="M1 1h8.5v8.5H1zM10.5 1H19v8.5h-8.5zM1 10.5h8.5V19H1zM10.5 10.5H19V19h-8.5z" fill="currentColor"/></svg>'
        return e("task", pane, role="button", name="start", style=f"width:{self.BAR_HIGH + 6}px;height:100%;color:var(--startink,inherit)")

    def shell(self, w, h):
        bar = self.start_button() + (self.search("200px") if self.has(0.4) else "") + self.tasks() + GAP + self.tray()
        menu = self.start_menu(w, h) if self.has(0.2) else ""
        return self.desktop_icons(h) + e("taskbar", bar, role="toolbar", style=f"height:{self.BAR_HIGH}px") + menu, (0, 0, w, h - self.BAR_HIGH)

    def desktop_icons(self, h: int) -> str:
        if self.has(0.4):
            return ""
        one = lambda i: e("item tile dicon", self.art(self.r.choice(["app", "folder", "file"]), self.r.choice([32, 48])), e("tilelabel", t(self.say("word"))), role="item", ground="picture", style=f"left:{6 + 84 * (i // 5)}px;top:{8 + 92 * (i % 5)}px")
        return "".join(one(i) for i in range(self.r.randint(2, 9)))

    def start_menu(self, w: int, h: int) -> str:
        apps = self.items([Item(self.say("word"), icon="app") for _ in range(11)])
        tiles = e("keys", *(e("item tile", self.appicon(32), e("tilelabel", t(self.say("word"))), role="item", style="width:auto;background:var(--hover)") for _ in range(12)), style="--n:3;align-content:start")
        high = min(440, h - 60)
        return e("menu start", row(col(self.search("100%"), apps, cls="fill"), tiles, cls="stretch", gap=12, style="padding:10px;height:100%"), role="menu", style=f"left:{0 if self.BAR_HIGH < 46 else w // 2 - 260}px;bottom:{self.BAR_HIGH + (0 if self.BAR_HIGH < 46 else 10)}px;width:520px;height:{high}px")


class Classic(Windows):
    """Windows 95 to 2000, and the tools that still look so."""

    CONTRAST = False
    FONTS = ("Liberation Sans", "Arimo", "DejaVu Sans", "Nimbus Sans")
    CHEVRON, TWIST = "tri-down", ("plus", "minus")
    BAR_HIGH = 28
    RIBBON = 0
    CSS = RIBBON_CSS + BAR_CSS + """
.window,.dialog,.menu,.btn,.taskbar .task,.start,.taskbar{border:1px solid;border-color:#fff #404040 #404040 #fff;box-shadow:inset -1px -1px #808080,inset 1px 1px #dfdfdf}.btn.default{background:var(--btn);color:var(--ink);outline:1px solid #000}
.btn:hover{}.window,.dialog{padding:3px}.field,.drop,.sunk,.box,.table,.sb .run,.prog,.group.area{border:1px solid;border-color:#808080 #fff #fff #808080;box-shadow:inset 1px 1px #404040}.sb .run{border:0;box-shadow:none;background:repeating-conic-gradient(#fff 0 25%,var(--bg) 0 50%) 0/2px 2px}
.sb .thumb,.sb .arrow,.drop>svg,.spin .arrows>*,.thead .th,.wctl{background:var(--bg);border:1px solid;border-color:#fff #404040 #404040 #fff;box-shadow:inset -1px -1px #808080;color:#000}.drop{padding:2px}.drop>svg{width:16px!important;height:100%!important}.drop .val{padding-left:4px}.spin{padding:1px 1px 1px 5px}
.titlebar{padding:0 2px 0 4px;gap:4px;font-weight:bold}.titlebar .t{font-weight:bold}.wctl{width:16px;height:14px}.w-close{margin-left:2px}.box,.box.checked{background:var(--field);color:#000;border-radius:0}.box.radio{border-radius:50%}.radio .dot{width:4px;height:4px}.box.disabled{opacity:1;background:var(--bg);color:#808080}.btn.disabled,.chk.disabled .t,.tool.disabled{color:#808080;text-shadow:1px 1px #fff}
.prog{padding:2px}.prog>div{background:repeating-linear-gradient(90deg,var(--accent) 0 8px,transparent 8px 10px)}.slider .thumb{width:10px;border-radius:0 0 4px 4px;background:var(--bg);border:1px solid;border-color:#fff #404040 #404040 #fff}.slider.v .thumb{width:var(--thumb);height:9px;border-radius:0 4px 4px 0}.slider .done{display:none}.slider .rail{border:1px solid;border-color:#808080 #fff #fff #808080;background:#000}
.group{border:1px solid #808080;box-shadow:1px 1px #fff,inset 1px 1px #fff;margin-top:7px;border-radius:0}.gtitle{position:absolute;top:-8px;left:8px;background:var(--bg);padding:0 4px;font-weight:400}.tabs{margin-bottom:-1px;padding:0 2px;position:relative;z-index:1}.tab{border:1px solid;border-color:#fff #404040 transparent #fff;border-radius:3px 3px 0 0;color:var(--ink);height:22px;background:var(--bg)}.tab.selected{border-bottom-color:var(--bg);margin:0 -2px -1px;height:25px}.tabpage{border:1px solid;border-color:#fff #404040 #404040 #fff;padding:14px 10px}
.tree .twist{width:9px;height:9px;border:1px solid #808080;background:#fff;color:#000;margin:0 3px}.tree .twist:empty{border:0;background:none}.status{border-top:0;gap:2px;padding:2px}.status .t{border:1px solid;border-color:#808080 #fff #fff #808080;padding:1px 6px;min-width:70px}.tool.checked{border-color:#808080 #fff #fff #808080;background:repeating-conic-gradient(#fff 0 25%,var(--bg) 0 50%) 0/2px 2px}
.toolbar{border-top:1px solid #fff;border-bottom:1px solid #808080}.sepv{width:2px;background:linear-gradient(90deg,#808080 50%,#fff 50%)}.item.selected{color:var(--selpassiveink)}.taskbar{color:#000;padding:2px 3px;gap:3px;background:var(--bg)}.tray{border:1px solid;border-color:#808080 #fff #fff #808080;padding:0 7px}.split.v{--sp:4px;background:var(--bg)}
"""

    def tokens(self):
        self.dark = False
        self.colour_icons = True
        r = self.r
        bg, accent = r.choice([("#c0c0c0", "#000080"), ("#d4d0c8", "#0a246a"), ("#c0c0c0", "#000080"), ("#d4d0c8", "#0a246a"), (hsl(r.randrange(360), 18, 78), hsl(r.randrange(360), 60, 28))])
        return tones(0, 0, accent=accent, bg=bg, base="#fff", title=r.choice([accent, f"linear-gradient(90deg,{accent},#a6caf0)", f"linear-gradient(90deg,{accent},#1084d0)"]), titleink="#fff", ink="#000", btn=bg, head=bg, sidebg="#fff", pop=bg, mhot=accent, mhotink="#fff", selpassive=bg, statusbg=bg, sbbg=bg, sel=accent, hover=bg, desk="#808080", ribbon=bg, rtabs=bg, card=bg) | dict(
            fs="11px", ctl="21px", tool="23px", r="0px", cr="0px", mr="0px", box="13px", tith="18px", row="17px", headh="18px", sbw="16px", sbr="0px", mbh="18px", sth="20px", thumb="20px", mrow="18px", prog="16px", bmin="73px", pad="10px", setpad="10px",
        )  # fmt: skip

    def start_button(self):
        return e("task", self.appicon(15), "<b>Start</b>", role="button", name="start", style="height:22px;padding:0 6px")

    def tasks(self):
        return "".join(e("task", self.appicon(15), e("over", t(self.say("label"))), role="button", style="width:130px;height:22px;justify-content:flex-start;padding:0 4px") for _ in range(self.r.randint(1, 4)))


class XP(Windows):
    """Windows XP in blue, olive or silver."""

    CONTRAST = False
    FONTS = ("DejaVu Sans", "DejaVu Sans Condensed", "Liberation Sans", "Noto Sans")
    CHEVRON, TWIST = "down", ("plus", "minus")
    BAR_HIGH = 30
    RIBBON = 0
    CSS = RIBBON_CSS + BAR_CSS + """
.window,.dialog{border:3px solid var(--wline);border-top:0;border-radius:8px 8px 0 0;box-shadow:none}.titlebar{padding:0 3px 0 5px;gap:5px;text-shadow:1px 1px #0008}.titlebar .t{font-weight:bold;font-size:13px}.wctl{width:21px;height:21px;margin-left:2px;border:1px solid #fff;border-radius:3px;color:#fff;background:radial-gradient(circle at 30% 25%,#7ba2e7,var(--cap) 70%)}.w-close{background:radial-gradient(circle at 30% 25%,#f5a38a,#d6431a 70%)}.wctl svg{stroke-width:2}
.btn{background:linear-gradient(#fff,#ecebe6 85%,#d6d0c5);border:1px solid #003c74}.btn.default{background:linear-gradient(#fff,#ecebe6 85%,#d6d0c5);color:#000;box-shadow:inset 0 0 0 2px #98b8ea}.btn.disabled{background:#f5f4ea;border-color:#c9c7ba;color:#a1a192}
.drop{padding:1px 1px 1px 5px}.drop>svg,.spin .arrows>*,.sb .thumb,.sb .arrow{background:linear-gradient(90deg,#d5e1fd,#b9cbf3);border:1px solid #fff;outline:1px solid #9ab4e8;outline-offset:-1px;border-radius:2px;color:#4d6185}.drop>svg{width:16px!important;height:100%!important}.spin{padding:0 0 0 5px}
.box{border-color:#1c5180;background:linear-gradient(135deg,#dcdcd7,#fff);color:#21a121;border-radius:0}.box.checked{background:linear-gradient(135deg,#dcdcd7,#fff);border-color:#1c5180}.radio .dot{background:radial-gradient(#55d551,#21a121)}.group{border-color:#d0d0bf;border-radius:4px;margin-top:7px}.gtitle{position:absolute;top:-8px;left:8px;background:var(--bg);padding:0 4px;font-weight:400;color:#0046d5}
.tabs{margin-bottom:-1px;position:relative;z-index:1}.tab{background:linear-gradient(#fff,#ecebe6);border:1px solid #919b9c;border-bottom:0;border-radius:3px 3px 0 0;color:#000;height:21px}.tab.selected{background:#fcfcfe;border-top:3px solid #e5972d;height:24px}.tabpage{background:#fcfcfe;border:1px solid #919b9c;padding:14px 10px}.tabpage .gtitle{background:#fcfcfe}
.prog{background:#fff;border:1px solid #686868;padding:2px;border-radius:3px}.prog>div{background:repeating-linear-gradient(90deg,transparent 0 8px,#fff 8px 10px),linear-gradient(#acedad,#2ed330 55%,#6fdd71)}.slider .thumb{width:11px;border-radius:2px 2px 5px 5px;background:linear-gradient(#f3f3ef 60%,#21a121);border:1px solid #778892}.slider.v .thumb{width:var(--thumb);height:11px}.slider .done{display:none}
.tree .twist{width:9px;height:9px;border:1px solid #7898b5;background:linear-gradient(135deg,#fff,#c0b7a6);margin:0 3px;color:#000}.tree .twist:empty{border:0;background:none}.thead .th{background:linear-gradient(#ebeadb 85%,#cbc7b8)}.side{background:linear-gradient(#7ba2e7,#6375d6);--ink:#215dc6;padding:10px}.side .item{background:#d6dff7;color:#215dc6}.side .item.selected{background:#fff;color:#215dc6}.side .sidehead{background:linear-gradient(90deg,#fff,#c6d3f7);border-radius:5px 5px 0 0;padding:4px 8px;margin-top:8px}.side .h{color:#215dc6;font-size:11px}
.toolbar{border-bottom:1px solid #d8d2bd}.status{border-top:1px solid #d8d2bd}.taskbar{background:linear-gradient(var(--bar2),var(--cap) 12%,var(--cap) 85%,var(--cap2))}.taskbar .task{background:linear-gradient(#6fa0f5,#3c81f3 40%);border-radius:2px;box-shadow:inset -1px -1px #0004,inset 1px 1px #fff4}.tray{background:linear-gradient(#0c8dea,#0d9eee 20%,#0b77e9);border-left:1px solid #092e51}
"""

    def tokens(self):
        self.dark = False
        self.colour_icons = True
        cap, cap2, line = self.r.choice([("#2a68ea", "#1941a5", "#0831d9"), ("#2a68ea", "#1941a5", "#0831d9"), ("#9db068", "#6d8043", "#748a4a"), ("#b8b9ca", "#80819a", "#9a9bb0")])
        return tones(48, 30, accent="#316ac5", bg="#ece9d8", base="#fff", title=f"linear-gradient({cap2},{cap} 8%,{cap} 70%,{cap2})", titleink="#fff", ink="#000", head="#ebeadb", pop="#fff", popline="#aca899", mhot="#316ac5", mhotink="#fff", sel="#316ac5", selpassive="#ece9d8", fieldline="#7f9db9", wline=line, sbbg="#f3f3ee", line="#c1bfae", hair="#d8d2bd", hover="#dfe8f6", ribbon="#ece9d8", rtabs="#ece9d8", desk="#808080") | dict(
            cap=cap, cap2=cap2, bar2="#3c8cf3", fs="11px", ctl="21px", tool="26px", r="3px", mr="0px", box="13px", tith="29px", row="18px", headh="20px", sbw="17px", sbr="2px", mbh="20px", sth="22px", thumb="20px", mrow="19px", prog="16px", setpad="10px", rail="4px",
        )  # fmt: skip

    def start_button(self):
        return e("task", self.appicon(18), "<b><i>start</i></b>", role="button", name="start", style="height:30px;width:96px;font-size:18px;background:linear-gradient(#5eac56,#3c8a34 40%,#327b2c);border-radius:0 8px 8px 0")

    tasks = Classic.tasks


class Seven(Windows):
    """Windows Vista and 7 with glass."""

    CONTRAST = False
    CHEVRON, TWIST = "tri-down", ("tri-right", "tri-down")
    CSS = RIBBON_CSS + BAR_CSS + """
.window,.dialog{border:7px solid var(--glass);border-top:0;background-clip:padding-box;border-radius:7px;outline:1px solid #0009;outline-offset:-1px;box-shadow:0 6px 22px #0008}.window.bare,.dialog.bare{outline:0}.titlebar{padding:0 3px 0 4px;gap:6px;align-items:flex-start;padding-top:7px;margin:0 -5px}.titlebar>.t{text-shadow:0 0 8px #fff,0 0 6px #fff}.wctl{width:28px;height:19px;margin-top:-7px;border:1px solid #0006;border-top:0;background:linear-gradient(#fff9,#fff3 45%,#0002 46%,#fff4);color:#222}.w-minimise{border-radius:0 0 0 4px}.w-close{width:47px;border-radius:0 0 4px;background:linear-gradient(#f0b3a5,#d2664f 45%,#bb2b12 46%,#e0714e);color:#fff}
.btn,.drop{background:linear-gradient(#f2f2f2,#ebebeb 49%,#ddd 50%,#cfcfcf);border-color:#707070;box-shadow:inset 0 0 0 1px #fffc}.btn.default{background:linear-gradient(#f2f9fc,#d9f0fc 49%,#bee6fd 50%,#a7d9f5);border-color:#3c7fb1;color:#000}.btn.disabled{background:#f4f4f4;border-color:#adb2b5}
.box,.box.checked{background:linear-gradient(135deg,#e6e8ea,#fff);border-color:#8e8f8f;color:#4b5f9e;box-shadow:inset 0 0 0 1px #fff}.radio .dot{background:radial-gradient(circle at 35% 35%,#b3e0f7,#0a5f9c)}.prog{border:1px solid #b2b2b2;background:linear-gradient(#fff,#d8d8d8 45%,#cacaca 46%,#e8e8e8)}.prog>div{background:linear-gradient(#c9f5cc,#7be587 45%,#01d328 46%,#3be35a)}
.slider .thumb{width:11px;border-radius:2px 2px 6px 6px;background:linear-gradient(#f5f5f5,#ddd);border-color:#707070}.slider.v .thumb{width:var(--thumb);height:11px}.slider .done{display:none}.slider .rail{border:1px solid #bbb;background:#e7eaea}
.sb .thumb{background:linear-gradient(90deg,#f5f5f5,#e9e9eb 49%,#d9dadc 50%,#c0c0c4);border:1px solid #989898;border-radius:2px}.sb.h .thumb{background:linear-gradient(#f5f5f5,#e9e9eb 49%,#d9dadc 50%,#c0c0c4)}.group{border-color:#d5dfe5;border-radius:3px;margin-top:8px}.gtitle{position:absolute;top:-9px;left:8px;background:var(--bg);padding:0 4px;font-weight:400}
.tabs{margin-bottom:-1px;position:relative;z-index:1}.tab{background:linear-gradient(#f2f2f2,#dcdcdc);border:1px solid #898c95;border-bottom:0;height:21px;color:#000}.tab+.tab{margin-left:-1px}.tab.selected{background:#fff;height:24px}.tabpage{background:#fff;border:1px solid #898c95;padding:14px 10px}.tabpage .gtitle{background:#fff}.toolbar{background:linear-gradient(#fafcfe,#e6f0fa 49%,#dce6f4 50%,#e2ecf8);border-bottom:1px solid #a0afc3;color:#1e395b;--toolink:#1e395b}.menubar{background:linear-gradient(#fff,#e4eaf5)}
.item.selected,.tr.selected{background:linear-gradient(#f8f8f8,#e5e5e5);box-shadow:inset 0 0 0 1px #d9d9d9;border-radius:3px}.item.selected.focused,.tr.selected.focused{background:linear-gradient(#dcebfc,#c1dbfc);box-shadow:inset 0 0 0 1px #7da2ce;color:#000;--dim:#444}.menu .item.hot{background:linear-gradient(#f0f6fd,#d9e9fb);box-shadow:inset 0 0 0 1px #aeccf0;border-radius:3px}.thead .th{background:linear-gradient(#fff 50%,#f4f5f7)}
.taskbar{background:linear-gradient(#fff5,#0003 8%,#0004);background-color:var(--glass)}.taskbar .task.on{background:linear-gradient(135deg,#fff9,#fff3);box-shadow:inset 0 0 0 1px #fff8,0 0 0 1px #0006;border-radius:3px}
"""

    def tokens(self):
        self.dark = False
        self.colour_icons = True
        h = self.r.choice([205, 205, 210, 190, 300, 30, 0])
        glass = hsl(h, self.r.choice([35, 50, 60]), self.r.choice([62, 70, 78]))
        return tones(210, 12, accent="#3399ff", bg="#f0f0f0", base="#fff", title=f"linear-gradient(100deg,#fff6,#fff1 40%,#fff5 60%,#fff2),{glass}", titleink="#000", ink="#111", link="#06c", selink="#000", sidebg="#f9fbfe" if self.has(0.5) else "#fff", fieldline="#abadb3", popline="#979797", pop="#f1f1f1", mhotink="#000", wline="#333", sbbg="#f0f0f0", ribbon="#f5f6f7", rtabs="#dfe9f5", statusbg="#f1f5fb") | dict(
            glass=glass, fs="12px", ctl="23px", tool="26px", r="3px", mr="0px", box="13px", tith="30px", row="20px", headh="24px", sbw="17px", sbr="2px", mbh="20px", sth="24px", thumb="20px", mrow="22px", prog="16px", setpad="14px",
        )  # fmt: skip


class Ten(Windows):
    """Windows 8 and 10: flat and square; also WinForms and WPF tools, which look so."""

    LABELLED = 0.25
    BAR_HIGH = 40
    CSS = RIBBON_CSS + BAR_CSS + """
.titlebar{padding-left:9px;gap:8px}.titlebar .t{font-size:12px}.wctl{width:46px;height:100%}.wctl svg{width:10px;height:10px}.dock .wctl,.tab .wctl{width:16px}.slider .thumb{width:8px;border-radius:4px;border:0;background:var(--accent);box-shadow:none}.slider.v .thumb{width:var(--thumb);height:8px}.slider .rail{border-radius:0}.slider .done{border-radius:0}
.switch{background:transparent;border:2px solid var(--dim)}.switch .knob{background:var(--dim);top:3px;left:3px;width:10px;height:10px;box-shadow:none}.switch.checked{border-color:var(--accent)}.switch.checked .knob{background:#fff;left:27px}.box.radio.checked{background:var(--field);color:var(--accent)}.dot{border-radius:50%}
.btn.default{outline:2px solid var(--accent);outline-offset:-2px;background:var(--btn);color:var(--btnink)}.flat .btn{border:0}.group{margin-top:8px}.gtitle{position:absolute;top:-9px;left:8px;background:var(--bg);padding:0 4px;font-weight:400}.base .gtitle{background:var(--base)}.prog{border:1px solid var(--hair);border-radius:0}
.tab{border:1px solid var(--line);border-bottom:0;background:var(--btn);height:22px}.tabs{margin-bottom:-1px;position:relative;z-index:1}.fill>.tabs+*{z-index:0}.tab+.tab{margin-left:-1px}.tab.selected{background:var(--base);height:25px;border-color:var(--line)}.tabpage{border:1px solid var(--line);background:var(--base);padding:14px 10px}.taskbar{background:var(--taskbg)}.taskbar .task.on::after{content:"";position:absolute;left:5px;right:5px;bottom:0;height:2px;background:#76b9ed}.start{background:var(--taskbg);color:#fff;--hover:#fff2}
.metro{background:var(--bg);border:0}.metro>.gtitle,.metro .gtitle{position:static;font-size:1.3em;font-weight:600;background:none;padding:0}
"""

    def tokens(self):
        r = self.r
        accent = r.choice(ACCENTS)
        self.dark = self.dark and self.has(0.7)
        self.metro = self.has(0.5)
        self.colour_icons = not self.dark and self.has(0.6)
        tint = r.choice(["#fff", "#fff", accent, "#f0f0f0"]) if not self.dark else r.choice(["#1f1f1f", "#000", accent])
        light = dict(bg="#f0f0f0", base="#fff", sel="#cce8ff" if self.has(0.5) else accent, fieldline="#7a7a7a", btn="#e1e1e1", btnline="#adadad", sbbg="#f0f0f0", sbthumb="#cdcdcd")
        dark = dict(bg="#202020", base="#191919", sel="#4d4d4d", btn="#333", btnline="#555", sbbg="#2b2b2b", sbthumb="#636363")
        colours = tones(0, 0, self.dark, accent, **(dark if self.dark else light))
        colours["selink"] = colours["ink"] if colours["sel"] in ("#cce8ff", "#4d4d4d") else "#fff"
        return colours | dict(
            title=tint, titleink="#fff" if tint == accent or self.dark else "#111", ribbon=colours["bg"] if self.dark else "#f5f6f7", rtabs=accent if self.has(0.3) else colours["base"], wline=r.choice([accent, "#888", "#555"]), taskbg=r.choice(["#101010", "#1f1f1fe8", "#e6e6ee", hsl(210, 50, 20)]),
            fs="12px", ctl="23px", tool="28px", r="0px", cr="0px", mr="0px", pr="0px", box="13px" if self.has(0.5) else "18px", sww="44px", swh="20px", tith="31px", row=f"{r.choice([20, 22, 24, 32])}px", headh="25px", sbw="17px", sbr="0px", thumb="22px", rail="3px", mbh="20px", sth="23px", mrow="24px",
        )  # fmt: skip

    def css(self):
        self.vars["taskink"] = "#111" if self.vars["taskbg"] == "#e6e6ee" else "#fff"
        self.vars["rink"] = "#fff" if self.vars["rtabs"] == self.vars["accent"] else "var(--ink)"
        return super().css()

    def settings(self, title, items):
        html = super().settings(title, items)
        return html.replace('class="group', 'class="group metro', 1) if self.metro else html


class Eleven(Windows):
    """Windows 11: WinUI with rounded cards and thin icons; also Electron programs of its style."""

    LABELLED = 0.45
    BAR_HIGH = 48
    RIBBON = 0.1
    MENUBAR = 0.4
    ARROWS = False
    CSS = RIBBON_CSS + BAR_CSS + """
.titlebar{padding-left:14px;gap:10px}.titlebar .t{font-size:12px}.wctl{width:46px;height:100%}.wctl svg{width:10px;height:10px}.dock .wctl,.tab .wctl{width:16px}.btn{border-bottom-color:var(--wkbot)}.field,.drop{border-bottom:1px solid var(--wkbot)}.field.focused{border-bottom:2px solid var(--accent);border-color:var(--line) var(--line) var(--accent)}.box{border-radius:4px}
.switch{background:transparent;border:1px solid var(--boxline)}.switch .knob{background:var(--boxline);top:3px;left:3px;width:12px;height:12px;box-shadow:none}.switch.checked{border-color:var(--accent)}.switch.checked .knob{background:var(--onaccent);left:23px}.slider .thumb{background:radial-gradient(var(--accent) 0 40%,var(--thumbbg) 45%);border-color:var(--line)}
.item{margin:2px 4px;position:relative}.menu .item{margin:1px 0}.side .item.selected::before,.list .item.selected::before{content:"";position:absolute;left:0;top:25%;bottom:25%;width:3px;border-radius:2px;background:var(--accent)}.menubar .item{margin:0}.group{border:0;padding:0;gap:4px}.gtitle{margin:4px 0}.setting{background:var(--card);border:1px solid var(--cardline);border-radius:4px;padding:10px 16px;min-height:56px}.side .item{min-height:36px}
.tabs{padding:4px 6px 0;background:transparent}.tab{border:0;border-radius:7px 7px 0 0;height:30px}.tab.selected{background:var(--base)}.middle .tabs{padding:0 12px}.middle .tab.selected{background:none;border-bottom:3px solid var(--accent);border-radius:0}.tile{margin:2px}.prog{height:3px}.progress{border-radius:2px}.segs{border:0;background:var(--hover);gap:1px;padding:2px;border-radius:5px}.seg{border:0!important;border-radius:4px}.seg.selected{background:var(--card);color:var(--ink);box-shadow:0 1px 2px #0003}
.taskbar{background:var(--taskbg);padding-left:12px}.taskbar .task{border-radius:5px}.taskbar .task.on::after{content:"";position:absolute;width:14px;bottom:3px;height:3px;border-radius:2px;background:#8a8a8a}.start{border-radius:9px}.tray{font-size:12px}.middle>.base{border-radius:8px 0 0}.menu{padding:4px;box-shadow:0 8px 22px #0003}.thead{background:var(--base)}
"""

    def tokens(self):
        r = self.r
        accent = r.choice(["#005fb8", "#0067c0", "#0067c0", r.choice(ACCENTS)]) if not self.dark else r.choice(["#60cdff", "#4cc2ff", "#60cdff", "#ff8ac5"])
        colours = tones(220, 6, self.dark, accent, **(dict(bg="#202020", base="#272727", card="#2d2d2d", cardline="#1d1d1d") if self.dark else dict(bg="#f3f3f3", base="#f9f9f9", card="#fdfdfd", cardline="#e5e5e5")))
        bg = colours["bg"]
        return colours | dict(
            onaccent="#000" if self.dark else "#fff", title=bg, sidebg=bg, sel=colours["hover"], selink=colours["ink"], btn=colours["card"], btnline=colours["hair"], fieldline=colours["hair"], dropbg=colours["card"], wkbot="#0004" if not self.dark else "#fff3", pop="#2c2c2c" if self.dark else "#f9f9f9", line=colours["hair"], ribbon=colours["card"], rtabs=bg,
            taskbg=r.choice(["#1c1c1ce6", "#202020"]) if self.dark else r.choice(["#eef2f9e6", "#f3f3f3"]), taskink="#fff" if self.dark else "#111", startink="#0078d4", thumbbg="#454545" if self.dark else "#fff", sbbg="transparent", sbthumb="#8a8a8a", tip=colours["card"], tipink=colours["ink"], tipline=colours["hair"],
            fs=f"{r.choice([13, 14])}px", ctl="32px", tool="34px", r="4px", ir="4px", cr="7px", mr="8px", wr="8px", box="18px", sww="40px", swh="20px", thumb="20px", rail="4px", tith=f"{r.choice([32, 40, 48])}px", row=f"{r.choice([28, 32, 36])}px", headh="32px", sbw=f"{r.choice([6, 8, 12])}px", sbi="2px", mbh="28px", mrow="30px", sth="26px", prog="3px", wline="#0003", pad="20px",
        )  # fmt: skip

    def tasks(self):
        return GAP + super().tasks()

    def setting(self, x):
        art = (self.art(x.icon, 20, x.text) if x.icon else "")
        words = col(self.text(x.text), self.text(x.sub, "dim small"), gap=1) if x.sub else self.text(x.text)
        more = (self.text(x.trail, "dim") if x.trail else "") + (glyph("right", 12) if x.more else "")
        return e("setting", art, words, GAP, x.control, more, role="item" if x.more else "panel")


LOOKS = [Classic, XP, Seven, Ten, Ten, Eleven, Eleven]
