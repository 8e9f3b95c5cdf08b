"""The looks of phones and tablets: Material 2, Material 3 and iOS."""

from .glyphs import glyph, hsl
from .kit import Kit, Program, Tool, tones
from .markup import GAP, col, e, row, states, t

COMMON = """
.statusline{display:flex;align-items:center;flex:none;padding:0 16px;gap:5px;height:var(--stat);font-size:13px;font-weight:600;background:var(--statbg,transparent);color:var(--statink,inherit)}.appbar{display:flex;align-items:center;flex:none;background:var(--title);color:var(--titleink);gap:4px}.bottom{display:flex;flex:none;background:var(--bottom);align-items:stretch}.bottom .tab{flex:1;flex-direction:column;justify-content:center;gap:3px;font-size:11px;height:var(--bottomh);border:0;padding:4px 0 6px}.bottom .tab.selected{color:var(--accent)}
.homebar{height:20px;display:flex;align-items:center;justify-content:center;flex:none;background:var(--bottom)}.homebar::after{content:"";width:134px;height:5px;border-radius:3px;background:var(--ink)}.android .homebar::after{width:110px;height:4px}.keys3{display:flex;justify-content:space-around;align-items:center;height:44px;flex:none;background:var(--bottom);color:var(--dim)}.fab{position:absolute;right:16px;display:flex;align-items:center;justify-content:center;gap:10px;background:var(--fab);color:var(--fabink);box-shadow:0 3px 8px #0005;z-index:5;height:56px;min-width:56px;font-weight:500}
.chips{display:flex;gap:8px;padding:8px 16px;overflow:hidden;flex:none}.chips .tab{height:32px;border:1px solid var(--line);border-radius:8px;padding:0 12px;color:var(--ink)}.chips .tab.selected{background:var(--selpassive);border-color:transparent}.tile{width:25%;padding:8px 2px}.row.wrap{justify-content:flex-start}.plug{padding:10px 16px}
"""


class Phone(Kit):
    PHONE = True
    ICON = 22
    HAS_FAB = 0.3

    def clock(self) -> str:
        icons = "".join(self.icon(14) for _ in range(self.r.randint(2, 4)))
        return e("statusline", self.text(f"{self.r.randint(1, 12)}:{self.r.randint(10, 59)}"), GAP, icons, self.text(f"{self.r.randint(3, 100)}%", "small"))

    def bottom(self, p: Program) -> str:
        if not p.pages or self.has(0.15):
            return ""
        pages = (p.pages + self.says(2, "word"))[: self.r.randint(3, 5)]
        at = self.r.randrange(len(pages))
        tab = lambda i, s: e("tab", e("pill", self.icon(22, label=s)), t(s), role="tab", states=states(selected=i == at), name=s)
        return e("bottom", *(tab(i, s) for i, s in enumerate(pages)), role="toolbar")

    def dialog(self, title, body, buttons, x, y, w, h):
        width = min(w, 330)
        inside = e("col", self.heading(title, "mid"), body, buttons, style="padding:22px;gap:16px;height:100%")
        return self.frame(inside, x, y, width, h + 40, "dialog")

    def window_button(self, name):
        return ""

    def leading(self) -> str:
        return self.tool(Tool(glyph=self.r.choice(["back", "menu"]), label="navigate"))

    def art(self, kind, size=0, label=""):
        return super().art(kind, 40 if kind == "avatar" else size, label)


