"""What pages are made of: icons, texts, typefaces and pictures, all from the cache folder.

    m = Material(cache, held=False)
    m.start(r)                      # chooses the language of a page
    m.text(r, "label"), m.icon(r)

Held material is for validation alone: see HELD_ICONS and sources.HELD_FONTS.
"""

import base64
import functools
import html
import json
import pathlib
import random
import re

from .. import sources
from ..texts import DAYS, EXTENSIONS, MONTHS, Texts, load

# Icon sets that only held pages draw with.
HELD_ICONS = ("carbon", "iconoir", "octicon", "vscode-icons")
COLOURED = ("devicon", "flat-color-icons", "noto", "twemoji", "vscode-icons")  # sets with colours of their own
KINDS = ("word", "label", "title", "sentence", "paragraph", "number", "date", "path", "name", "code")

# How often a page speaks a language. What is over speaks English.
LANGUAGES = {"de": 0.07, "fr": 0.05, "es": 0.04, "it": 0.02, "pl": 0.02, "ru": 0.05, "el": 0.03, "zh_CN": 0.05, "ja": 0.02, "tr": 0.01}

# Families of the Debian packages that the browser finds by name, see shoot.py.
INSTALLED = (
    "Roboto", "Noto Sans", "Liberation Sans", "DejaVu Sans", "Open Sans", "Lato", "Arimo", "FreeSans", "Inter", "Oxygen-Sans", "PT Sans",
    "Comfortaa", "Liberation Serif", "Nimbus Sans", "URW Gothic", "Liberation Sans Narrow", "DejaVu Sans Condensed",
)
HELD_INSTALLED = ("Cantarell", "Carlito")
MONO = ("DejaVu Sans Mono", "Liberation Mono", "JetBrains Mono", "Fira Code", "Noto Sans Mono", "Inconsolata", "Cousine", "FreeMono")

# Words that interfaces say most, which catalogues of messages hold too seldom.
COMMON = """Save|Cancel|OK|Close|Open|Edit|Delete|Remove|Add|New|Create|Apply|Back|Next|Done|Submit|Send|Reply|Forward|Share|Copy|Paste|Cut|Undo|Redo|
Search|Filter|Sort|Settings|Preferences|Profile|Account|Sign in|Sign out|Log in|Register|Help|About|Home|Dashboard|Overview|Reports|Analytics|Users|
Members|Teams|Projects|Tasks|Calendar|Inbox|Sent|Drafts|Archive|Trash|Spam|Starred|Files|Folders|Downloads|Documents|Pictures|Music|Videos|Recent|
Favorites|Shared|Upload|Download|Import|Export|Print|Refresh|Reload|Retry|Continue|Skip|Finish|Learn more|Read more|View all|Show more|Details|
Description|Name|Email|Password|Phone|Address|City|Country|Date|Time|Status|Priority|Type|Size|Owner|Created|Modified|Actions|Total|Amount|Price|
Quantity|Order|Orders|Invoice|Invoices|Customers|Products|Billing|Payment|Subscribe|Unsubscribe|Follow|Like|Comment|Comments|Notifications|Messages|
Chat|Call|Video|Join|Leave|Mute|Play|Pause|Stop|Record|Volume|Library|Playlists|Explore|Discover|Trending|Community|Support|Documentation|API keys|
Security|Privacy|Appearance|Language|General|Advanced|Network|Display|Sound|Keyboard|Mouse|Bluetooth|Wi-Fi|Battery|Storage|Updates|Accessibility|
Dark mode|Notifications|Integrations|Webhooks|Deployments|Environments|Logs|Metrics|Alerts|Incidents|Repositories|Branches|Commits|Pull requests|Issues|
Merge|Approve|Reject|Review|Rename|Move to|Duplicate|Select all|Clear|Reset|Enable|Disable|Enabled|Disabled|Active|Inactive|Pending|Failed|Success|
Warning|Error|Draft|Published|Public|Private|Default|Custom|None|All|Today|Yesterday|Week|Month|Year|Today|Bold|Italic|Insert|View|File|Format|
Tools|Window|Run|Debug|Terminal|Extensions|Properties|Layers|Brushes|Zoom in|Zoom out|Full screen|Add to cart|Buy now|Checkout|Contact us|Pricing|
Blog|Careers|Features|Get started|Try for free|Book a demo|Upgrade|Invite|Manage|Configure|Connect|Disconnect|Install|Update|Launch|Start|Restart""".replace("\n", "").split("|")
FIRST = "Anna Ben Carla David Elena Felix Grace Hugo Ines Jonas Karin Liam Maria Nina Oscar Paula Quentin Rosa Samuel Tara Uwe Vera William Xenia Yuki Zoe Amir Priya Chen Fatima Noah Olivia Mateo Sofia Ivan Olga Lars Ingrid Kofi Aisha".split()
LAST = "Smith Müller Garcia Rossi Novak Dubois Jensen Tanaka Patel Kim Nguyen Silva Kowalski Ivanov Andersson O'Brien Haddad Okafor Weber Schmidt Moreau Costa Brown Taylor Lopez Bauer Fischer Lindqvist Papadopoulos Yılmaz".split()


