"""The looks of macOS: brushed Aqua, Yosemite to Catalina, Big Sur to Sequoia, and the round glass after them."""

from .glyphs import glyph, hsl
from .kit import Kit, Program, Tool, tones
from .markup import GAP, col, e, row, t

ACCENTS = ["#007aff", "#007aff", "#0a63e0", "#a550a7", "#f74f9e", "#ff5257", "#f7821b", "#62ba46", "#8c8c8c"]

COMMON = """
.lights{display:flex;gap:8px;align-items:center;flex:none}.light{width:12px;height:12px;border-radius:50%;display:flex;align-items:center;justify-content:center;color:#0008;border:.5px solid #0003}.light svg{width:8px;height:8px}.grey .light{background:var(--greylight)}.l-close{background:#ff5f57}.l-minimise{background:#febc2e}.l-maximise{background:#28c840}
.titlebar{padding:0 12px;gap:10px}.titlebar .t{font-weight:600}.centred .t{position:absolute;left:0;right:0;text-align:center;width:auto;margin:0 auto;pointer-events:none}.top{background:var(--title);flex:none;border-bottom:1px solid var(--hairline,var(--line))}.unified{display:flex;align-items:center;gap:10px;padding:0 14px;height:52px}
.menu{backdrop-filter:blur(20px)}.menu .item{margin:0 1px;border-radius:4px}.globalbar{position:absolute;left:0;right:0;top:0;height:24px;display:flex;align-items:center;padding:0 10px;z-index:30;background:var(--globalbar);color:var(--globalink);overflow:hidden}.globalbar .item{padding:0 9px;min-height:24px;font-size:13px}.globalbar .item:nth-child(2){font-weight:700}.globalbar .extras{display:flex;gap:13px;align-items:center}
.macdock{position:absolute;display:flex;align-items:flex-end;background:#ffffff55;backdrop-filter:blur(18px);border:1px solid #ffffff4d;z-index:30}.macdock.dark{background:#2a2a2a77}.macdock .app{position:relative}.macdock .app.run::after{content:"";position:absolute;width:4px;height:4px;border-radius:50%;background:#000a;left:calc(50% - 2px);bottom:-5px}
.popup>svg{width:16px!important;height:16px!important;border-radius:4px;background:var(--accent);color:#fff;padding:2px}.drop{padding-right:4px}.side .item{border-radius:6px;min-height:28px;margin:0 6px}.mac-help{border-radius:50%;width:20px;min-width:0;height:20px;padding:0}.status{justify-content:center;color:var(--dim)}.thead{font-size:11px}.tile{border-radius:5px}
.field.focused{box-shadow:0 0 0 3px color-mix(in srgb,var(--accent) 50%,transparent);border-color:transparent}.buttons{gap:10px!important}.keys .btn.key{border-radius:8px}
"""


