"""Looks of programs' own making: Electron programs, games, dense panels of music and video programs, terminals' programs."""

from .glyphs import hsl
from .kit import Kit, Program, Tool, tones
from .markup import GAP, col, e, states, t

RAIL = """
.rail{display:flex;flex-direction:column;align-items:center;flex:none;gap:6px;padding:8px 0;background:var(--railbg);color:var(--railink);overflow:hidden}.rail .spot{display:flex;flex-direction:column;align-items:center;justify-content:center;gap:3px;position:relative;font-size:10px;border-radius:var(--spotr,0);flex:none}.rail .spot.selected{background:var(--spoton,transparent);color:var(--spotink,#fff)}.rail .spot.selected::before{content:"";position:absolute;left:calc(var(--railpad,0px)*-1);top:20%;bottom:20%;width:3px;background:var(--spotbar,var(--accent));border-radius:0 3px 3px 0}.rail .spot .badge{position:absolute;right:2px;top:2px;min-width:14px;height:14px;padding:0 3px;font-size:9px}
"""


class Electron(Kit):
    """Editors and team chats with a rail of icons at the left and a title bar of their own."""

    FONTS = ("Open Sans", "Inter", "Noto Sans", "Lato", "Roboto")
    LABELLED = 0.15
    MENUBAR = 0
    CSS = RAIL + """
.btn{border:0;font-weight:600}.titlebar{padding-left:10px;gap:8px;font-size:12px}.titlebar .menubar{background:none}.wctl{width:44px;height:100%}.w-close svg,.w-minimise svg,.w-maximise svg{width:10px;height:10px}.tab .wctl,.dockhead .wctl{width:16px;height:16px}.tabs{padding:0;background:var(--tabsbg);overflow:hidden}.tab{border:0;border-right:1px solid var(--line);height:35px}.window .tab.selected{background:var(--base);box-shadow:inset 0 2px var(--tabline)}.middle .col .tabs{background:none}.group{border:0;padding:0}.side{border-right:1px solid var(--hair)}.side .item{border-radius:var(--ir)}.status{background:var(--statusbg);color:var(--statusink);border:0}.status .t{font-size:12px}.field{border-radius:var(--r)}
.middle .tab.selected{box-shadow:inset 0 -2px var(--tabline);background:none}.chk{gap:9px}.box{width:18px;height:18px}
"""

    def tokens(self):
        r = self.r
        self.dark = self.dark or self.has(0.4)
        self.kind = r.choice(["code", "code", "slack", "discord", "teams"])
        accent = {"code": r.choice(["#007acc", "#0078d4", "#c586c0"]), "slack": "#1264a3", "discord": "#5865f2", "teams": "#5b5fc7"}[self.kind]
        h, s = r.choice([(0, 0), (220, 12), (230, 18), (200, 20), (270, 14)])
        colours = tones(h, s, self.dark, accent, field="#3c3c3c55" if self.dark else "#fff")
        rail = {"code": colours["head"], "slack": r.choice(["#3f0e40", "#1a1d21", "#350d36"]), "discord": hsl(228, 7, 12), "teams": colours["head"]}[self.kind]
        aubergine = self.kind == "slack"
        lit = self.has(0.5)
        return colours | dict(
            railbg=rail, railink=colours["dim"] if self.kind in ("code", "teams") else "#ccc", spotink=colours["ink"] if self.kind in ("code", "teams") else "#fff", spotr="12px" if self.kind in ("slack", "discord") else "5px", spoton="#ffffff26" if aubergine else "transparent", sidebg=hsl(300, 60, 12) if aubergine else colours["head"], sideink="#cfc3cf" if aubergine else colours["ink"],
            title=rail if aubergine else colours["head"], titleink="#eee" if aubergine else colours["dim"], statusbg=accent if lit else colours["head"], statusink="#fff" if lit else colours["dim"], tabsbg=colours["head"], tabline=accent, btn=colours["hover"], fs=f"{r.choice([13, 14, 15])}px", ctl=f"{r.choice([26, 30, 34])}px", tool="30px", bmin="30px", bpad="14px", r=f"{r.choice([2, 4, 6])}px", ir=f"{r.choice([0, 4, 6])}px",
            cr="8px", mr=f"{r.choice([4, 8])}px", tith="34px", row=f"{r.choice([22, 26, 32])}px", headh="28px", sbw="10px", sbr="0px", sbbg="transparent", sbthumb="#7977", mbh="24px", mrow="26px", prog="4px", sth="22px", line=colours["hair"], tip=colours["pop"], tipink=colours["ink"], tipline=colours["line"],
        )  # fmt: skip

    def rail(self) -> str:
        big = self.kind in ("slack", "discord")
        size = 44 if big else 48
        servers = self.kind == "discord"
        at = self.r.randrange(3)

        def spot(i):
            word = self.say("word")
            art = self.appicon(44, 0.3) if servers else self.icon(self.r.choice([20, 24]), label=word)
            return e("spot", art, t(word) if self.kind in ("teams", "slack") else "", self.badge(str(self.r.randint(1, 99)), "red" if servers else "hot") if self.has(0.2) else "", role="tab", states=states(selected=i == at), name=word, style=f"width:{size}px;min-height:{size}px")

        top = "".join(spot(i) for i in range(self.r.randint(4, 8)))
        return e("rail", top, GAP, self.avatar(30) if self.has(0.5) else "", spot(9), role="toolbar", style=f"width:{size + (24 if big else 0)}px")

    def titlebar(self, title):
        mid = self.search("36%") if self.has(0.5) else self.text(title)
        menus = self.menubar(["File", "Edit", "Selection", "View", "Go", "Run"][: self.r.randint(2, 6)]) if self.has(0.6) else ""
        return e("titlebar", self.appicon(16) if self.has(0.6) else "", menus, GAP, mid, GAP, *(self.tool(Tool(s)) for s in self.r.choice([[], ["layout", "split"]])), self.window_buttons(), role="titlebar")

    def window(self, p, x=0, y=0, w=800, h=600, cls=""):
        body = e("middle", self.rail(), e("col fill", self.inside(p)))
        return self.frame(self.titlebar(p.title) + body, x, y, w, h, cls=cls)

    def inside(self, p):
        """The tabs stand above the content, beside the side bar."""
        tabs = self.tabs(p.tabs, self.r.randrange(len(p.tabs)), closable=True, icons=self.has(0.4)) if p.tabs else ""
        side = p.side + self.splitter() if p.side else ""
        right = self.splitter() + p.right if p.right else ""
        tools = self.toolbar(self.tools(p.tools[:9])) if p.tools and not p.tabs else ""
        return e("middle", side, e("col fill base", tabs, p.body), right) + self.statusbar(p.status)


