"""A page under way: it hands out components in the look of its kit."""

import html
import random
import re

from .kits.base import FREE, VARIANTS, Kit, Theme, fill, page_css, sheet, theme
from .material import Material

ICONS = {
    "search": r"(^|-)(search|magnify|magnifier)", "close": r"^(x|close|xmark|times|dismiss|multiply)(-|$)", "down": r"^(chevron|caret|arrow|expand|angle)-down", "right": r"^(chevron|caret|angle|nav-arrow|arrow)-right|^chevron-forward",
    "left": r"^(chevron|caret|angle|arrow)-left|^chevron-back|^arrow-back", "more": r"(more|dots|ellipsis|kebab|three-dot|overflow)", "menu": r"^(menu|hamburger|list|bars)", "add": r"^(add|plus)(-|$)", "trash": r"(trash|delete|bin)",
    "edit": r"(edit|pencil)", "gear": r"(settings|gear|cog)", "bell": r"(bell|notification|alert)", "folder": r"folder", "file": r"^(file|document|doc)", "star": r"star", "heart": r"heart", "play": r"^play", "next": r"(skip|next|forward)",
    "user": r"(user|person|account|profile)", "send": r"(send|paper-plane)", "check": r"^(check|tick|done|checkmark)", "mic": r"mic", "camera": r"(camera|video)", "phone": r"(phone|call)", "mail": r"(mail|email|envelope|inbox)",
    "home": r"^home|house", "sort": r"(sort|swap|arrow-up|arrow-down)", "eye": r"(eye|visibility|view)", "info": r"(info|help|warning|alert-circle)", "calendar": r"calendar", "minus": r"^(minus|remove|subtract|horizontal-rule|dash)(-|$)", "square": r"^(square|maximize|checkbox-blank|stop)",
}

MIXED = ("free", "chromium", "bootstrap", "tabler", "coreui", "bootstrap3", "bootstrap3-theme", "daisy")  # kits whose check boxes show a third state


