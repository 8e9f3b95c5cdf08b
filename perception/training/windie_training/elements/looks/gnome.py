"""The looks of GNOME: libadwaita, GTK 3 with its dark and its Ubuntu themes, and the shell around them."""

from .glyphs import glyph
from .kit import Kit, Program, Tool, tones
from .markup import GAP, col, e, states, t

COMMON = """
.hb{display:flex;align-items:center;gap:6px;padding:0 6px;height:47px;flex:none;background:var(--title);color:var(--titleink);border-bottom:1px solid var(--hbline);position:relative;overflow:hidden}.hb .mid{position:absolute;left:50%;transform:translateX(-50%);display:flex;flex-direction:column;align-items:center;line-height:1.2;white-space:nowrap}.hb .t.small{font-weight:400}
.topbar{position:absolute;left:0;right:0;top:0;height:27px;background:var(--topbar,#000);color:#fff;display:flex;align-items:center;padding:0 12px;font-weight:600;z-index:30;font-size:13px}.topbar .clock{position:absolute;left:50%;transform:translateX(-50%)}.topbar .sys{display:flex;gap:9px;align-items:center}.gdock{position:absolute;display:flex;z-index:30;align-items:center}.gdock .app{position:relative;display:flex;align-items:center;justify-content:center;flex:none}.gdock .run::before{content:"";position:absolute;left:1px;top:calc(50% - 2px);width:5px;height:5px;border-radius:50%;background:#e95420}.gdock .app.selected{background:#fff3;border-radius:7px}
.w-close,.w-minimise,.w-maximise{margin:0 3px}
"""


