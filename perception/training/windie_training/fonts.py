"""Typefaces: which files make a style of a family, and which characters it has."""

import pathlib
import pickle
import random
import re
import zlib
from dataclasses import dataclass, field

import freetype
from fontTools.ttLib import TTFont

from . import sources
from .charset import CHARS, FOLD, unread

UNWANTED = re.compile(
    r"emoji|symbol|music|math|thin|black|hairline|extralight|ultralight|light|condensed|unsignedint|retina|dingbats|"
    r"blackletter|initials|swash|lmono|display|smallcaps|sc-|capitals|keyboard|jp|csur|upper|sample|monoton|d050000l|-sc|z003",
    re.I,
)
MONO = re.compile(r"mono|code|hack|cousine|inconsolata|courier|typewriter|terminus|unifont|nimbusmonops", re.I)
SERIF = re.compile(r"serif|tinos|times|caladea|libertine|vollkorn|garamond|merriweather|lora|bitter|slab|roman|p052|c059|bookman|spectral", re.I)
# The families that interfaces are set in most; half of all lines are.
COMMON = re.compile(r"^(inter|roboto|noto-?sans|open-?sans|liberationsans|arimo|dejavusans|segoe|ubuntu|lato|source-sans|cantarell|fira-sans|carlito|ibm-plex-sans|nunito-sans|figtree)[-_.]", re.I)
# The families that stand in for characters that a style lacks, as desktops have them.
FALLBACK = ("DejaVuSans.ttf", "DejaVuSansMono.ttf", "NotoSansSymbols2-Regular.ttf", "NotoSansSymbols-Regular.ttf", "NotoSansMath-Regular.ttf", "FreeSans.ttf", "Symbola_hint.ttf", "Symbola.ttf")


# Typefaces of pixels, which terminals show.
BITMAPS = re.compile(r"^((6x10|6x12|6x13|7x13|7x14|8x13|9x15|9x18|10x20)B?\.pcf\.gz|terminus-(normal|bold)\.otb)$")

DRAWN = set(CHARS) | set(FOLD)  # the characters that texts may have


@dataclass
class Style:
    """One weight of a family. The first of its files that has a character draws it."""

    name: str
    kind: str  # "sans", "serif", "mono"
    common: bool
    italic: bool
    bold: bool
    held: bool
    files: list[str] = field(default_factory=list)
    chars: list[frozenset] = field(default_factory=list)  # of each file

    def file_of(self, char: str) -> str | None:
        for file, chars in zip(self.files, self.chars):
            if char in chars:
                return file
        return None


class Fonts:
    """The styles of a cache folder, and those that stand in."""

    def __init__(self, cache: pathlib.Path, held: bool):
        index = cache / "typefaces.pickle"
        if index.exists():
            styles, fallback, bitmaps, self.unread = pickle.loads(index.read_bytes())
        else:
            styles, fallback, bitmaps, self.unread = *scan(cache), scan_bitmaps(cache), scan_unread(cache)
            index.write_bytes(pickle.dumps((styles, fallback, bitmaps, self.unread)))
        self.styles = [s for s in styles if s.held == held]
        self.fallback = fallback
        self.bitmaps = bitmaps
        self.common = [s for s in self.styles if s.common and not s.italic]
        self.of = {k: [s for s in self.styles if s.kind == k] for k in ("sans", "serif", "mono")}

    def pick(self, r: random.Random, kind: str | None = None) -> Style:
        """A style: half of the time a common one, less often a bold one, and seldom an italic."""
        while True:
            k = r.random()
            if kind:
                style = r.choice(self.of[kind])
            elif k < 0.5:
                style = r.choice(self.common)
            else:
                style = r.choice(self.of["sans" if k < 0.72 else "mono" if k < 0.9 else "serif"])
            if (not style.italic or r.random() < 0.12) and (not style.bold or r.random() < 0.45):
                return style

    def pick_bitmap(self, r: random.Random) -> Style:
        return r.choice(self.bitmaps)

    def runs(self, style: Style, text: str) -> list[tuple[str, str]] | None:
        """The text in pieces with the file that draws each, or None when a character has no file."""
        out: list[list[str]] = []
        others = {c for c in text if unread(c)}
        stands_in = [f for f, chars in self.unread if others <= chars] if others else []
        if others and not stands_in:
            return None
        other = stands_in[zlib.crc32(text.encode()) % len(stands_in)] if others else None
        for char in text:
            file = other if char in others else style.file_of(char)
            if file is None and (char.isalpha() or style.kind == "bitmap"):
                return None
            if file is None:
                file = next((f for f, chars in self.fallback if char in chars), None)
            if file is None:
                return None
            if out and (out[-1][1] == file or char == " "):
                out[-1][0] += char
            else:
                out.append([char, file])
        return [(t, f) for t, f in out]