class Mac(Kit):
    FONTS = ("Inter", "Inter", "Inter", "Roboto", "Nimbus Sans", "Lato")
    CHEVRON = "updown"
    LIGHTS_LEFT = True
    FOLDERS = (205, 205, 200)
    ICON = 16
    CSS = COMMON
    GLASS = False

    def window_buttons(self):
        off = self.r.random()
        grey = " grey" if off < 0.25 else ""
        show = off > 0.85  # the pointer is over them
        light = lambda s: e(f"light l-{s}", glyph({"close": "close", "minimise": "minus", "maximise": "plus"}[s], 8, 1.3) if show else "", role="button", name=s, states="disabled" if grey and off < 0.06 else "")
        return e("lights" + grey, *(light(s) for s in ("close", "minimise", "maximise")))

    def window_button(self, name):
        return ""

    def titlebar(self, title):
        return e("titlebar centred", self.window_buttons(), self.text(title), role="titlebar")

    def dialog(self, title, body, buttons, x, y, w, h):
        head = self.titlebar(title) if self.has(0.4) else ""
        return self.frame(head + e("col fill pad", body) + e("foot pad", buttons), x, y, w, h, "dialog")

    def buttons(self, labels, default=0, states=""):
        """The default stands at the right; a round question mark sometimes at the left."""
        help_ = self.button("?", cls="mac-help", name="help") if self.has(0.3) else ""
        made = [self.default(s) if i == default else self.button(s, states=states if i == len(labels) - 1 else "") for i, s in enumerate(labels)]
        return row(help_, GAP, *reversed(made), cls="buttons")

    def path(self, p):
        crumbs = "".join((glyph("right", 8) if i else "") + e("row", self.art("folder"), self.text(s, "small"), style="gap:4px") for i, s in enumerate(p.path))
        return e("status", crumbs, role="toolbar", style="justify-content:flex-start") if p.path and self.has(0.4) else ""

    def inside(self, p):
        """Below the tool bar there are only tabs, the content and a path."""
        tabs = self.tabs(p.tabs, self.r.randrange(len(p.tabs)), closable=True) if p.tabs else ""
        return tabs + self.middle(p) + self.path(p) + (self.statusbar(p.status[:1]) if self.has(0.5) else "")

    def bar(self, p: Program) -> str:
        """The tools of a window, with a search field at the end."""
        tools = [x for x in p.tools if x or not self.GLASS]
        return self.tools(tools[:10], self.ICON) + GAP + (self.search("160px") if p.search else "")

    def shell(self, w, h):
        names = [self.say("word"), "File", "Edit", "View", "Go", "Window", "Help"]
        apple = e("item", self.icon(15), role="item", name="system menu")
        extras = e("extras", *(e("", self.icon(14), role="button") for _ in range(self.r.randint(2, 7))), self.text("Sun 30 Nov  14:05", "small"))
        bar = e("globalbar", apple, *(e("item", t(s), role="item") for s in names), GAP, extras, role="toolbar", ground="picture")
        size = self.r.choice([36, 44, 52, 60])
        if self.has(0.2):
            return bar, (0, 24, w, h - 24)
        app = lambda i: e("app" + (" run" if self.has(0.4) else ""), self.appicon(size), role="button", name="app")
        n = min(self.r.randint(8, 18), w // (size + 10) - 2)
        dock = e("macdock" + (" dark" if self.dark else ""), *(app(i) for i in range(n)), e("sepv"), app(0), role="toolbar", ground="picture", style=f"gap:7px;padding:6px 7px 8px;border-radius:{size * 0.36:.0f}px;bottom:5px;left:50%;transform:translateX(-50%)")
        return bar + dock, (0, 24, w, h - 24 - (size + 24 if self.has(0.6) else 0))


class Aqua(Mac):
    """Leopard to Mavericks: grey gradients, blue glossy controls."""

    CONTRAST = False
    FONTS = ("Nimbus Sans", "Liberation Sans", "Open Sans", "Lato")
    CSS = COMMON + """
.btn{background:linear-gradient(#fff,#f4f4f4 50%,#ececec 51%,#fff);border-radius:4px;box-shadow:0 1px 1px #0002}.btn.default{background:linear-gradient(#dcecfb,#8fc3f5 49%,#6cb1f2 51%,#b5e1fd);border-color:#4d78b0;color:#000}.drop{background:linear-gradient(#fff,#f2f2f2 50%,#e8e8e8 51%,#fafafa);border-radius:4px;box-shadow:0 1px 1px #0002}.drop>svg{color:#333}
.box{background:linear-gradient(#fff,#e4e4e4);color:#000}.box.checked{background:linear-gradient(#d5e8fa,#79b6f4);border-color:#4d78b0}.prog{background:linear-gradient(#bbb,#f5f5f5);border:1px solid #999;border-radius:0}.prog>div{background:linear-gradient(#b9dcf9,#62b0f3 50%,#3f9bee 51%,#9fe0ff)}.slider .thumb{background:radial-gradient(circle at 50% 30%,#fff,#bcd5ee)}
.segs,.tool.b{background:linear-gradient(#fff,#ddd)}.seg.selected{background:linear-gradient(#aaa,#8a8a8a);color:#fff}.top{border-bottom-color:#515151}.toolbar{border-bottom:1px solid #888;background:var(--bar2)}.side .item{border-radius:0;margin:0;min-height:22px}.side .item.selected{background:linear-gradient(#a8b6cc,#7287a8);color:#fff}.side .item.selected.focused{background:linear-gradient(#5c93d5,#1d5aad)}.light{box-shadow:inset 0 -3px 4px #fff9,inset 0 2px 3px #0004}
.thead .th{background:linear-gradient(#fff,#eee 50%,#e3e3e3 51%,#f0f0f0)}.tabs{justify-content:center}.middle .tabs{padding:6px}.middle .tab{background:linear-gradient(#fff,#ececec);border:1px solid #999;height:21px;border-left-width:0;color:#222}.middle .tab:first-child{border-left-width:1px;border-radius:5px 0 0 5px}.middle .tab:last-child{border-radius:0 5px 5px 0}.middle .tab.selected{background:linear-gradient(#a0cbf5,#65a9ec)}.group{background:#0000000a}.tool.tall{font-size:11px}
"""

    def tokens(self):
        self.dark = False
        self.colour_icons = self.has(0.8)
        bar = self.r.choice(["linear-gradient(#e8e8e8,#c3c3c3)", "linear-gradient(#cfcfcf,#a7a7a7)", "linear-gradient(#f0f0f0,#d2d2d2)"])
        return tones(0, 0, accent="#3875d7", bg="#ededed", base="#fff", title=bar, titleink="#222", sidebg=self.r.choice(["#d6dde5", "#dde4ea", "#e7edf3"]), sel="#3875d7", selpassive="#d4d4d4", mhot="linear-gradient(#6f93f0,#2458e8)", mhotink="#fff", alt="#edf3fe", pop="#fffffff2", line="#b0b0b0") | dict(
            fs="12px", ctl="21px", tool="30px", r="3px", mr="5px", wr="5px", wb="0", box="14px", tith="22px", row="18px", headh="17px", sbw="15px", sbr="8px", sbthumb="linear-gradient(90deg,#77acf0,#b5dcff 40%,#5b97e5)" if self.has(0.5) else "#a0a0a0", mrow="19px", sth="22px", thumb="15px", prog="13px", pad="18px", globalbar="linear-gradient(#fff,#e4e4e4)", globalink="#000", greylight="#c8c8c8", bar2="linear-gradient(#dcdcdc,#b8b8b8)",
        )  # fmt: skip

    def window(self, p, x=0, y=0, w=800, h=600, cls=""):
        tall = lambda tool: e("tool tall", self.icon(self.r.choice([24, 28]), label=tool.label), t(tool.label), role="button", states=tool.states)
        tools = [x for x in p.tools if x]
        bar = e("row", *((tall(x) for x in tools[:9]) if self.labelled else [self.bar(p)]), *([GAP, self.search("150px")] if p.search and self.labelled else []), role="toolbar", style="padding:3px 8px;gap:3px") if p.tools else ""
        return self.frame(e("top", self.titlebar(p.title), bar) + self.inside(p), x, y, w, h, cls=cls)


class Yosemite(Mac):
    """Yosemite to Catalina: flat grey bars, white buttons in them."""

    CSS = COMMON + """
.btn,.drop{box-shadow:0 .5px 1px #0003;border-color:var(--btnline)}.btn.default{background:linear-gradient(color-mix(in srgb,var(--accent) 75%,#fff),var(--accent))}.drop>svg{width:15px!important;height:15px!important;border-radius:3px;background:linear-gradient(color-mix(in srgb,var(--accent) 75%,#fff),var(--accent));color:#fff;padding:1px}.box.checked{background:linear-gradient(color-mix(in srgb,var(--accent) 75%,#fff),var(--accent))}
.top .tool{background:var(--btn);border:1px solid var(--btnline);height:23px;padding:0 9px;border-radius:4px;box-shadow:0 .5px 0 #0002}.top .tool.disabled{color:var(--faint)}.prog{height:6px;border-radius:3px;border:1px solid var(--line)}.group{background:var(--groupbg);border-radius:4px}.middle .tabs{justify-content:center;padding:8px;z-index:1}.tabs:has(+.tabpage){margin-bottom:-19px;position:relative}.middle .tab{border:1px solid var(--btnline);border-left-width:0;background:var(--btn);height:21px;color:var(--ink)}.middle .tab:first-child{border-left-width:1px;border-radius:4px 0 0 4px}.middle .tab:last-child{border-radius:0 4px 4px 0}.middle .tab.selected{background:var(--accent);color:#fff}.tabpage{background:var(--groupbg);border:1px solid var(--line);border-radius:4px;padding:20px 14px}
.frame>.tabs{padding:0}.window>.tabs{padding:0;background:var(--trough);height:26px}.window>.tabs .tab{flex:1;justify-content:center;border:0;border-right:1px solid var(--line)}.window>.tabs .selected{background:var(--bg)}.seg.selected{background:var(--dim);color:var(--base)}.side .item{margin:0;border-radius:0;min-height:24px}
"""

    def tokens(self):
        accent = self.r.choice(ACCENTS)
        colours = tones(0, 0, self.dark, accent, **(dict(bg="#323232", base="#1e1e1e", btn="#656565", faint="#8e8e8e", title="linear-gradient(#3e3e3e,#363636)", alt="#292929") if self.dark else dict(bg="#ececec", base="#fff", btn="#fff", title="linear-gradient(#e9e9e9,#d2d2d2)", alt="#f4f5f5")))
        return colours | dict(
            fs="13px", ctl="21px", tool="24px", r="4px", mr="5px", wr="5px", wb="0", wshadow="0 0 0 .5px #0006,0 18px 44px #0007", box="14px", tith="24px", row=f"{self.r.choice([18, 20, 24])}px", headh="23px", sbw=f"{self.r.choice([7, 11, 15])}px", sbi="2px", sbr="5px", sbthumb="#8888", sbbg="transparent", mhot=accent, mhotink="#fff", mrow="19px", sth="24px", thumb="15px", rail="3px", sww="40px", swh="22px", pad="20px", cr="4px",
            sidebg="#2b2d2f" if self.dark else self.r.choice(["#f3f3f5", "#e4e6ea", "#dfe5ee"]), pop="#2b2b2bf2" if self.dark else "#f6f6f6f2", globalbar="#1e1e1ecc" if self.dark else "#f6f6f6e0", globalink="#fff" if self.dark else "#000", greylight="#d6d6d6" if not self.dark else "#595959", groupbg="#0000000a" if not self.dark else "#ffffff0d", tip="#f5f5f5" if not self.dark else "#444", tipink=colours["ink"], tipline="#0002",
        )  # fmt: skip

    def window(self, p, x=0, y=0, w=800, h=600, cls=""):
        if not p.tools:
            return self.frame(e("top", self.titlebar(p.title)) + self.inside(p), x, y, w, h, cls=cls)
        bar = e("row", self.bar(p), role="toolbar", style="padding:5px 8px;gap:8px")
        return self.frame(e("top", self.titlebar(p.title), bar) + self.inside(p), x, y, w, h, cls=cls)


class BigSur(Mac):
    """Big Sur to Sequoia: one bar with thin grey icons, side bars of full height, inset groups."""

    FULL = True
    CSS = COMMON + """
.btn{border:0;box-shadow:0 0 0 .5px #0002,0 .5px 1.5px #0003;border-radius:6px}.btn.default{background:var(--accent)}.drop{border:0;background:var(--btn);box-shadow:0 0 0 .5px #0002,0 .5px 1.5px #0003}.drop>svg{width:16px!important;height:16px!important;border-radius:4px;background:var(--accent);color:#fff;padding:2px}.plain .drop>svg,.group .drop>svg{background:var(--hover);color:var(--ink)}.box{border-radius:4px;box-shadow:inset 0 1px 2px #0001}.box.radio{border-radius:50%}
.tool{color:var(--toolink);height:28px}.unified .tool{min-width:32px}.unified .h{font-size:15px;font-weight:700}.group{border:0;background:var(--groupbg);border-radius:8px;padding:0 10px;gap:0;box-shadow:inset 0 0 0 .5px var(--line)}.gtitle{padding:10px 0 4px}.group>.chk{padding:5px 0}.group .setting{min-height:38px;border-bottom:1px solid var(--hair)}.group .setting:last-child{border:0}.gsettings{background:none;box-shadow:none;padding:0}
.middle .tabs{justify-content:center;padding:8px;gap:0}.middle .tab{border:0;background:var(--hover);height:22px;color:var(--ink);border-radius:0}.middle .tab:first-child{border-radius:6px 0 0 6px}.middle .tab:last-child{border-radius:0 6px 6px 0}.middle .tab.selected{background:var(--btn);box-shadow:0 1px 3px #0004;border-radius:6px}.tabpage{padding:8px}.window .col>.tabs{flex:none}.prog{height:6px;border-radius:3px}.list>.item{border-radius:5px}.table .tr{border-radius:5px;margin:0 8px}.table .thead{margin:0 8px;background:none}.gridded .tr,.gridded .thead{margin:0;border-radius:0}
.segs{border:0;background:var(--hover);padding:1px;border-radius:6px}.seg{border:0!important;border-radius:5px}.seg.selected{background:var(--btn);color:var(--ink);box-shadow:0 1px 2px #0003}.status{border-top:1px solid var(--hair)}.field{border-color:var(--hair);border-radius:6px}.sidetop{height:52px;display:flex;align-items:center;padding:0 14px;flex:none}
"""

    def tokens(self):
        accent = self.r.choice(ACCENTS)
        tint = self.r.choice([220, 250, 30, 0])
        s = self.r.choice([0, 0, 5, 9])
        colours = tones(tint, s, self.dark, accent, **(dict(bg="#1e1e1e", base="#1e1e1e", btn="#5a5a5c", faint="#868688", title="#2d2d2e") if self.dark else dict(bg="#fafafa" if self.has(0.5) else "#ececec", base="#fff", btn="#fff", title="#fbfbfb")))
        return colours | dict(
            fs="13px", ctl="22px", tool="28px", r="6px", ir="5px", mr="6px", wr="10px", wb="0", wshadow="0 0 0 .5px #0007,0 20px 50px #0006", box="14px", tith="28px", row=f"{self.r.choice([20, 24, 24, 28])}px", headh="24px", sbw=f"{self.r.choice([7, 9, 12])}px", sbi="2px", sbr="6px", sbthumb="#8888", sbbg="transparent", mhot=accent, mhotink="#fff", mrow="22px", sth="24px", thumb="18px", rail="4px", sww="38px" if self.has(0.5) else "26px", swh="22px" if self.has(0.3) else "15px", pad="20px", cr="8px", sidep="0 0 8px", line=colours["hair"], toolink=self.r.choice([colours["dim"], colours["ink"]]),
            sidebg=hsl(tint, 12, 17) if self.dark else hsl(tint, 14, self.r.choice([90, 93, 95])), pop="#2a2a2cee" if self.dark else "#f3f3f3ee", globalbar="#0005" if self.dark else "#ffffff66", globalink="#fff" if self.dark else "#000", greylight="#4d4d4f" if self.dark else "#d1d1d1", groupbg="#ffffff0a" if self.dark else "#00000008", tip="#f5f5f5" if not self.dark else "#3a3a3a", tipink=colours["ink"], tipline="#0002",
        )  # fmt: skip

    def settings(self, title, items):
        """A heading and, below it, one rounded surface with lines between its settings."""
        surface = e("group", *(self.setting(x) for x in items), role="panel")
        return col(self.heading(title), surface, gap=6) if title else surface

    def setting(self, x):
        art = self.appicon(20) if x.icon else ""
        words = col(self.text(x.text), self.text(x.sub, "dim small"), gap=1) if x.sub else self.text(x.text)
        return e("setting", art, words, GAP, x.control, self.text(x.trail, "dim") if x.trail else "", glyph("right", 11, 1.4) if x.more else "", role="item" if x.more else "")

    def window(self, p, x=0, y=0, w=800, h=600, cls=""):
        if not p.tools and not p.side:
            return self.frame(e("top", self.titlebar(p.title)) + self.inside(p), x, y, w, h, cls=cls)
        title = col(self.heading(p.title), self.text(p.status[0], "dim small") if p.status and self.has(0.4) else "", gap=0, cls="none", style="max-width:200px")
        bar = lambda lights: e("unified top", lights, title, e("row", self.bar(p), role="toolbar", style="gap:4px;flex:1;justify-content:flex-end"), role="titlebar")
        if not p.side or self.has(0.2):
            return self.frame(bar(self.window_buttons()) + self.inside(p), x, y, w, h, cls=cls)
        side, p.side = p.side, ""
        head = e("sidetop", self.window_buttons(), GAP, self.tool(self.toggle()))
        inner = side.replace(">", ">" + head, 1)
        return self.frame(e("middle", inner, self.splitter(), e("col fill", bar(""), self.inside(p))), x, y, w, h, cls=cls)

    def toggle(self):
        return Tool("sidebar")


class Glass(BigSur):
    """The liquid glass of macOS 26: round floating groups of tools, big corners, a side bar that floats."""

    GLASS = True
    CSS = BigSur.CSS + """
.unified{border:0;gap:10px}.unified .row>.tool,.pill{background:var(--glass);border-radius:18px;height:36px;min-width:36px;box-shadow:0 2px 10px #0002,inset 0 0 0 .5px #fff9}.unified .field{height:36px;border-radius:18px;background:var(--glass);border-color:transparent;box-shadow:0 2px 10px #0002}.side{margin:8px;border-radius:18px;box-shadow:0 2px 14px #0002,inset 0 0 0 .5px #fff6}.side+.split{display:none}.btn,.segs,.drop{border-radius:99px}.seg{border-radius:99px}.btn{background:var(--hover);box-shadow:none;padding:0 14px}.btn.default{background:var(--accent)}.side .item{border-radius:9px;min-height:32px}.group{border-radius:14px}.light{width:14px;height:14px}.menu{border-radius:14px;padding:6px}.menu .item{border-radius:9px;min-height:26px}.switch .knob{width:calc(var(--swh)*1.2);}.switch.checked .knob{left:auto;right:2px}.tip{border-radius:9px}
"""

    def tokens(self):
        return super().tokens() | dict(wr="22px", ctl="26px", sww="44px", swh="20px", glass="#3a3a3ccc" if self.dark else "#ffffffe6", tith="36px", title="transparent")


LOOKS = [Aqua, Yosemite, Yosemite, BigSur, BigSur, BigSur, Glass]