class Gtk(Kit):
    FONTS = ("Noto Sans", "Open Sans", "Ubuntu", "Inter")
    FOLDERS = (25, 45, 213, 210, 20)
    MENUBAR = 0.06

    def header(self, p: Program) -> str:
        """The bar that is title, tool bar and switch of views together."""
        tools = [x for x in p.tools if x][:8]
        half = len(tools) // 2
        left = self.tools(tools[:half]) or (self.button("Open", self.icon(), cls="hbtn") if self.has(0.3) else "")
        right = self.tools(tools[half:]) + (self.tool(Tool("search", glyph="search")) if p.search else "") + (self.tool(Tool("menu", glyph="menu")) if self.has(0.8) else "")
        sub = self.text(p.status[0], "small dim") if p.status and self.has(0.4) else ""
        mid = self.segments(p.pages[:3], 0) if p.pages and self.has(0.3) else self.heading(p.title) + sub
        only = self.r.random()
        ends = "".join(self.window_button(s) for s in ("minimise", "maximise", "close")) if only > 0.5 else self.window_button("close")
        bar = [left, GAP, e("mid", mid), right, ends] if only > 0.12 else [ends, left, GAP, e("mid", mid), right]
        return e("hb", *bar, role="titlebar")

    def inside(self, p):
        place = self.path(p) if self.has(0.6) else ""
        return place + (self.tabs(p.tabs, 0, closable=True) if p.tabs else "") + self.middle(p) + (self.statusbar(p.status) if self.has(0.3) else "")

    def window(self, p, x=0, y=0, w=800, h=600, cls=""):
        return self.frame(self.header(p) + self.inside(p), x, y, w, h, cls=cls)

    def dialog(self, title, body, buttons, x, y, w, h):
        head = e("hb", e("mid", self.heading(title)), GAP, self.window_button("close"), role="titlebar")
        return self.frame(head + e("col fill pad", body) + e("foot pad", buttons), x, y, w, h, "dialog")

    def shell(self, w, h):
        sys = e("sys", *(e("", self.icon(15), role="button") for _ in range(self.r.randint(2, 4))), glyph("tri-down", 8), role="button", name="system")
        bar = e("topbar", self.link_like("Activities"), e("clock", self.text("30 Nov  14:05"), role="button", name="clock"), GAP, sys, role="toolbar", ground="picture")
        size = self.r.choice([32, 40, 48])
        app = lambda i: e("app" + (" run" if self.has(0.35) else ""), self.appicon(size), role="button", name="app", states=states(selected=i == 1), style=f"width:{size + 14}px;height:{size + 12}px")
        n = min(self.r.randint(5, 14), (h - 60) // (size + 12))
        grid = e("app", self.icon(24, "color:#fff"), role="button", name="show apps", style=f"width:{size + 14}px;height:{size + 12}px;margin-top:auto")
        side = e("gdock", *(app(i) for i in range(n)), grid, role="toolbar", ground="picture", style=f"left:0;top:27px;bottom:0;width:{size + 16}px;flex-direction:column;background:var(--dockbg)")
        if self.has(0.35):
            return bar, (0, 27, w, h - 27)
        return bar + side, (size + 16, 27, w - size - 16, h - 27)

    def link_like(self, text: str) -> str:
        return e("", t(text), role="button", name=text)


class Adwaita(Gtk):
    """libadwaita: boxed lists with switches, flat header bars, pills."""

    FONTS = ("Inter", "Inter", "Noto Sans", "Ubuntu", "Open Sans")
    CSS = COMMON + """
.wctl{width:24px;height:24px;border-radius:50%;background:var(--hover)}.tab .wctl{background:none;width:18px;height:18px}.btn{border:0;font-weight:700}.btn.hbtn{height:34px}.pill{border-radius:99px}.box{border-width:2px;border-radius:6px}.box.radio{border-radius:50%}.field,.drop{border:0}.field.focused{box-shadow:inset 0 0 0 2px var(--accent)}.drop{background:var(--btn);font-weight:600}.spin .arrows{flex-direction:row-reverse;width:68px}.spin .arrows>*{border-left:1px solid var(--hair)}
.group{background:var(--card);border:0;border-radius:12px;padding:0;gap:0;box-shadow:0 1px 3px #0002,0 0 0 1px #0000000d;overflow:hidden;flex:none}.group>*{padding:8px 12px}.group .setting,.group .chk{min-height:50px;border-bottom:1px solid var(--hair)}.group>:last-child{border:0}.gtitle{padding:10px 12px 4px!important}.card{border:0;box-shadow:0 1px 3px #0002,0 0 0 1px #0000000d}
.side .item{border-radius:7px;margin:1px 4px;min-height:36px}.side .item.selected{background:var(--hover)}.tabs{justify-content:center;padding:4px;gap:4px}.tab{border:0;border-radius:7px;height:34px;font-weight:600}.tab.selected{background:var(--selpassive)}.window>.tabs .tab{flex:1;justify-content:center}.segs{border:0;background:var(--hover);border-radius:9px;padding:3px}.seg{border:0!important;border-radius:7px;font-weight:600}.seg.selected{background:var(--base);color:var(--ink);box-shadow:0 1px 2px #0003}
.menu{padding:6px;border:0;box-shadow:0 1px 5px #0003,0 6px 18px #0003,0 0 0 1px #0001}.menu .item{border-radius:6px}.dialog .hb{border:0}.slider .thumb{border:0;box-shadow:0 1px 3px #0006}.tile{border-radius:8px}.prog{height:8px;border-radius:99px}.list.mails{padding:4px}.rowlist .item{border-radius:8px}.status{border:0}
"""

    def tokens(self):
        accent = self.r.choice(["#3584e4", "#3584e4", "#2190a4", "#3a944a", "#ed5b00", "#e62d42", "#9141ac", "#e95420"])
        colours = tones(240, 3, self.dark, accent, **(dict(bg="#222226", base="#1d1d20", card="#36363a", btn="#3f3f44", pop="#36363a") if self.dark else dict(bg="#fafafb", base="#fff", card="#fff", btn="#e6e6e7", pop="#fff")))
        flat = self.has(0.7)
        return colours | dict(
            title=colours["bg"] if flat else colours["head"], hbline="transparent" if flat else colours["hair"], sidebg="#2e2e32" if self.dark else "#ebebed", sel=colours["selpassive"], selink=colours["ink"], field=colours["btn"], fs=f"{self.r.choice([13, 14, 14.67])}px", ctl="34px", tool="34px", bpad="17px", bmin="34px", r="9px", ir="6px", cr="12px", mr="12px", wr="12px", wb="0", wshadow="0 0 0 1px #0003,0 8px 28px #0006",
            box="20px", sww="46px", swh="26px", thumb="20px", rail="8px", tith="47px", row="34px", headh="30px", sbw="8px", sbi="2px", sbr="5px", sbbg="transparent", sbthumb="#8887", mbh="28px", mrow="32px", prog="8px", sth="28px", tip="#000000d9", tipink="#fff", tipline="#0000", tr="8px", dockbg="#00000080", pad="18px", line=colours["hair"], topbar=self.r.choice(["#000", "#00000099"]),
        )  # fmt: skip

    def settings(self, title, items):
        surface = e("group", *(self.setting(x) for x in items), role="panel")
        return col(self.heading(title), surface, gap=8) if title else surface

    def setting(self, x):
        art = self.icon(16, label=x.text) if x.icon else ""
        words = col(self.text(x.text), self.text(x.sub, "dim small"), gap=2) if x.sub else self.text(x.text)
        acted = x.more or 'data-role="switch"' in x.control
        return e("setting", art, words, GAP, x.control, self.text(x.trail, "dim") if x.trail else "", glyph("right", 14, 1.8) if x.more else "", role="item" if acted else "")


class Gtk3(Gtk):
    """GTK 3: Adwaita with gradients, and the orange theme of Ubuntu."""

    FONTS = ("Ubuntu", "Noto Sans", "Open Sans", "DejaVu Sans")
    MENUBAR = 0.15
    CSS = COMMON + """
.wctl{width:24px;height:24px}.round .w-close{background:var(--accent);color:#fff;border-radius:50%;width:18px;height:18px}.btn,.drop,.hb .tool{background:linear-gradient(var(--btntop),var(--btn));border:1px solid var(--btnline);border-bottom-color:var(--dim);box-shadow:0 1px #fff3}.btn.default{background:linear-gradient(color-mix(in srgb,var(--accent) 88%,#fff),var(--accent))}.hb .tool.checked{background:var(--selpassive);box-shadow:inset 0 1px 3px #0003}.switch{border:1px solid var(--btnline);border-radius:99px}.switch .knob{top:-1px;left:-1px;width:calc(var(--swh));height:calc(var(--swh));border:1px solid var(--btnline);background:linear-gradient(#fff,#eee)}.switch.checked .knob{left:calc(var(--sww) - var(--swh) - 1px)}
.spin .arrows{flex-direction:row-reverse;width:62px}.spin .arrows>*{border-left:1px solid var(--hair)}.group{background:var(--base);padding:0;gap:0}.group>*{padding:8px 12px}.group .setting{min-height:44px;border-bottom:1px solid var(--hair)}.group .setting:last-child{border:0}.tab{border-bottom-width:3px;font-weight:600}.tabs{background:var(--head);border-bottom:1px solid var(--line)}.tool{border-radius:4px}.side .item{min-height:34px}
"""

    def tokens(self):
        accent = self.r.choice(["#3584e4", "#4a90d9", "#e95420", "#e95420", "#87a556", "#d64937"])
        tint, s = self.r.choice([(30, 8), (0, 0), (30, 14), (210, 5)])
        colours = tones(tint, s, self.dark, accent, **(dict(bg="#353535", base="#2d2d2d", btn="#3a3a3a") if self.dark else dict(bg="#f6f5f4", base="#fff", btn="#edebe9")))
        dark_bar = self.dark or self.has(0.25)
        return colours | dict(
            title="linear-gradient(#3c3b37,#2f2e2b)" if dark_bar else "linear-gradient(#e8e6e3,#dbd7d3)", titleink="#eee" if dark_bar else "#2e3436", hbline="#0004" if dark_bar else "#bfb8b1", btntop="#454545" if self.dark else "#fcfcfb", fs="13px", ctl="32px", tool="32px", bpad="14px", bmin="34px", r="5px", cr="5px", mr="6px", wr="8px 8px 0 0", wb="0", wshadow="0 0 0 1px #0004,0 6px 20px #0006",
            box="16px", sww="50px", swh="26px", thumb="20px", rail="4px", tith="44px", row="30px", headh="28px", sbw=f"{self.r.choice([8, 14])}px", sbi="3px", sbr="5px", mbh="26px", mrow="28px", prog="6px", sth="28px", tip="#000c", tipink="#fff", tipline="#0000", dockbg=self.r.choice(["#3b0a2ecc", "#000a", "#2c2c2ccc"]), pad="16px", toolink="inherit", topbar=self.r.choice(["#000", "#2c001e"]),
        )  # fmt: skip


LOOKS = [Adwaita, Adwaita, Adwaita, Gtk3, Gtk3]