class Page:
    """Makes the parts of one page; all chances come from `r`."""

    def __init__(self, kit: Kit, m: Material, r: random.Random, width: int, height: int):
        self.kit, self.m, self.r, self.w, self.h = kit, m, r, width, height
        self.phone = width < 520
        self.dark = kit.always_dark or (r.random() < 0.33 and (bool(kit.dark) or kit.name == "free"))
        self.theme: Theme = theme(r, self.dark, kit.accents)
        if kit.name != "free" and r.random() < 0.7:  # the ground that the kit's own parts are made for
            self.theme.bg, self.theme.surface, self.theme.raised = ("#1b1d21", "#22252a", "#2b2f36") if self.dark else r.choice([("#fff", "#fff", "#fff"), ("#f5f6f8", "#fff", "#fff")])
        if kit.ground:
            self.theme.bg = self.theme.surface = self.theme.raised = kit.ground
        self.ids = 0
        if self.phone:
            self.theme.size, self.theme.pad = r.choice([13, 14, 15, 16, 17]), r.choice([8, 10, 12, 14])
        self.set = r.choice(m.plain)
        self.picked: dict[str, str] = {}
        self.family, self.faces = m.font(r)
        self.icon_size = r.choice([0, 0, 0, 2, 4, 6])
        self.focused = r.random() < 0.75  # whether the one focus of the page has been given

    # Chances and texts

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    def say(self, kind: str = "label") -> str:
        return self.m.esc(self.r, kind)

    def some(self, low: int, high: int, make) -> str:
        return "".join(make() for _ in range(self.r.randint(low, high)))

    def states(self, disabled=0.06, **more: float) -> list[str]:
        return [s for s, p in {"disabled": disabled, **more}.items() if self.chance(p)]

    # Attributes

    def d(self, role: str, states=(), acted: bool | None = None, more: str = "") -> str:
        out = f'data-role="{role}"'
        if states:
            out += f' data-states="{" ".join(states)}"'
        if acted is not None:
            out += f' data-acted="{int(acted)}"'
        out += "".join(f" {s}" for s in ("disabled", "checked") if s in states)
        if "mixed" in states:
            out += " data-mixed"
        if "error" in states:
            out += ' aria-invalid="true"'
        return out + (" " + more if more else "")

    def focus(self) -> str:
        if self.focused or not self.chance(0.3):
            return ""
        self.focused = True
        return "data-focus"

    def part(self, name: str, role: str, states=(), v: str = "default", more: str = "", **values) -> str:
        own = self.kit.parts.get(name)
        if own is not None and name not in ("card", "dialog") and self.chance(0.02):
            own = None
        free = own is None
        template = FREE[name] if free else own
        if isinstance(template, (list, tuple)):
            template = self.r.choice(template)
        states = [s for s in states if self.shows(template, s)]
        on, off, bad = ("w-on", "w-off", "w-bad") if free else (self.kit.on, self.kit.off, self.kit.bad)
        self.ids += 1
        chosen = "selected" in states
        js = lambda state: str(state in states).lower()
        values = {"id": f"e{self.ids}", "jsd": js("disabled"), "jsc": js("checked"), "jss": js("selected"), "rv": "1" if {"checked", "selected"} & set(states) else f"{self.ids + 2}", "act": "active" if chosen else "", "mix": "indeterminate" if "mixed" in states else "", "err": "error" if "error" in states else "",
                  "primary": 'variant="primary"' if chosen else "", "elsel": "is-active" if chosen else "", "tag": self.r.choice(["primary", "success", "info", "warning", "danger"]), "bv": self.r.choice(["", 'color="danger"', 'color="medium"', 'color="success"']), "v2": self.r.choice(["red", "blue", "green", "orange"]), "f7": "button-active" if chosen else "", "st": " ".join(states), "sel": str(chosen).lower(), "sel2": "pf-m-selected" if chosen else "", "cur": 'aria-current="page"' if chosen else "", "cursel": "selected" if chosen else "", "cdsel": "cds--content-switcher--selected" if chosen else "",
                  "filled": "filled-in" if self.ids % 2 else "", "small": " govuk-checkboxes--small govuk-radios--small" if self.r.random() < 0.5 else "", "sep": self.r.choice(["/", "›", "»", "·"]), "a": more, **values}
        if role:
            values["d"] = self.d(role, states, more=more)
            values["d0"] = re.sub(r" (disabled|checked|data-mixed)(?= |$)", "", self.d(role, states, more='data-acted="1"' if "data-acted" in more else ""))
        return fill(template, {
            "v": v if free else self.kit.variants.get(v, v), "on": on if {"selected", "checked"} & set(states) else "", "off": off if "disabled" in states else "", "bad": bad if "error" in states else "",
            "dis": "disabled" if "disabled" in states else "", "chk": "checked" if "checked" in states else "", **values,
        })

    @staticmethod
    def shows(template: str, state: str) -> bool:
        """Whether a state can be seen on what a template makes."""
        if state == "selected":
            return any(k in template for k in ("{on}", "{sel}", "{sel2}", "{cur}", "{cursel}", "{cdsel}", "{act}", "{primary}", "{f7}", "{jss}", "{rv}"))
        if state == "error":
            return "{bad}" in template or "{err}" in template
        if state == "disabled":
            return any(k in template for k in ("{off}", "{dis}", "<button", "<input", "<select", "<textarea", "{jsd}"))
        return True

    # Components

    def icon(self, match: str | None = None, size: float | None = None, style: str = "") -> str:
        """An icon; the same name gives the same drawing on one page. Size in CSS pixels."""
        if match is not None and match not in self.picked:
            self.picked[match] = self.m.icon(self.r, self.set, ICONS.get(match, match))[0]
        key = "^" + self.picked[match].replace("+", r"\+") + "$" if match else None
        _, svg = self.m.icon(self.r, self.set if self.chance(0.97) or match else None, key, size or (f"calc(1em + {self.icon_size}px)" if self.icon_size else "1.15em"))
        return svg.replace('style="', f'style="{style};', 1) if style else svg

    def coloured(self, size: float) -> str:
        sets = [s for s in self.m.sets if s not in self.m.plain]
        return self.m.icon(self.r, self.r.choice(sets), None, size)[1] if sets else self.icon(None, size)

    def button(self, text: str | None = None, v: str | None = None, icon: str | bool | None = None, states=None) -> str:
        v = v or self.r.choice(["primary", "default", "default", "default", "text", "danger"])
        states = self.states(selected=0.03) if states is None else states
        i = self.icon(icon if isinstance(icon, str) else None) if icon or (icon is None and self.chance(0.25)) else ""
        return self.part("button", "button", states, v, t=self.say() if text is None else text, i=i, more=self.focus())

    def iconbutton(self, match: str | None = None, states=None, badge: bool | None = None) -> str:
        states = self.states(selected=0.06) if states is None else states
        out = self.part("iconbutton", "button", states, i=self.icon(match))
        if badge or (badge is None and self.chance(0.03)):
            dot = f'<span {self.d("badge")} style="position:absolute;right:2px;top:2px;background:{self.r.choice(["#e5303b", "#f50", self.theme.accent])};color:#fff;border-radius:9px;font-size:9px;line-height:13px;min-width:13px;padding:0 3px;text-align:center">{self.r.randint(1, 99)}</span>'
            if self.chance(0.3):
                dot = f'<span {self.d("badge")} style="position:absolute;right:4px;top:4px;background:#e5303b;border-radius:9px;width:8px;height:8px"></span>'
            out = f'<span style="position:relative;display:inline-flex;flex:none">{out}{dot}</span>'
        return out

    def badge(self, text: str | None = None) -> str:
        return self.part("badge", "badge", (), self.r.choice(VARIANTS), t=self.say(self.r.choice(["word", "number"]))[:14] if text is None else text)

    def count(self) -> str:
        return self.badge(str(self.r.choice([1, 2, 3, 5, 7, 12, 28, 99, 140])))

    def chip(self, states=None) -> str:
        x = f'<span {self.d("button")} style="display:inline-flex">{self.icon("close", 10)}</span>' if self.chance(0.3) else ""
        states = self.states(0, selected=0.15) if states is None else states
        return self.part("chip", "badge", states, more='data-acted="1"', t=self.say("word"), i=self.icon() if self.chance(0.3) else "", x=x)

    def link(self, text: str | None = None) -> str:
        return self.part("link", "link", t=self.say() if text is None else text)

    def field(self, kind: str | None = None, icon: str | None = None, value: str | None = None) -> str:
        kind = kind or self.r.choice(["text", "text", "text", "email", "number", "password", "date"])
        states = self.states(0.06, error=0.06)
        if value is None and self.chance(0.45):
            value = {"number": str(self.r.randint(0, 999)), "password": "secret12", "date": "2024-05-17", "email": self.m.text(self.r, "name").split()[0].lower() + "@example.org"}.get(kind) or self.m.text(self.r, self.r.choice(["word", "label", "title", "name"]))
        attrs = f'type="{"text" if kind == "email" else kind}"' + (f' value="{html.escape(value)}"' if value else "") + (f' placeholder="{self.say()}"' if not value and self.chance(0.85) and kind != "date" else "")
        if icon:
            part = self.kit.parts.get("iconfield")
            if part or not self.kit.parts.get("field") or self.chance(0.6):
                filled = [] if value else ["placeholder"]
                return self.part("iconfield", "field", states + filled, i=self.icon(icon), a=attrs + (" disabled" if "disabled" in states else ""), d=self.d("field", states + filled).replace(" disabled", "", 1) if "disabled" not in states else self.d("field", states + filled), c=f'</input>{self.icon("close")}' if False else "")
        shown = html.escape(value or "")
        hint = "" if value else self.say()
        return self.part("field", "field", states, more=attrs + " " + self.focus(), val=shown, ph=hint, kind={"email": "text", "date": "text"}.get(kind, kind))

    def area(self, rows: int | None = None) -> str:
        lines = [] if self.chance(0.35) else [self.m.text(self.r, "title") for _ in range(self.r.randint(1, 3))]
        return self.part("area", "field", self.states(0.04), more=f'placeholder="{self.say("title")}"', ph=self.say("title"), n=str(rows or self.r.randint(2, 5)), t=html.escape("\n".join(lines)))

    def select(self, text: str | None = None) -> str:
        return self.part("select", "dropdown", self.states(), t=self.say() if text is None else text, i=self.icon("down"), more=self.focus())

    def check(self, text: str | None = None, states=None, part: str = "check") -> str:
        states = self.states(0.08, checked=0.45) if states is None else states
        if part == "check" and self.kit.name in MIXED and self.chance(0.06) and "checked" not in states:
            states = states + ["mixed"]
        label = self.say() if text is None else text
        return self.part(part, {"check": "checkbox"}.get(part, part), states, t=f"<span>{label}</span>" if label else "", more=f'name="n{self.r.random()}"')

    def radios(self, down: bool | None = None) -> str:
        n, at = self.r.randint(2, 4), self.r.randint(0, 3)
        return self.row(*(self.check(None, ["checked"] if i == at else self.states(0.05), "radio") for i in range(n)), gap=14, wrap=True) if not down else self.col(*(self.check(None, ["checked"] if i == at else [], "radio") for i in range(n)), gap=6)

    def switch(self, text: str = "") -> str:
        return self.check(text, None, "switch")

    def slider(self) -> str:
        return self.part("slider", "slider", self.states(0.04), n=str(self.r.randint(2, 98)))

    def progress(self) -> str:
        n = self.r.randint(3, 97)
        return self.part("progress", "progress", n=str(n), f=str(n / 100))

    def spinner(self) -> str:
        s, w = self.r.choice([14, 16, 20, 24, 32, 40]), self.r.choice([2, 3, 4])
        ring = f'<circle cx="20" cy="20" r="16" fill="none" stroke="{self.theme.line}" stroke-width="{w}"/>' if self.chance(0.5) else ""
        return f'<svg {self.d("icon", ["busy"])} viewBox="0 0 40 40" style="width:{s}px;height:{s}px;flex:none"><g transform="rotate({self.r.randint(0, 350)} 20 20)">{ring}<path d="M20 4a16 16 0 0 1 {self.r.choice(["16 16", "0 32", "11.3 27.3"])}" fill="none" stroke="{self.theme.accent}" stroke-width="{w}"/></g></svg>'

    def tabs(self, n: int | None = None, icons: bool = False, close: bool = False) -> str:
        n, at = n or self.r.randint(2, 6), self.r.randint(0, 5)
        one = lambda i: self.part("tab", "tab", ["selected"] if i == at else self.states(0.04), t=f"<span>{self.say(self.r.choice(['word', 'label']))}</span>", i=self.icon() if icons else "", c=self.tiny("close") if close else (self.count() if self.chance(0.1) else ""))
        return self.part("tabs", "", c="".join(one(i) for i in range(n)))

    def tiny(self, match: str) -> str:
        """A small icon that is a button without a surface."""
        return f'<span {self.d("button")} style="display:inline-flex;padding:{self.r.choice([0, 2, 3])}px;flex:none">{self.icon(match, self.r.choice([9, 10, 12, 14, 16]))}</span>'

    def segments(self, n: int | None = None, icons: bool | None = None) -> str:
        n, at, icons = n or self.r.randint(2, 5), self.r.randint(0, 3), self.chance(0.35) if icons is None else icons
        return self.part("segments", "panel", c="".join(self.part("segment", "tab", ["selected"] if i == at else self.states(0.03), t="" if icons else f"<span>{self.say('word')}</span>", i=self.icon() if icons else "") for i in range(n)))

    def nav(self, n: int, icons: bool | None = None, names: str = "label") -> str:
        icons, at = self.chance(0.75) if icons is None else icons, self.r.randrange(n)
        one = lambda i: self.part("navitem", "item", ["selected"] if i == at else self.states(0.02), t=self.say(names), i=self.icon() if icons else "", c=self.count() if self.chance(0.15) else "")
        return self.part("nav", "", c="".join(one(i) for i in range(n)))

    def tree(self, n: int) -> str:
        at, out, depth = self.r.randrange(n), [], 0
        tight, twist = self.r.choice([1, 2, 3, 5]), self.r.choice(["chevron", "sign", "none"])
        for i in range(n):
            folder = self.chance(0.4)
            sign = self.icon(self.r.choice(["down", "right"]), 11) if folder and twist == "chevron" else '<span style="width:11px;flex:none"></span>'
            on = f"background:{self.theme.soft};" if i == at else ""
            out.append(
                f'<div {self.d("item", (["selected"] if i == at else []) + (["expanded"] if folder and self.chance(0.5) else []))} class="x-row one" style="{on}gap:5px;padding:{tight}px 6px {tight}px {6 + depth * 14}px">{sign if twist != "none" else ""}'
                f'{self.icon("folder" if folder else "file")if self.chance(0.9) else self.coloured(15)}<span class="one">{self.say(self.r.choice(["word", "path"]))}</span></div>'
            )
            depth = max(0, min(4, depth + (1 if folder else self.r.choice([0, 0, 0, -1]))))
        return f'<div class="x-col">{"".join(out)}</div>'

    def menu(self, n: int | None = None, keys: bool | None = None) -> str:
        icons, keys, at = self.chance(0.5), self.chance(0.5) if keys is None else keys, self.r.randint(0, 12)
        out = []
        for i in range(n or self.r.randint(3, 11)):
            if i and self.chance(0.14):
                out.append(self.part("menuline", ""))
            end = f'<span class="w-mute">{self.r.choice(["Ctrl+", "⌘", "Alt+", "⇧⌘"])}{self.r.choice("ABCDEFGHKLNOPSVXZ")}</span>' if keys and self.chance(0.7) else self.icon("right", 11) if self.chance(0.12) else ""
            lead = self.icon() if icons and self.chance(0.85) else self.icon("check") if self.chance(0.08) else ""
            out.append(self.part("menuitem", "item", ["selected"] if i == at else self.states(0.1), t=self.say(self.r.choice(["label", "label", "title"])), i=lead, c=end))
        return self.part("menu", "menu", c="".join(out))

    def card(self, *content: str, style: str = "") -> str:
        return self.part("card", "panel", c="".join(content), more=f'style="{style}"' if style else "")

    def dialog(self, content: str, title: str | None = None) -> str:
        foot = "".join(self.button(None, v, False) for v in self.r.sample(["default", "primary", "text", "danger"], self.r.randint(1, 3)))
        return self.part("dialog", "dialog", t=self.say("title") if title is None else title, c=content, f=foot, x=self.iconbutton("close", []) if self.chance(0.7) else "")

    def alert(self) -> str:
        return self.part("alert", "panel", v=self.r.choice(VARIANTS), t=self.say("sentence") + (" " + self.link() if self.chance(0.3) else ""), i=self.icon("info") if self.chance(0.7) else "", x=self.tiny("close") if self.chance(0.6) else "")

    def crumbs(self) -> str:
        return self.part("crumbs", "", c=self.some(2, 4, lambda: self.part("crumb", "link", t=self.say("word"))) + f'<span>{self.say("word")}</span>')

    def pages(self) -> str:
        at = self.r.randint(0, 4)
        ends = [self.part("page", "button", self.states(0.3), i=self.icon(k)) for k in ("left", "right")]
        return self.part("pages", "", c=ends[0] + "".join(self.part("page", "button", ["selected"] if i == at else [], t=str(i + 1)) for i in range(self.r.randint(3, 6))) + ends[1])

    def avatar(self, size: int | None = None) -> str:
        s = size or self.r.choice([20, 24, 28, 32, 36, 40, 48])
        if self.chance(0.5):
            return f'<img class="w-av" {self.d("avatar")} style="width:{s}px;height:{s}px" src="{self.m.photo(self.r) if self.chance(0.5) else self.m.picture(self.r)}">'
        name = self.m.text(self.r, "name").split()
        inside = name[0][0] + name[1][0] if self.chance(0.8) else self.icon("user")
        return f'<span class="w-av" {self.d("avatar")} style="width:{s}px;height:{s}px;font-size:{s * 0.4:.0f}px;background:hsl({self.r.randrange(360)} {self.r.randint(20, 80)}% {self.r.randint(30, 60)}%);color:#fff">{inside}</span>'

    def picture(self, style: str, photo: float = 0.7) -> str:
        src = self.m.photo(self.r) if self.chance(photo) else self.m.picture(self.r)
        return f'<img class="pic" {self.d("picture")} style="{style};object-position:{self.r.randint(0, 100)}% {self.r.randint(0, 100)}%" src="{src}">'

    def heading(self, level: int | None = None, kind: str = "title") -> str:
        level = level or self.r.choice([2, 3, 4])
        size = {1: 2, 2: 1.5, 3: 1.2, 4: 1.05}[level] * self.theme.size
        return f'<h{level} {self.d("heading")} style="font-size:{size:.1f}px;line-height:1.3">{self.say(kind)}</h{level}>'

    def labelled(self, control: str) -> str:
        return f'<div class="full">{self.part("label", "", t=self.say("label"))}{control}</div>'

    def text(self, kind: str = "sentence", mute: bool | None = None, style: str = "") -> str:
        mute = self.chance(0.4) if mute is None else mute
        return f'<div class="{"w-mute" if mute else ""}" style="{style}">{self.say(kind)}</div>'

    def chart(self, w: str = "100%", h: int = 140) -> str:
        """A chart as one picture of lines, bars or a ring; its height in CSS pixels."""
        r, t = self.r, self.theme
        hues = [t.accent] + [f"hsl({r.randrange(360)} 65% 52%)" for _ in range(3)]
        kind = r.choice(["line", "bars", "area", "ring", "spark"])
        body = "" if kind in ("spark", "ring") else "".join(f'<path d="M0 {y}H300" stroke="{t.line}" fill="none"/>' for y in range(15, 120, 26))
        if kind == "ring":
            at = 0
            for c in hues:
                step = r.randint(20, 90)
                body += f'<circle cx="150" cy="60" r="42" fill="none" stroke="{c}" stroke-width="{r.choice([12, 16, 24])}" stroke-dasharray="{step} 400" stroke-dashoffset="-{at}"/>'
                at += step
        elif kind == "bars":
            n = r.randint(5, 18)
            for i in range(n):
                v = r.randint(8, 105)
                body += f'<rect x="{i * 300 / n + 2:.1f}" y="{118 - v}" width="{300 / n * r.choice([.5, .7]):.1f}" height="{v}" fill="{hues[0 if len(hues) < 2 else i % r.choice([1, 2])]}"/>'
        else:
            for c in hues[: r.randint(1, 3)]:
                points = " ".join(f"{i * 20},{r.randint(10, 108)}" for i in range(16))
                body += f'<polyline points="{points}" fill="none" stroke="{c}" stroke-width="{r.choice([1.5, 2, 3])}"/>' + (f'<polygon points="0,120 {points} 300,120" fill="{c}" opacity=".2"/>' if kind == "area" else "")
        return f'<svg {self.d("picture")} viewBox="0 0 300 120" preserveAspectRatio="none" style="width:{w};height:{h}px;display:block">{body}</svg>'

    # Arrangement

    def row(self, *content: str, gap: float = 8, style: str = "", wrap: bool = False, role: str = "", cls: str = "") -> str:
        return f'<div class="x-row {cls}" {self.d(role) if role else ""} style="gap:{gap}px;{"flex-wrap:wrap;" if wrap else ""}{style}">{"".join(content)}</div>'

    def col(self, *content: str, gap: float = 8, style: str = "", role: str = "", cls: str = "") -> str:
        return f'<div class="x-col {cls}" {self.d(role) if role else ""} style="gap:{gap}px;{style}">{"".join(content)}</div>'

    def grow(self, *content: str, style: str = "") -> str:
        return f'<div style="flex:1;min-width:0;{style}">{"".join(content)}</div>'

    def bar(self, *content: str, role: str = "toolbar", style: str = "", gap: float | None = None) -> str:
        """A bar of tools across its container."""
        t, r = self.theme, self.r
        ground = r.choice([t.surface, t.surface, t.bg, t.raised])
        if role == "titlebar" and self.chance(0.3):
            ground = f"{t.accent};color:{t.on_accent}"
        line = r.choice([f"border-bottom:1px solid {t.line}", f"border-bottom:1px solid {t.line}", "", "box-shadow:0 1px 4px #0003;z-index:1;position:relative"])
        return self.row(*content, gap=r.choice([2, 4, 6, 8]) if gap is None else gap, role=role, style=f"background:{ground};{line};padding:{r.choice([2, 4, 6, 8])}px {r.choice([6, 8, 12])}px;flex:none;overflow:hidden;{style}")

    def side(self, *content: str, width: int, end: bool = False) -> str:
        t = self.theme
        ground = self.r.choice([t.surface, t.bg, t.raised, t.line])
        return self.col(*content, role="sidebar", gap=self.r.choice([2, 6, 10]), style=f"width:{width}px;flex:none;background:{ground};border-{'left' if end else 'right'}:{self.r.choice([0, 1, 1])}px solid {t.line};padding:{self.r.choice([0, 4, 8, 12])}px;overflow:hidden")

    def splitter(self, across: bool = False) -> str:
        w = self.r.choice([3, 4, 6, 8])
        grip = f'<span style="background:{self.theme.mute};border-radius:3px;{"width:24px;height:2px" if across else "width:2px;height:24px"}"></span>' if self.chance(0.6) and w > 3 else ""
        return f'<div {self.d("splitter")} style="flex:none;background:{self.r.choice([self.theme.line, self.theme.mute])};{"height" if across else "width"}:{w}px;display:flex;align-items:center;justify-content:center">{grip}</div>'

    def thin_scrollbar(self) -> str:
        """A scroll bar over the right edge of its container, as programs draw that hide the browser's."""
        w, a, n = self.r.choice([5, 6, 8, 10, 12]), self.r.randint(0, 60), self.r.randint(12, 40)
        return f'<div {self.d("scrollbar")} data-surface="i" style="position:absolute;right:{self.r.choice([0, 2])}px;top:0;bottom:0;width:{w}px"><i style="position:absolute;left:0;right:0;top:{a}%;height:{n}%;border-radius:{self.r.choice([0, 9])}px;background:{self.r.choice(["#8888", self.theme.mute, "#999"])}"></i></div>'

    # The document

    def attributes(self) -> str:
        names = self.kit.themes[self.dark]
        return fill(self.kit.dark if self.dark else self.kit.light, {"dark" if self.dark else "light": self.r.choice(names)} if names else {})

    def document(self, body: str) -> str:
        r, t, kit = self.r, self.theme, self.kit
        if "Vue." in kit.tail:  # its templates
            body = body.replace("{{", "{ {")
        base = (self.m.cache / "kits" / "node_modules").as_uri()
        bar = ""
        if self.chance(0.4):
            w = r.choice([6, 8, 10, 14])
            bar = f"::-webkit-scrollbar{{width:{w}px;height:{w}px;background:{r.choice(['transparent', t.surface, t.line])}}}::-webkit-scrollbar-thumb{{background:{t.mute};border-radius:{r.choice([0, 8])}px}}"
        link = r.choice([f".L a.w-l,.L p a{{color:{t.accent};text-decoration:{r.choice(['none', 'underline'])}}}"])
        plain = f"<style>a{{color:{t.accent};text-decoration:{r.choice(['none', 'underline', 'underline'])}}}</style>" if kit.name == "free" else ""
        scripts = "".join(f'<script{" type=module" if j.endswith((".mjs", ".esm.js", "shoelace.js")) else ""} src="{base}/{j}"></script>' for j in kit.js)
        own_font = kit.name == "free" or (kit.font and r.random() < 0.5)
        return (
            f'<!doctype html><html lang="{self.m.language[:2]}" {self.attributes()}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">{plain}'
            + "".join(f'<link rel="stylesheet" href="{base}/{c}">' for c in kit.css)
            + f"<style>{self.faces}{page_css(t, self.family, link)}{sheet(r, t)}{bar}:root{{color-scheme:{'dark' if self.dark else 'light'}}}{kit.more}</style>{kit.head.replace('BASE', base)}</head>"
            f'<body class="{kit.body}"><div id="app" class="L {"F" if own_font else ""}" style="{"" if own_font else "font-family:" + self.family}">{body}</div>{scripts}{kit.tail.replace("ACCENT", repr(r.choice(kit.accents or ("#06c",))))}</body></html>'
        )
