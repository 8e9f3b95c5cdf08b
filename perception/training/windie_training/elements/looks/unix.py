"""The looks of KDE, of Qt elsewhere, of Xfce and MATE, of Java, Tk and Motif."""

from .glyphs import hsl
from .kit import Kit, tones
from .markup import GAP, e, row, states, t

PANEL = """
.panel{position:absolute;left:0;right:0;display:flex;align-items:center;gap:4px;padding:0 5px;z-index:30;background:var(--panel);color:var(--panelink);overflow:hidden}.panel .task{display:flex;align-items:center;gap:6px;padding:0 8px;height:calc(100% - 4px);border-radius:3px;width:150px;overflow:hidden;white-space:nowrap}.panel .task.selected{background:#8885;box-shadow:inset 0 2px var(--accent)}.panel .small{gap:7px;padding:0 6px}
.titlebar{padding:0 6px;gap:4px}.titlebar .t{font-weight:var(--titlew,600)}.middletitle .t{margin:0 auto}.wctl{width:20px;height:20px}
"""
BOXED = ".group{margin-top:8px}.gtitle{position:absolute;top:-9px;left:8px;background:var(--bg);padding:0 4px}"  # a frame that its title breaks


class Unix(Kit):
    FONTS = ("Noto Sans", "Open Sans", "DejaVu Sans", "Liberation Sans")
    FOLDERS = (205, 205, 45, 120, 30)
    LEFT = False  # a menu of the window stands at the left of its title

    def titlebar(self, title):
        left = self.window_button("menu") if self.LEFT else self.appicon(16)
        return e("titlebar middletitle", left, self.text(title), self.window_buttons(), role="titlebar")

    def shell(self, w, h):
        """A panel at the bottom or the top: menu, windows, tray, clock."""
        high = self.r.choice([24, 28, 36, 44])
        top = self.has(0.35)
        task = lambda i: e("task", self.appicon(min(18, high - 8)), e("over", t(self.say("label"))), role="button", states=states(selected=i == 1))
        start = e("row", self.icon(min(22, high - 6)), t(self.say("word")) if self.has(0.4) else "", role="button", name="applications", style="gap:5px;padding:0 6px;height:100%")
        desks = row(*(e("", role="button", states=states(selected=i == 0), name="desktop", style=f"width:{high}px;height:{high - 8}px;border:1px solid #8888;background:{'#8886' if i == 0 else 'none'}") for i in range(self.r.choice([2, 4]))), gap=1) if self.has(0.4) else ""
        tray = e("row small", *(e("", self.icon(16), role="button") for _ in range(self.r.randint(2, 6))), self.text(f"{self.r.randint(0, 23)}:{self.r.randint(10, 59)}"))
        bar = e("panel", start, *(task(i) for i in range(self.r.randint(1, 4))), GAP, desks, tray, role="toolbar", style=f"height:{high}px;{'top' if top else 'bottom'}:0")
        return bar, (0, high if top else 0, w, h - high)