class Dense(Kit):
    """Panels of music, video and drawing programs: dark greys, tiny letters, gradients, lamps."""

    CONTRAST = False
    FONTS = ("Lato", "Open Sans", "Liberation Sans Narrow", "DejaVu Sans Condensed", "Roboto")
    CHEVRON, TWIST = "tri-down", ("tri-right", "tri-down")
    ICON = 14
    CSS = """
.titlebar{padding:0 6px;gap:6px}.wctl{width:16px;height:16px}.btn,.drop,.tool{background:var(--btnpaint);border:1px solid var(--edge);box-shadow:inset 0 1px var(--shine)}.btn.default{background:var(--accent);color:#000}.tool.checked{background:var(--accent);color:#000}.field{box-shadow:inset 0 1px 3px #0008;border-color:var(--edge);font-family:var(--mono)}.group,.card{background:var(--cardpaint);border:1px solid var(--edge);box-shadow:inset 0 1px var(--shine)}.gtitle,.sidehead .h{text-transform:uppercase;font-size:.85em;letter-spacing:.08em;color:var(--dim)}
.slider .thumb{border-radius:2px;width:11px;margin-left:-6px;background:linear-gradient(90deg,#777,#ccc 45%,#222 48%,#222 52%,#ccc 55%,#777);border-color:#000}.slider.v .thumb{width:var(--thumb);height:24px;margin:0 0 -12px;background:linear-gradient(#999,#ddd 45%,#111 48%,#111 54%,#bbb 57%,#666)}.slider .rail{background:#000}.prog{background:#000;border:1px solid var(--edge)}.switch{border-radius:3px}.switch .knob{border-radius:2px}.tab{border:1px solid var(--edge);border-bottom:0;background:var(--btnpaint)}.tab.selected{background:var(--bg);color:var(--accent)}.box.checked{box-shadow:0 0 6px var(--accent)}.toolbar{border-bottom:1px solid var(--edge);background:var(--cardpaint)}.split{--sp:4px;background:var(--edge)}
"""

    def tokens(self):
        r = self.r
        self.dark = self.dark or self.has(0.75)
        accent = r.choice(["#f7931e", "#ffb000", "#5fd3ff", "#9be564", "#ff5f57", "#e5c07b", "#62a0ea", "#c678dd"])
        grey = r.choice([20, 24, 30, 38])
        colours = tones(r.choice([0, 220, 30]), r.choice([0, 4, 8]), self.dark, accent, onaccent="#000", **(dict(bg=hsl(0, 0, grey), base=hsl(0, 0, grey - 6)) if self.dark else dict(bg="#b8b8b8", base="#cfcfcf")))
        top = grey + 14 if self.dark else 84
        return colours | dict(
            edge="#0009" if self.dark else "#7a7a7a", shine="#ffffff1a" if self.dark else "#fff8", btnpaint=f"linear-gradient({hsl(0, 0, top)},{hsl(0, 0, top - 9)})", cardpaint=f"linear-gradient({hsl(0, 0, top - 6)},{hsl(0, 0, top - 11)})", selink="#000", fs=f"{r.choice([10, 11, 12])}px", ctl="20px", tool="22px", bmin="20px", bpad="8px", r=f"{r.choice([0, 2, 3])}px", cr="3px", mr="2px", box="12px", sww="30px", swh="15px", thumb="18px", rail="4px", prog="10px", row="19px", headh="19px",
            sbw="11px", sbr="3px", tith="22px", mbh="20px", mrow="20px", sth="20px", pad="8px", tbp="3px 6px", setpad="10px", tip="#222", tipink="#eee", tipline="#000",
        )  # fmt: skip