class Material2(Phone):
    FONTS = ("Roboto", "Roboto", "Noto Sans")
    CSS = COMMON + """
.appbar{height:56px;padding:0 4px;box-shadow:var(--barshadow)}.appbar .h{font-size:20px;font-weight:500;padding-left:14px}.btn{border:0;background:none;color:var(--accent);font-weight:500;text-transform:uppercase;letter-spacing:.8px;font-size:13px}.btn.default{background:var(--accent);color:var(--onaccent);box-shadow:0 2px 3px #0004}.btn.disabled{color:var(--faint)}.key.btn,.day.btn{text-transform:none;color:var(--ink);background:var(--btn);box-shadow:0 1px 1px #0004;font-size:18px}.tool{border-radius:50%;width:auto}.field,.drop{border:0;border-bottom:1px solid var(--dim);border-radius:4px 4px 0 0;background:var(--hover);height:44px}.field.focused{border-bottom:2px solid var(--accent)}
.switch{width:34px;height:14px;background:var(--trough)}.switch .knob{top:-3px;left:0;width:20px;height:20px;box-shadow:0 1px 3px #0006}.switch.checked{background:color-mix(in srgb,var(--accent) 50%,transparent)}.switch.checked .knob{left:15px;background:var(--accent)}.box{border-width:2px;border-radius:2px}.box.radio{border-radius:50%}.box.radio.checked{background:none;color:var(--accent)}.slider .thumb{background:var(--accent);border:0}.slider .tick{top:calc(50% - 1px);width:2px;height:2px;background:#fff}.prog{height:4px}.item{padding:8px 16px;gap:20px}.bubble{border-radius:16px}.group{border:0;border-bottom:1px solid var(--hair);border-radius:0;padding:8px 0}.gtitle{color:var(--accent);font-weight:500;font-size:14px}.setting{min-height:60px;padding:6px 0;gap:24px}.two .t:first-child,.setting .t{font-size:16px}.setting .small,.item .small{font-size:14px}
.tabs{background:var(--title);color:var(--titleink);padding:0}.tab{flex:1;justify-content:center;text-transform:uppercase;font-weight:500;height:48px}.bottom .tab{text-transform:none}.card{box-shadow:0 1px 3px #0004;border:0;border-radius:4px}.menu{border:0;border-radius:4px;padding:8px 0}.menu .item{padding:0 16px;min-height:44px;font-size:16px}.fab{border-radius:28px}
"""

    def tokens(self):
        r = self.r
        h = r.choice([231, 207, 174, 122, 4, 291, 36, 200])
        accent = hsl(h, 65, 48) if not self.dark else hsl(h, 60, 72)
        colours = tones(0, 0, self.dark, accent, **(dict(bg="#121212", base="#121212", card="#1e1e1e", pop="#2c2c2c") if self.dark else dict(bg="#fafafa", base="#fff", pop="#fff")))
        strong = self.has(0.55) and not self.dark
        return colours | dict(
            title=accent if strong else colours["pop"], titleink="#fff" if strong else colours["ink"], statbg=hsl(h, 70, 36) if strong else "transparent", statink="#fff" if strong else "inherit", tabink="inherit" if strong else colours["dim"], bottom=colours["pop"], fab=r.choice([accent, hsl(h + 150, 80, 50)]), fabink="#fff", onaccent="#fff" if not self.dark else "#000", barshadow="0 2px 4px #0004" if self.has(0.6) else "none",
            stat="24px", bottomh="56px", fs="14px", ctl="36px", tool="44px", bmin="64px", bpad="16px", r="4px", cr="4px", mr="4px", box="18px", sww="34px", swh="14px", thumb="14px" if self.has(0.6) else "20px", rail="3px", row="48px", headh="44px", sbw="4px", sbr="2px", sbbg="transparent", sbthumb="#8886", prog="4px", wb="0", tip="#616161e6", tipink="#fff", tipline="#0000", tr="4px", setpad="16px", toolink="inherit", wr="4px", mbh="30px",
        )  # fmt: skip

    def fab(self, has_bottom: bool) -> str:
        if not self.has(self.HAS_FAB):
            return ""
        word = self.say("word") if self.has(0.3) else ""
        return e("fab", glyph("plus", 22, 1.8) if self.has(0.4) else self.icon(22), t(word), role="button", name="action", style=f"bottom:{140 if has_bottom else 76}px;{'padding:0 18px' if word else ''}")

    def top(self, p: Program) -> str:
        tools = "".join(self.tool(x) for x in p.tools[:2] if x)
        return e("appbar", self.leading(), self.heading(p.title), GAP, tools, self.tool(Tool(glyph="vdots", label="more")), role="toolbar")

    def window(self, p, x=0, y=0, w=800, h=600, cls=""):
        bottom = self.bottom(p)
        system = e("keys3", *(e("", glyph(s, 15, 1.8), role="button", name=s) for s in ("tri-left", "record", "stop"))) if self.has(0.4) else e("homebar")
        chips = e("chips", *(e("tab", t(self.say("word")), role="tab", states=states(selected=i == 0)) for i in range(6))) if self.has(0.2) else ""
        inside = self.clock() + self.top(p) + chips + e("middle base", e("col fill", p.body)) + self.fab(bool(bottom)) + bottom + system
        return self.frame(inside, x, y, w, h, cls=cls + " android")