class Breeze(Unix):
    """KDE Plasma 5 and 6."""

    LABELLED = 0.6
    MENUBAR = 0.5
    CSS = PANEL + """
.btn.default{background:color-mix(in srgb,var(--accent) 25%,var(--btn));color:var(--btnink)}.wctl{border-radius:50%}.w-close{margin-left:4px}.tool{border-radius:3px}.tool.checked{border-color:var(--accent);background:color-mix(in srgb,var(--accent) 25%,transparent)}.item.selected.focused,.tr.selected.focused{outline:1px solid var(--accent);outline-offset:-1px}.box{border-radius:3px}.box.checked{background:color-mix(in srgb,var(--accent) 30%,var(--base));color:var(--ink)}.box.radio{border-radius:50%}.slider .thumb{background:var(--base);border:1px solid var(--dim)}
.tab{height:30px;border-top:2px solid transparent;border-bottom:0}.tab.selected{background:var(--base);border-top-color:var(--accent);border-radius:3px 3px 0 0}.group{background:var(--alt)}.prog{border-radius:99px;height:6px}.switch{border:1px solid var(--line)}.side{padding:4px}.thead .th{background:var(--bg)}.menu .item.hot{border-radius:3px;outline:1px solid var(--accent);outline-offset:-1px}
"""

    def tokens(self):
        accent = self.r.choice(["#3daee9", "#3daee9", "#e93a9a", "#ed254e", "#ff8c3a", "#1bbc9c", "#9b59b6"])
        colours = tones(205, 6, self.dark, accent, **(dict(bg="#2a2e32", base="#1b1e20", btn="#31363b", title="#31363b") if self.dark else dict(bg="#eff0f1", base="#fff", btn="#fcfcfc", title=self.r.choice(["#dee0e2", "#475057", "#eff0f1"]))))
        soft = f"color-mix(in srgb,{accent} 30%,{colours['base']})"
        solid = self.has(0.5)
        return colours | dict(
            titleink="#fcfcfc" if colours["title"] == "#475057" else colours["ink"], titlew="400", sel=accent if solid else soft, selink="#fff" if solid else colours["ink"], mhot=soft, fs="13px", ctl="30px", tool="32px", bpad="10px", bmin="80px", r="4px", cr="4px", mr="5px", wr="6px 6px 0 0", box="16px", sww="36px", swh="18px", thumb="20px", rail="6px", tith="30px", row=f"{self.r.choice([22, 26, 32])}px", headh="28px",
            sbw=f"{self.r.choice([10, 14, 21])}px", sbi="4px", sbr="4px", sbbg="transparent", mbh="26px", mrow="28px", prog="6px", sth="28px", tip=colours["bg"], tipink=colours["ink"], tipline=colours["line"], panel="#2a2e32ee" if self.dark or self.has(0.3) else "#eff0f1ee", panelink="inherit", pad="12px",
        )  # fmt: skip


class Fusion(Unix):
    """Qt's own style, in light and in the dark greys of many tools."""

    CHEVRON, TWIST = "tri-down", ("tri-right", "tri-down")
    CSS = PANEL + BOXED + """
.btn,.drop{background:linear-gradient(var(--btntop),var(--btn));box-shadow:inset 0 1px #fff3}.btn.default{background:linear-gradient(color-mix(in srgb,var(--accent) 50%,var(--btntop)),color-mix(in srgb,var(--accent) 50%,var(--btn)));color:var(--btnink)}.box.checked{background:var(--field);border-color:var(--boxline);color:var(--ink)}.slider .thumb{border-radius:3px;background:linear-gradient(var(--btntop),var(--btn));border-color:var(--btnline)}.slider .done{background:var(--accent);border:1px solid var(--btnline)}.prog{border:1px solid var(--btnline);background:var(--field)}.prog>div{background:linear-gradient(color-mix(in srgb,var(--accent) 75%,#fff),var(--accent))}
.tab{border:1px solid var(--btnline);border-bottom:0;background:var(--btn);height:24px;margin-left:-1px;border-radius:3px 3px 0 0;color:var(--ink)}.tab.selected{background:var(--bg);height:27px}.tabs{margin-bottom:-1px;position:relative;z-index:1}.tabpage{border:1px solid var(--btnline);padding:14px 10px}.group{background:#00000008}.thead .th{background:linear-gradient(var(--btntop),var(--btn))}.toolbar{border-bottom:1px solid var(--line)}.split{--sp:4px;background:var(--bg)}.sb .thumb,.sb .arrow{background:linear-gradient(90deg,var(--btntop),var(--btn));border:1px solid var(--btnline)}
"""

    def tokens(self):
        accent = self.r.choice(["#308cc6", "#308cc6", "#2a82da", "#3daee9", "#d97706"])
        self.ARROWS = self.has(0.7)
        grey = self.r.choice(["#535353", "#353535", "#2b2b2b", "#3c3f41", "#454545"])
        colours = tones(self.r.choice([0, 210]), self.r.choice([0, 4]), self.dark, accent, **(dict(bg=grey, btn=grey, title="#222", titleink="#ddd") if self.dark else dict(bg="#efefef", base="#fff", btn="#e0e0e0", title="#e0e0e0")))
        return colours | dict(
            btntop="color-mix(in srgb,var(--btn) 85%,#fff)", fs=f"{self.r.choice([11, 12, 13])}px", ctl="24px", tool="26px", r="2px", cr="2px", mr="0px", box="13px", thumb="14px", rail="5px", tith="28px", row="20px", headh="23px", sbw=f"{self.r.choice([12, 16])}px", sbr="2px", mbh="22px", mrow="22px", prog="18px", sth="22px", panel="#333", panelink="#eee", pad="10px",
        )  # fmt: skip