class Material:
    """Hands out icons, texts, typefaces and pictures; the choices are made with the generator that each method gets."""

    def __init__(self, cache: pathlib.Path, held: bool = False):
        self.cache, self.held = pathlib.Path(cache).resolve(), held
        self.language = "en"
        self.texts = load(self.cache, held)
        self.made = Texts(self.texts, random.Random(0))  # for numbers, paths and names of things
        sets = sorted(p.name for p in (self.cache / "icons" / "node_modules" / "@iconify-json").iterdir())
        self.sets = [s for s in sets if (s in HELD_ICONS) == held]
        self.plain = [s for s in self.sets if s not in COLOURED]
        families = sorted(p for p in (self.cache / "npm" / "node_modules" / "@fontsource").iterdir())
        self.families = [p for p in families if p.name.startswith(sources.HELD_FONTS) == held]
        self.photos = sorted(p.as_uri() for p in (self.cache / "photos").iterdir())
        self.photos = [p for i, p in enumerate(self.photos) if (i % 6 == 0) == held and not re.search(r"light|logo|white", p)]
        self._ids = 0

    def start(self, r: random.Random, language: str | None = None) -> str:
        """Chooses the language of the texts to come, and returns it."""
        k, self.language = r.random(), "en"
        for lang, share in LANGUAGES.items():
            if k < share and self.texts.get(lang):
                self.language = lang
                break
            k -= share
        self.language = language or self.language
        return self.language

    # Icons

    @functools.cache
    def _set(self, name: str) -> tuple[dict, list[str]]:
        data = json.loads((self.cache / "icons" / "node_modules" / "@iconify-json" / name / "icons.json").read_text())
        names = sorted(n for n, i in data["icons"].items() if len(i["body"]) < 6000 and "<text" not in i["body"] and "<image" not in i["body"] and not i.get("hidden"))
        return data, names

    def icon(self, r: random.Random, set: str | None = None, match: str | None = None, size: float | str | None = None) -> tuple[str, str]:
        """The name of an icon and its drawing, an <svg data-role=icon> in currentColor of 1em or `size` CSS pixels.

        `match` is a regular expression that the name should fit, if the set has such an icon.
        """
        set = set or r.choice(self.plain)
        data, names = self._set(set)
        if match:
            names = self._matching(set, match) or names
        name = r.choice(names)
        icon = data["icons"][name]
        left, top, w, h = (icon.get(k, data.get(k, d)) for k, d in (("left", 0), ("top", 0), ("width", 16), ("height", 16)))
        self._ids += 1
        body = re.sub(r'\bid="([^"]+)"', lambda f: f'id="i{self._ids}{f[1]}"', icon["body"])
        if body != icon["body"]:
            body = re.sub(r"url\(#([^)]+)\)", lambda f: f"url(#i{self._ids}{f[1]})", body)
            body = re.sub(r'href="#([^"]+)"', lambda f: f'href="#i{self._ids}{f[1]}"', body)
        side = size if isinstance(size, str) else f"{size}px" if size else "1em"
        return name, f'<svg xmlns="http://www.w3.org/2000/svg" data-role="icon" class="wi" style="width:{side};height:{side};flex:none" viewBox="{left} {top} {w} {h}">{body}</svg>'

    @functools.cache
    def _matching(self, set: str, match: str) -> list[str]:
        return [n for n in self._set(set)[1] if re.search(match, n)]

    # Texts

    @functools.cache
    def _bucket(self, lang: str, kind: str) -> list[str]:
        """The messages of a language by length."""
        wide = 2.2 if lang in ("zh_CN", "zh_TW", "ja", "ko") else 1  # letters as wide as two
        low, high = {"word": (2, 11), "label": (3, 20), "title": (8, 38), "sentence": (25, 110)}[kind]
        plain = re.compile(r"%|\{|\}|\\|\$|==|--|^\W|_|\d{3}|:$|\.$" if kind != "sentence" else r"%|\{|\}|\\|\$|==|--|_|^\W")
        found = [t for t in self.texts[lang] if low <= len(t) * wide <= high and not plain.search(t) and (kind != "word" or " " not in t)]
        return found or self.texts[lang]

    def text(self, r: random.Random, kind: str) -> str:
        """A text of one of KINDS, as it is: it must be escaped for HTML, see `esc`."""
        lang = self.language if r.random() > 0.04 else "en"
        self.made.r = r
        if kind in ("word", "label") and lang == "en" and r.random() < 0.75:
            t = r.choice(COMMON)
            return t.split(" ")[0] if kind == "word" else t
        if kind in ("word", "label", "title"):
            return r.choice(self._bucket(lang, kind))
        if kind == "sentence":
            return r.choice(self._bucket(lang, "sentence"))
        if kind == "paragraph":
            return " ".join(s if s[-1] in ".!?。" else s + "." for s in (r.choice(self._bucket(lang, "sentence")) for _ in range(r.randint(2, 6))))
        if kind == "number":
            return r.choice([self.made.count, self.made.price, self.made.price, self.made.share, self.made.size, self.made.time, self.made.version])()
        if kind == "date":
            return r.choice([self.made.date, self.made.date, self.made.time, lambda: f"{r.choice(DAYS)[:3]} {r.randint(1, 28)} {r.choice(MONTHS)[:3]}", lambda: f"{r.randint(2, 59)} min ago"])()
        if kind == "path":
            if r.random() < 0.6:
                return r.choice(["{}.{}", "{}_{{}}.{}".replace("{{}}", str(r.randint(1, 99))), "{} copy.{}"]).format(self.made.word().lower(), r.choice(EXTENSIONS))
            return "/".join(self.made.word().lower() for _ in range(r.randint(2, 4)))
        if kind == "name":
            return r.choice(FIRST) + " " + r.choice(LAST)
        if kind == "code":
            return r.choice(self.texts["code"])
        raise ValueError(f"no texts of the kind {kind}; there are {', '.join(KINDS)}")

    def esc(self, r: random.Random, kind: str) -> str:
        """A text escaped for HTML."""
        return html.escape(self.text(r, kind))

    # Typefaces and pictures

    def font(self, r: random.Random) -> tuple[str, str]:
        """The value for font-family, and the @font-face rules that it needs."""
        installed = HELD_INSTALLED if self.held else INSTALLED
        if r.random() < 0.35:
            return f"'{r.choice(installed)}', sans-serif", ""
        family = r.choice(self.families)
        files = [family / f"{w}.css" for w in (400, 500, 700) if (family / f"{w}.css").exists()]
        if r.random() < 0.12 and (family / "300.css").exists():
            files.append(family / "300.css")
        css = "".join(self._face(f) for f in files)
        name = re.search(r"font-family: '([^']+)'", css)[1]
        return f"'{name}', 'Noto Sans', sans-serif", css

    @functools.cache
    def _face(self, file: pathlib.Path) -> str:
        css = re.sub(r"/\*.*?\*/|,\s*url\([^)]*\.woff\) format\('woff'\)|font-display: swap;", "", file.read_text(), flags=re.S)
        return re.sub(r"url\(\./", f"url({file.parent.as_uri()}/", css).replace("\n", "")

    def mono(self, r: random.Random) -> str:
        """The value for font-family of a typeface with one width."""
        return f"'{r.choice(MONO)}', monospace"

    def photo(self, r: random.Random) -> str:
        """The address of a photograph or wallpaper."""
        return r.choice(self.photos)

    def picture(self, r: random.Random) -> str:
        """The address of a drawn picture in a few flat colours, as a brand's or a cover's."""
        h = r.randrange(360)
        c = [f"hsl({(h + r.choice([0, 20, 40, 150, 180, 210])) % 360} {r.randint(35, 95)}% {r.randint(20, 85)}%)" for _ in range(4)]
        shapes = []
        for _ in range(r.randint(1, 6)):
            x, y, s = r.randint(-10, 100), r.randint(-10, 100), r.randint(10, 70)
            shapes.append(r.choice([
                f'<circle cx="{x}" cy="{y}" r="{s / 2}" fill="{r.choice(c)}"/>',
                f'<rect x="{x}" y="{y}" width="{s}" height="{r.randint(6, 70)}" fill="{r.choice(c)}" transform="rotate({r.randint(0, 90)} {x} {y})"/>',
                f'<path d="M{x} {y}L{r.randint(0, 100)} {r.randint(0, 100)}L{r.randint(0, 100)} {r.randint(0, 100)}Z" fill="{r.choice(c)}"/>',
            ]))
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" preserveAspectRatio="xMidYMid slice" width="300" height="300"><defs><linearGradient id="g" x2="1" y2="1">'
            f'<stop stop-color="{c[0]}"/><stop offset="1" stop-color="{r.choice(c)}"/></linearGradient></defs><rect width="100" height="100" fill="url(#g)"/>{"".join(shapes)}</svg>'
        )
        return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