class Material3(Material2):
    CSS = Material2.CSS + """
.appbar{box-shadow:none;height:64px}.appbar .h{font-size:22px;font-weight:400}.appbar.large{flex-wrap:wrap;height:auto;padding-top:8px}.appbar.large .h{order:9;flex-basis:100%;padding:20px 16px 22px;font-size:30px}.searchbar{height:52px;border-radius:26px;background:var(--tonal);margin:6px 16px;padding:0 4px;display:flex;align-items:center;flex:none;gap:6px}.btn{text-transform:none;letter-spacing:.1px;border-radius:20px;font-size:14px}.btn.default{box-shadow:none}.btn:not(.default){border:1px solid var(--line)}.btn.key{border:0;border-radius:8px;background:var(--btn);box-shadow:none}.tonal{background:var(--tonal)}
.switch{width:52px;height:32px;border-radius:16px;border:2px solid var(--dim);background:var(--tonal)}.switch .knob{top:6px;left:6px;width:16px;height:16px;background:var(--dim);box-shadow:none}.switch.checked{background:var(--accent);border-color:var(--accent)}.switch.checked .knob{top:2px;left:22px;width:24px;height:24px;background:var(--onaccent)}.bottom .pill{border-radius:16px;padding:4px 20px}.bottom .tab.selected .pill{background:var(--tonal2)}.bottom .tab.selected{color:var(--ink);font-weight:600}.fab{border-radius:16px;box-shadow:0 2px 6px #0003}
.slider .rail,.slider .done{height:16px;top:calc(50% - 8px);border-radius:8px}.slider .thumb{width:4px;height:44px;top:calc(50% - 22px);margin-left:-2px;border-radius:2px;box-shadow:0 0 0 5px var(--bg)}.slider.v .rail,.slider.v .done{width:16px;height:auto;left:calc(50% - 8px);top:0}.slider.v .done{top:auto}.slider.v .thumb{width:44px;height:4px;left:calc(50% - 22px);margin:0}.slider .tick{width:4px;height:4px;border-radius:2px;background:var(--accent);top:calc(50% - 2px)}.card{border-radius:12px;box-shadow:none;background:var(--tonal)}.menu{border-radius:8px}.dialog{border-radius:28px!important;background:var(--pop)}
.tab{text-transform:none}.tabs{background:none}.group{border:0}.cards .group{background:var(--tonal);border-radius:22px;padding:6px 16px}.item.selected{border-radius:28px}.badge{background:var(--tonal2)}.badge.red,.badge.hot{background:#b3261e;color:#fff}
"""
    HAS_FAB = 0.4

    def tokens(self):
        h = self.r.choice([265, 220, 150, 40, 340, 190, 100])
        d = self.dark
        base = super().tokens()
        colours = tones(h, self.r.choice([8, 14, 25]), d, hsl(h, 40, 78) if d else hsl(h, 38, 44), onaccent=hsl(h, 50, 18) if d else "#fff")
        ground = hsl(h, 10, 8) if d else hsl(h, 45, 98)
        tonal, tonal2 = (hsl(h, 9, 14), hsl(h, 18, 30)) if d else (hsl(h, 30, 94), hsl(h, 45, 88))
        pick = "bg base title bottom".split()
        return base | colours | dict.fromkeys(pick, ground) | dict(titleink=colours["ink"], statbg="transparent", statink="inherit", tabink=colours["dim"], bottom=tonal, tonal=tonal, tonal2=tonal2, fab=tonal2, fabink=colours["ink"], pop=tonal, card=tonal, selpassive=tonal2, ctl="40px", r="12px", cr="12px", box="18px", bottomh="72px", bpad="22px", thumb="44px", toolink="inherit")

    def top(self, p):
        if self.has(0.25):
            inside = self.leading() + e("grow", self.text(f"Search {p.title.lower()}", "dim")) + self.tool(Tool("mic")) + self.avatar(32)
            return e("searchbar", inside, role="field", states="empty", acted=True)
        return super().top(p).replace('class="appbar', 'class="appbar large' if self.has(0.25) else 'class="appbar', 1)

    def window(self, p, x=0, y=0, w=800, h=600, cls=""):
        return super().window(p, x, y, w, h, cls + (" cards" if self.has(0.5) else ""))