class Gtk2(Unix):
    """Xfce, MATE and programs of GTK 2: Clearlooks, Greybird, Menta and kin."""

    CHEVRON, TWIST = "tri-down", ("tri-right", "tri-down")
    CSS = PANEL + """
.btn,.drop,.spin .arrows>*{background:linear-gradient(var(--btntop),var(--btn));box-shadow:inset 0 1px #fff8}.btn.default{background:linear-gradient(var(--btntop),var(--btn));color:var(--btnink);border-color:var(--accent);outline:1px solid color-mix(in srgb,var(--accent) 40%,transparent)}.box.checked{background:var(--field);color:var(--ink);border-color:var(--boxline)}.group{border:0;padding:6px 0 6px 14px}.gtitle{margin-left:-10px}.prog{border:1px solid var(--btnline)}.slider .thumb{border-radius:4px;width:24px;margin-left:-12px;background:linear-gradient(var(--btntop),var(--btn))}.slider.v .thumb{width:var(--thumb);height:24px;margin:0 0 -12px}
.tab{border:1px solid var(--btnline);border-bottom:0;background:var(--btn);height:26px;margin-right:2px;border-radius:4px 4px 0 0;color:var(--ink)}.tab.selected{background:var(--bg);box-shadow:inset 0 2px var(--accent);height:28px}.tabpage{border:1px solid var(--btnline);padding:12px}.tabs{margin-bottom:-1px;position:relative;z-index:1}.toolbar{border-bottom:1px solid var(--line)}.thead .th{background:linear-gradient(var(--btntop),var(--btn))}.sb .thumb,.sb .arrow{border:1px solid var(--btnline);background:linear-gradient(90deg,var(--btntop),var(--btn))}.titlebar .t{text-shadow:0 1px #0002}.tool.tall{padding:4px 9px}
"""

    def tokens(self):
        self.colour_icons = self.has(0.7)
        self.ARROWS = self.has(0.5)
        self.dark = self.dark and self.has(0.4)
        accent = self.r.choice(["#86abd9", "#4a90d9", "#87b158", "#398ee7", "#c0795a"])
        colours = tones(30, self.r.choice([0, 8]), self.dark, accent, **({} if self.dark else dict(bg=self.r.choice(["#edeceb", "#cecece", "#d6d6d6", "#f2f1f0"]), base="#fff", btn="#dcdad7")))
        title = self.r.choice([f"linear-gradient(color-mix(in srgb,{accent} 80%,#fff),{accent})", "linear-gradient(#555,#3a3a3a)", "linear-gradient(#ebebeb,#cfcfcf)"])
        return colours | dict(
            title=title, titleink="#333" if "ebebeb" in title else "#fff", sel=accent, btntop="color-mix(in srgb,var(--btn) 60%,#fff)" if not self.dark else "#555", fs="12px", ctl="27px", tool="30px", r="4px", cr="4px", mr="2px", wr="6px 6px 0 0", box="14px", thumb="15px", rail="6px", tith="25px", row="22px", headh="25px", sbw="15px", sbr="4px", mbh="23px", mrow="24px", prog="20px", sth="24px", bmin="84px",
            mhot=accent, mhotink="#fff", panel=self.r.choice(["#2d2d2d", "linear-gradient(#f0f0f0,#d8d8d8)", "#ddd"]), panelink="inherit", pad="12px",
        )  # fmt: skip

    def css(self):
        self.vars["panelink"] = "#eee" if self.vars["panel"] == "#2d2d2d" else "#222"
        return super().css()

    def tools(self, tools, size=0):
        """Often with the labels below big icons."""
        if not self.labelled or size:
            return super().tools(tools, size)
        tall = lambda x: e("tool tall", self.icon(24, label=x.label), t(x.label), role="button", states=x.states, name=x.label)
        return "".join(e("sepv") if x is None else tall(x) for x in tools)