def scan(cache: pathlib.Path) -> tuple[list[Style], list[tuple[str, frozenset]]]:
    styles: dict[str, Style] = {}
    fallback: dict[str, frozenset] = {}
    files = sorted((cache / "root").rglob("*.[ot]tf")) + sorted((cache / "woff").glob("*.ttf"))
    for file in files:
        name = _style_name(file)
        stands_in = file.name in FALLBACK
        if not stands_in and (UNWANTED.search(file.stem) or file.stem.startswith("Noto") and not re.match(r"Noto(Sans|Serif|SansMono)-", file.stem)):
            continue
        chars = _chars(file)
        if stands_in:
            fallback[file.name] = chars
            if not file.name.startswith("DejaVu"):
                continue
        if name not in styles:
            stem = file.stem
            kind = "mono" if MONO.search(stem) else "serif" if SERIF.search(stem) and "sans" not in stem.lower() else "sans"
            italic = bool(re.search(r"italic|oblique", stem, re.I))
            bold = bool(re.search(r"bold|-[67]00-", stem, re.I))
            held = any(stem.lower().startswith(h.lower()) for h in sources.HELD_FONTS)
            styles[name] = Style(name, kind, bool(COMMON.match(file.name)), italic, bold, held)
        styles[name].files.append(str(file))
        styles[name].chars.append(chars)
    whole = [s for s in styles.values() if set("AaGgZz09@%&") <= frozenset().union(*s.chars)]
    for s in whole:  # the plain Latin subset first
        order = sorted(range(len(s.files)), key=lambda i: ("A" not in s.chars[i], -len(s.chars[i])))
        s.files, s.chars = [s.files[i] for i in order], [s.chars[i] for i in order]
    by_name = {name: next(str(f) for f in files if f.name == name) for name in fallback}
    return whole, [(by_name[n], fallback[n]) for n in FALLBACK if n in fallback]


def scan_bitmaps(cache: pathlib.Path) -> list[Style]:
    files = [f for f in sorted((cache / "root" / "usr/share/fonts").rglob("*")) if BITMAPS.match(f.name)]
    out = []
    for file in files:
        codes = {chr(code) for code, _ in freetype.Face(str(file)).get_chars()}
        out.append(Style(file.name, "bitmap", False, False, False, False, [str(file)], [frozenset(codes & DRAWN)]))
    return out


def scan_unread(cache: pathlib.Path) -> list[tuple[str, frozenset]]:
    """Typefaces of letters that are not told apart."""
    out = []
    for file in sorted((cache / "root").rglob("*.tt[fc]")):
        if file.name.startswith(sources.UNREAD_FONTS):
            font = TTFont(file, lazy=True, fontNumber=0)
            out.append((str(file), frozenset(chr(c) for c in font.getBestCmap() if unread(chr(c)))))
    return out


def _style_name(file: pathlib.Path) -> str:
    """npm has a file for each subset: inter-latin-ext-400-normal."""
    return re.sub(r"-(latin-ext|latin|cyrillic-ext|cyrillic|greek-ext|greek|symbols2?|math)-(\d+-\w+)$", r"-\2", file.stem)


def _chars(file: pathlib.Path) -> frozenset:
    try:
        font = TTFont(file, lazy=True)
        return frozenset(chr(c) for c in font.getBestCmap() if chr(c) in DRAWN)
    except Exception:  # a file without a table of characters draws nothing
        return frozenset()