class Game(Kit):
    """Launchers and menus of games: pictures behind, bold letters, slanted and glowing buttons."""

    CONTRAST = False
    FONTS = ("Comfortaa", "URW Gothic", "Exo 2", "Titillium Web", "Rubik", "Raleway", "Montserrat", "Barlow")
    ICON = 18
    CSS = """
body{text-shadow:0 1px 2px #0006}.window,.dialog{background:var(--veil)}.base,.side,.table{background:#0000}.card,.group,.menu,.field,.drop{background:var(--glassy);border:var(--gb) solid var(--gbc);backdrop-filter:blur(6px)}.btn{background:var(--btnpaint);border:var(--gb) solid var(--gbc);color:var(--gink);font-weight:700;text-transform:var(--caps);letter-spacing:.05em;box-shadow:0 3px 0 #0006}.btn.default{background:linear-gradient(color-mix(in srgb,var(--accent) 70%,#fff),var(--accent));color:#fff}.tab,.h{text-transform:var(--caps);letter-spacing:.06em;font-weight:700}.tab{height:40px}.item.selected{background:linear-gradient(90deg,var(--accent),transparent)!important;color:#fff}.titlebar{background:none;padding:0 16px}.titlebar .t{font-size:20px;font-weight:800}.wctl{width:30px;height:30px;border:var(--gb) solid var(--gbc);border-radius:var(--r);background:var(--glassy)}.slider .thumb{border:2px solid #fff;background:var(--accent);border-radius:var(--r)}.prog{border:2px solid var(--gbc)}.prog>div{background:linear-gradient(color-mix(in srgb,var(--accent) 60%,#fff),var(--accent))}.thead{background:var(--glassy)}.status,.toolbar{background:var(--glassy);border:0}
.hud{position:absolute;display:flex;gap:8px;align-items:center;z-index:3}.slot{width:46px;height:46px;border:2px solid var(--gbc);background:var(--glassy);border-radius:var(--r);display:flex;align-items:center;justify-content:center;position:relative}.slot .t{position:absolute;right:3px;bottom:1px;font-size:11px;font-weight:700}.orb{width:56px;height:56px;border-radius:50%;border:3px solid var(--gbc)}
"""

    def tokens(self):
        r = self.r
        self.dark = self.dark or self.has(0.7)
        h = r.randrange(360)
        accent = hsl(h, 75, 50)
        colours = tones(h + 20, 25, self.dark, accent)
        return colours | dict(
            veil=f"linear-gradient({hsl(h + 20, 40, 12 if self.dark else 88, 0.96)},{hsl(h + 60, 40, 20 if self.dark else 75, 0.92)})", glassy=hsl(h, 30, 10 if self.dark else 98, 0.55), gb=f"{r.choice([1, 2, 3])}px", gbc=r.choice([hsl(h, 60, 70, 0.5), "#d4af37", "#0008", "#fff6"]), gink="#fff" if self.dark else "#222", btnpaint=f"linear-gradient({hsl(h + 30, 40, 45 if self.dark else 85)},{hsl(h + 30, 45, 28 if self.dark else 70)})", caps=r.choice(["uppercase", "none"]),
            fs=f"{r.choice([13, 14, 16])}px", ctl=f"{r.choice([32, 38, 44])}px", tool="38px", bmin="90px", bpad="18px", r=f"{r.choice([0, 3, 8, 14])}px", cr=f"{r.choice([0, 4, 12])}px", box="20px", thumb="20px", rail="8px", prog="16px", row="36px", headh="34px", sbw="8px", tith="52px", mrow="34px", pad="18px", wb="0", sbbg="#0005",
        )  # fmt: skip

    def wallpaper(self, w, h):
        return f"background:url({self.material.photo(self.r)}) center/cover"

    def shell(self, w, h):
        """Bars of life, a map and the belt of things."""
        slot = lambda i: e("slot", self.appicon(34, 0.1) if self.has(0.7) else "", self.text(str(self.r.randint(1, 99))) if self.has(0.5) else "", role="button", states=states(selected=i == 2), name="slot")
        belt = e("hud", *(slot(i) for i in range(self.r.randint(5, 10))), ground="picture", style="left:50%;bottom:14px;transform:translateX(-50%)")
        life = e("hud", self.avatar(54), col(self.text(self.say("name"), "bold"), self.progress(self.r.random(), 180), self.progress(self.r.random(), 140), gap=4), ground="picture", style="left:16px;top:14px")
        plan = e("hud", self.picture(120, 120, "border-radius:50%;border:3px solid var(--gbc)"), ground="picture", style="right:16px;top:14px")
        coins = e("hud", *(self.badge(self.say("number"), "chip") for _ in range(3)), ground="picture", style="left:50%;top:14px;transform:translateX(-50%)")
        return belt + life + plan + coins, (40, 100, w - 80, h - 190)