class Swing(Unix):
    """Java's Metal and Nimbus."""

    CONTRAST = False
    FONTS = ("DejaVu Sans", "Liberation Sans", "Arimo")
    CHEVRON, TWIST = "tri-down", ("plus", "minus")
    ARROWS = True
    CSS = PANEL + BOXED + """
.btn,.drop{background:linear-gradient(var(--btntop),var(--btn));font-weight:var(--bw)}.btn.default{background:linear-gradient(var(--btntop),var(--btn));color:var(--btnink);box-shadow:inset 0 0 0 1px var(--btnline)}.box.checked{background:var(--field);color:#222;border-color:var(--boxline)}.chk .t,.group .t{font-weight:var(--bw)}.tab{border:1px solid var(--btnline);border-bottom:0;height:22px;background:var(--tabbg);color:#222;font-weight:var(--bw)}.tab.selected{background:linear-gradient(var(--btntop),var(--bg))}.tabs{margin-bottom:-1px;position:relative;z-index:1;gap:1px}.tabpage{border:1px solid var(--btnline);padding:14px 10px}
.slider .thumb{border-radius:2px;background:linear-gradient(var(--btntop),var(--btn));border:1px solid var(--btnline)}.sb .thumb,.sb .arrow{background:linear-gradient(90deg,var(--btntop),var(--btn));border:1px solid var(--btnline)}.prog{border:1px solid var(--btnline);background:var(--bg);border-radius:0}.split{--sp:8px;background:radial-gradient(#0004 30%,#0000 32%) 0 0/4px 4px,var(--bg)}.tree .twist{border:1px solid var(--btnline);border-radius:50%;width:11px;height:11px;margin:0 2px}.tree .twist:empty{border:0}.gtitle{font-weight:var(--bw)}
"""

    def tokens(self):
        self.dark = False
        self.colour_icons = True
        nimbus = self.has(0.4)
        colours = tones(210, 10, accent="#3d6b9e" if nimbus else "#6382bf", bg="#d6d9df" if nimbus else "#eee", base="#fff", btn="#c9ced6" if nimbus else "#b8cfe5", btnline="#7a8a99", fieldline="#7a8a99", line="#b0b6bf", title="linear-gradient(#b8cfe5,#dde8f3)", titleink="#111", sel="#39698a" if nimbus else "#b8cfe5", selink="#fff" if nimbus else "#000", head="#eee", boxline="#7a8a99", onaccent="#222", ink="#222")
        return colours | dict(btntop="#f6f8fa", bw="400" if nimbus or self.has(0.3) else "700", tabbg="#c8d4e2", fs="12px", ctl="25px", tool="26px", r="5px" if nimbus else "0px", cr="0px", mr="0px", box="13px", thumb="16px", rail="6px", tith="24px", row="18px", headh="19px", sbw="16px", sbr="0px", mbh="21px", mrow="21px", prog="18px", sth="22px", mhot="#b8cfe5", panel="#ccc", panelink="#111", pad="12px")