class Ios(Phone):
    FONTS = ("Inter", "Inter", "Inter", "Roboto", "Nimbus Sans")
    CHEVRON = "updown"
    ROUND = False
    CSS = COMMON + """
.statusline{height:var(--stat);padding:0 26px;font-size:15px}.appbar{flex-direction:column;align-items:stretch;gap:0;padding:0 8px;border-bottom:.5px solid var(--barline)}.nav{display:flex;align-items:center;height:44px;position:relative;gap:4px;color:var(--accent)}.nav .mid{position:absolute;left:70px;right:70px;display:flex;justify-content:center;color:var(--ink);font-size:17px}.nav .link{font-size:17px;color:var(--accent)}.nav .tool{color:var(--accent)}.large{font-size:32px;font-weight:700;padding:2px 8px 8px;color:var(--ink)}.appbar .field{width:auto!important;margin:0 8px 10px;border:0;background:var(--hover);border-radius:10px;height:36px;flex:none}
.bottom{border-top:.5px solid var(--line)}.bottom .tab{font-size:10px;gap:2px}.group{border:0;background:var(--card);border-radius:var(--gr);padding:0 0 0 16px;gap:0;flex:none}.group>*{padding-right:16px}.group .setting,.group>.chk{min-height:44px;border-bottom:.5px solid var(--hair);font-size:17px}.group>:last-child{border:0}.ghead{font-size:13px;color:var(--dim);padding-left:16px;font-weight:400;text-transform:var(--gcase)}.gfoot{font-size:13px;color:var(--dim);padding:0 16px}.gtitle{padding-top:10px}
.switch .knob{box-shadow:0 2px 5px #0003}.btn{border:0;background:var(--hover);color:var(--accent);border-radius:99px;font-weight:600}.btn.default{background:var(--accent);color:#fff}.key.btn{border-radius:5px!important;background:var(--btn);color:var(--ink);font-weight:400;font-size:21px;box-shadow:0 1px 0 #0006}.item{padding:8px 16px;border-bottom:.5px solid var(--hair);gap:12px}.two .t:first-child{font-size:17px}.item .small{font-size:14px}.segs{border:0;background:var(--hover);border-radius:9px;padding:2px}.seg{border:0!important;border-radius:7px;font-size:13px;font-weight:500}.seg.selected{background:var(--segon);color:var(--ink);box-shadow:0 2px 6px #0002}.slider .thumb{border:0;box-shadow:0 .5px 4px #0004}.drop{border:0;background:none;color:var(--dim)}.box{border-radius:50%}
.menu{border:0;border-radius:13px;padding:0;backdrop-filter:blur(20px);min-width:220px;overflow:hidden}.menu .item{border-bottom:.5px solid var(--hair);padding:0 14px;min-height:44px;font-size:17px}.menu .sep{height:7px;margin:0}.tabs{margin:6px 16px;padding:2px;background:var(--hover);border-radius:9px}.tab{border:0;flex:1;justify-content:center;height:28px;border-radius:7px;color:var(--ink);font-size:13px}.tab.selected{background:var(--segon);border:0}.bottom .tab,.chips .tab{background:none}.dialog{border-radius:14px;text-align:center;background:var(--pop)}.dialog .field,.dialog .t{text-align:left}.chips .tab{border-radius:16px;flex:none}.chips .selected{background:var(--accent)!important;color:#fff}
.round .nav .tool,.round .nav .link{background:var(--glass);border-radius:22px;height:44px;min-width:44px;box-shadow:0 2px 12px #0002,inset 0 0 0 .5px #fff8;color:var(--ink);display:flex;align-items:center;padding:0 12px}.round .bottom{position:absolute;left:22px;right:22px;bottom:22px;border-radius:32px;background:var(--glass);box-shadow:0 4px 18px #0003,inset 0 0 0 .5px #fff8;border:0;padding:4px;z-index:6}.round .bottom .tab{border-radius:28px}.round .bottom .selected{background:var(--hover)}.round .nav{height:56px}.round .appbar{border:0}.sheetgrip{width:36px;height:5px;border-radius:3px;background:var(--line);align-self:center;margin:6px}
"""

    def tokens(self):
        accent = self.r.choice(["#007aff"] * 4 + ["#34c759", "#ff9500", "#ff2d55", "#af52de", "#ff3b30"]) if not self.dark else "#0a84ff"
        colours = tones(240, 4, self.dark, accent, **(dict(bg="#000", base="#000", card="#1c1c1e", pop="#252527ee", btn="#6b6b6e") if self.dark else dict(bg="#f2f2f7", base="#fff", card="#fff", pop="#f9f9f9ee", btn="#fff")))
        return colours | dict(
            title=colours["bg"] if self.dark else self.r.choice(["#f2f2f7", "#f9f9f9"]), bottom="#161616" if self.dark else "#f9f9f9", barline="transparent" if self.has(0.6) else colours["line"], segon="#636366" if self.dark else "#fff", glass="#2c2c2ed9" if self.dark else "#ffffffd9", gr=f"{self.r.choice([10, 10, 24])}px", gcase=self.r.choice(["uppercase", "none"]), line=colours["hair"], toolink=accent,
            stat=f"{self.r.choice([20, 44, 54])}px", bottomh="50px", fs="15px", ctl="34px", tool="36px", bmin="60px", bpad="14px", r="8px", cr="12px", mr="13px", box="22px", sww="51px", swh="31px", thumb="26px", rail="4px", row="44px", headh="34px", sbw="3px", sbr="2px", sbbg="transparent", sbthumb="#8888", prog="4px", wb="0", wr="14px", mbh="30px", setpad="16px", fab=accent, fabink="#fff",
        )  # fmt: skip

    def settings(self, title, items):
        surface = e("group", *(self.setting(x) for x in items), role="panel")
        foot = self.para(self.say("sentence"), "gfoot") if self.has(0.2) else ""
        return col(self.heading(title, "ghead") if title else "", surface, foot, gap=6)

    def setting(self, x):
        art = self.appicon(29) if x.icon else ""
        words = col(self.text(x.text), self.text(x.sub, "dim small"), gap=1, style="padding:6px 0") if x.sub else self.text(x.text)
        return e("setting", art, words, GAP, x.control, self.text(x.trail, "dim") if x.trail else "", e("row dim", glyph("right", 13, 2)) if x.more else "", role="item" if x.more else "")

    def window(self, p, x=0, y=0, w=800, h=600, cls=""):
        large = self.has(0.5)
        back = e("link", glyph("left", 18, 2.4), "" if self.ROUND else t(self.say("word")), role="button", name="back", style="display:flex;align-items:center") if self.has(0.6) else self.link("Edit")
        tools = "".join(self.tool(x) for x in p.tools[:2] if x) or self.link(self.r.choice(["Done", "Edit", "Cancel", "Add"]))
        nav = e("nav", back, e("mid", self.heading(p.title)) if not large else "", GAP, tools)
        bar = e("appbar", nav, self.heading(p.title, "large") if large else "", self.search() if large and self.has(0.5) else "", role="toolbar")
        plain = "" if any(s in p.body for s in ('class="group', "ghead")) else " base"
        inside = self.clock() + bar + e("middle" + plain, e("col fill", p.body)) + self.bottom(p) + e("homebar")
        if self.has(0.12):  # a sheet over what was before
            inside = e("", style="height:54px;background:#666;flex:none") + e("col fill", e("sheetgrip"), bar, e("middle" + plain, e("col fill", p.body)), role="dialog", style="border-radius:14px 14px 0 0;margin-top:-12px;background:var(--bg)")
        return self.frame(inside, x, y, w, h, cls=cls + (" round" if self.ROUND else ""))


class Ios26(Ios):
    """Round glass: floating bars, big corners."""

    ROUND = True


LOOKS = [Material2, Material3, Material3, Ios, Ios, Ios26]