class Curses(Kit):
    """Programs of a terminal: frames of characters, key bars, all of one size."""

    CONTRAST = False
    FONTS = ("DejaVu Sans Mono",)
    CHEVRON, TWIST = "tri-down", ("plus", "minus")
    CSS = """
*{border-radius:0!important}body{-webkit-font-smoothing:none}.window,.dialog{border:0;box-shadow:none;font-family:var(--font)}.dialog{outline:1px solid var(--ink);outline-offset:-6px;padding:12px;box-shadow:14px 14px 0 #000a;background:var(--dlg);color:var(--dlgink)}.titlebar{justify-content:center}.titlebar .t{margin:0 auto}.group,.card,.menu,.middle>.base,.side{border:3px double var(--frame)}.h{font-weight:400;color:var(--hot)}.btn{border:0;background:none;padding:0 1ch}.btn::before{content:"< "}.btn::after{content:" >"}.btn.default{background:var(--accent)}.box,.box.checked{border:0;background:none;width:3ch;color:inherit}.box::before{content:"[ ]"}.box.checked::before{content:"[x]"}.box.radio::before{content:"( )"}.box.radio.checked::before{content:"(•)"}.box>svg.g,.box>.dot{display:none}.menubar{color:#000}
.field,.drop{border:0;background:var(--entry);color:var(--entryink)}.keysbar{display:flex;flex:none}.keysbar .k{flex:1;display:flex;white-space:nowrap;overflow:hidden}.keysbar .k span:last-child{background:var(--accent);color:var(--onaccent);flex:1}.prog{background:repeating-linear-gradient(90deg,var(--frame) 0 1px,#0000 1px 1ch)}.slider .thumb{width:1ch;background:var(--ink);border:0}.sb .thumb{background:var(--frame)}.item{gap:1ch;padding:0 1ch}.tool svg{display:block}.tab.selected{background:var(--accent);color:var(--onaccent)}.switch .knob{box-shadow:none}
"""

    def typeface(self):
        return self.material.mono(self.r), ""

    def tokens(self):
        self.dark = True
        ground, ink, accent, frame, hot = self.r.choice([("#0000aa", "#aaa", "#00aaaa", "#55ffff", "#ffff55"), ("#000", "#ccc", "#00aa00", "#888", "#55ff55"), ("#002b36", "#93a1a1", "#268bd2", "#586e75", "#b58900"), ("#1d1f21", "#c5c8c6", "#81a2be", "#969896", "#f0c674"), ("#300a24", "#eee", "#c4a000", "#888", "#8ae234")])
        size = self.r.choice([13, 14, 15, 16])
        line = f"{round(size * 1.25)}px"
        return tones(0, 0, True, accent, bg=ground, base=ground, sidebg=ground, title=ground, titleink=ink, ink=ink, dim=ink, head=ground, headink=hot, sel=accent, selink="#000", onaccent="#000", pop=accent, popink="#000", mhot="#000", mhotink="#fff", menubar=accent, statusbg=accent, statusink="#000", btn=ground, btnink=ink, card=ground, trough=ground, sbbg=ground) | dict(
            frame=frame, hot=hot, dlg="#aaa" if self.has(0.5) else accent, dlgink="#000", entry="#00aaaa" if self.has(0.5) else "#333", entryink="#fff", fs=f"{size}px", ctl=line, tool=line, row=line, headh=line, tith=line, mbh=line, mrow=line, sth=line, bmin="0", bpad="0", box=line, thumb=line, rail="2px", prog=line, sbw="1ch", pad="1ch", sidep="0", tbp="0",
        )  # fmt: skip

    def art(self, kind, size=0, label=""):
        return ""

    def inside(self, p: Program):
        p.tools = []
        names = ["Help", "Menu", "View", "Edit", "Copy", "Move", "Mkdir", "Delete", "Setup", "Quit"]
        bar = e("keysbar", *(e("k", f"<span>F{i + 1}</span><span>{s}</span>", role="button", name=s) for i, s in enumerate(names)), role="toolbar") if self.has(0.7) else ""
        return super().inside(p) + bar

    def titlebar(self, title):
        return e("titlebar", self.text(title), role="titlebar")


LOOKS = [Electron, Electron, Electron, Dense, Dense, Game, Curses]