class Tk(Unix):
    """Tk and Motif: grey or coloured grounds, thick bevels."""

    CONTRAST = False
    FONTS = ("Nimbus Sans", "Liberation Sans", "DejaVu Sans", "FreeSans")
    CHEVRON, TWIST, LEFT = "dash", ("plus", "minus"), True
    ARROWS = True
    LABELLED = 0.6
    CSS = PANEL + """
.btn,.window,.dialog,.menu,.drop,.sb .thumb,.sb .arrow,.tool.checked,.thead .th,.wctl,.toolbar,.menubar,.slider .thumb{border:2px solid;border-color:var(--hi) var(--lo) var(--lo) var(--hi)!important}.btn.default{background:var(--btn);color:var(--ink);outline:2px solid;outline-color:var(--lo) var(--hi) var(--hi) var(--lo);outline-offset:3px}.field,.sunk,.table,.prog,.group,.sb .run{border:2px solid;border-color:var(--lo) var(--hi) var(--hi) var(--lo)}.box{border:2px solid;border-color:var(--lo) var(--hi) var(--hi) var(--lo);background:var(--bg);border-radius:0}.box.checked{background:#b03060;border-color:var(--lo) var(--hi) var(--hi) var(--lo)}.box.checked svg,.box .dot{display:none}.box.radio{transform:rotate(45deg) scale(.85)}
.wctl svg{color:var(--titleink)}.wctl{background:var(--title);width:22px;height:22px}.titlebar{padding:0;gap:0}.slider .thumb{border-radius:0;background:var(--bg);width:28px;margin-left:-14px}.slider.v .thumb{width:var(--thumb);height:28px}.slider .rail,.slider .done{border-radius:0;height:var(--thumb);top:0;background:var(--lo)}.slider.v .rail,.slider.v .done{width:var(--thumb);left:0;height:auto}.slider .done{display:none}.tab{border:2px solid;border-color:var(--hi) var(--lo) transparent var(--hi);color:var(--ink);height:28px}.tab.selected{background:var(--bg)}.sb{background:var(--lo)}.item.selected.focused{outline:1px solid #000;outline-offset:-1px}.group{gap:6px}.menubar>.item:last-child{margin-left:auto}
"""

    def tokens(self):
        self.dark = False
        h = self.r.choice([0, 30, 210, 180, 260, 330])
        bg, s = self.r.choice([("#d9d9d9", 0), ("#c4c4c4", 0), (hsl(h, 18, 70), 18), (hsl(h, 25, 62), 25), ("#aeb2c3", 10)])
        hi, lo = ("#fff8", "#0006") if self.has(0.5) else ("#fffc", "#0005")
        title = self.r.choice([hsl(h, 40, 45), "#4d648d", "#b24d7a", bg])
        return tones(0, 0, accent="#4a6984", bg=bg, base=self.r.choice(["#fff", bg]), btn=bg, head=bg, sidebg=bg, pop=bg, title=title, titleink="#000" if title == bg else "#fff", ink="#000", sel=self.r.choice(["#4a6984", "#c3c3c3", "#000"]), hover="#ececec", field=self.r.choice(["#fff", bg]), sbbg=bg, sbthumb=bg, onaccent="#fff", mhot="#ececec") | dict(
            hi=hi, lo=lo, fs=f"{self.r.choice([12, 13])}px", ctl="28px", tool="28px", r="0px", cr="0px", mr="0px", box="13px", thumb="16px", tith="24px", row="19px", headh="24px", sbw="16px", sbr="0px", mbh="26px", mrow="24px", prog="20px", sth="24px", titlew="700", panel=bg, panelink="#000", pad="12px", trough="#b3b3b3",
        )  # fmt: skip


LOOKS = [Breeze, Breeze, Breeze, Fusion, Fusion, Gtk2, Gtk2, Swing, Tk]
