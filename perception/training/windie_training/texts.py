"""What the lines say: messages of programs, source code, and generated numbers, names, paths, keys and signs."""

import gettext
import pathlib
import pickle
import random
import re
import unicodedata

from . import charset, sources

PER_LANGUAGE = 12_000  # messages kept
CODE_LINES = 60_000

DIGITS = "0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()
HEX = "0123456789abcdef"
VARIANTS = "".join(c for c, same in charset.SAME.items() if same.strip())
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec January February March April June July August September October November December".split()
DAYS = "Mon Tue Wed Thu Fri Sat Sun Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
UNITS = "KB MB GB TB kB MiB GiB ms s min h px em rem pt % °C °F km kg Hz GHz MHz W V dB fps x K M B µm m² m³ Ω mg ml".replace("µ", "μ").split()
KEYS = "Ctrl Alt Shift Super Cmd Esc Tab Enter Del Home End PgUp PgDn Space Option F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12".split()
EXTENSIONS = "txt png jpg jpeg pdf go py js ts tsx css html json yaml yml md zip tar.gz csv xlsx docx mp3 mp4 log conf sh c h cpp rs toml svg xml ini bak lock sql".split()
DOMAINS = "com org net io dev co.uk de fr app example eu info ai".split()
COMMANDS = "git cd ls cat sudo apt make go npm docker ssh curl grep python3 kubectl tar chmod export echo rm cp mv".split()


def load(cache: pathlib.Path, held: bool) -> dict[str, list[str]]:
    """The messages by language and the lines of code, read once and kept in the cache folder."""
    kept = cache / ("texts-held.pickle" if held else "texts.pickle")
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    r = random.Random(5)
    found: dict[str, set[str]] = {}
    names = {lang: lang for group in sources.LANGUAGES.values() for lang in group}
    if not held:
        names |= {lang: lang for group in sources.UNREAD_LANGUAGES.values() for lang in group}
    for file in sorted((cache / "root").rglob("*.mo")):
        lang = names.get(file.parts[-3])
        if lang is None or file.stem.startswith(sources.HELD_DOMAINS) != held or file.stem.startswith(("iso_639", "iso_3166-2")):
            continue
        for original, translated in _catalogue(file):
            found.setdefault("en", set()).add(original)
            found.setdefault(lang, set()).add(translated)
    texts = {}
    for lang, messages in sorted(found.items()):
        good = sorted(filter(None, map(clean, messages)))
        r.shuffle(good)
        texts[lang] = good[: PER_LANGUAGE * (5 if lang == "en" else 1)]
    texts["code"] = _code(r, held)
    kept.write_bytes(pickle.dumps(texts))
    return texts


def _catalogue(file: pathlib.Path):
    try:
        with file.open("rb") as f:
            entries = gettext.GNUTranslations(f)._catalog.items()
    except (OSError, UnicodeDecodeError):
        return
    for original, translated in entries:
        original = original[0] if isinstance(original, tuple) else original
        if isinstance(original, str) and isinstance(translated, str):
            yield original.split("\x04")[-1], translated


def clean(message: str) -> str:
    """The message on one line, without markup and accelerators, or nothing if a character has no class.

    It keeps its alphabet: what is drawn are its own letters, and only the truth is folded.
    """
    message = re.sub(r"<[^>]*>", "", message)
    message = re.sub(r"(?<!\w)[_&](?=\w)|(?<=\w)_(?=\w)(?![A-Z0-9_]*$)", "", message).replace("&", "")
    message = plain(message)
    return message if 0 < len(message) < 300 and charset.known(message) else ""


def plain(text: str) -> str:
    """The text composed, with one space for others, and without characters that show nothing."""
    text = "".join(c for c in unicodedata.normalize("NFC", text) if charset.FOLD.get(c, c))
    return re.sub(r"\s+", " ", text).strip()


def _code(r: random.Random, held: bool) -> list[str]:
    folders = ["/usr/lib/node_modules/npm", "/usr/share/nodejs"] if held else ["/usr/local/go/src", "/usr/lib/python3", "/usr/lib/python3.11", "/root/.pyenv"]
    files = [f for folder in folders for end in ("*.go", "*.py", "*.js") for f in pathlib.Path(folder).rglob(end)]
    files = sorted(f for f in files if f.is_file() and "testdata" not in f.parts)  # packages of Node have folders named so, too
    r.shuffle(files)
    lines: list[str] = []
    for file in files[:1500]:
        for line in file.read_text(errors="ignore").split("\n")[:300]:
            line = plain(line)
            if 3 < len(line) < 120 and charset.known(line):
                lines.append(line)
    r.shuffle(lines)
    return lines[:CODE_LINES]


class Texts:
    """Makes texts of all kinds, in characters that have classes once folded."""

    def __init__(self, texts: dict[str, list[str]], r: random.Random):
        self.texts, self.r = texts, r
        self.words = sorted({w for t in texts["en"] for w in re.findall(r"[A-Za-z][A-Za-z'-]+", t)})
        self.groups = {g: [k for k in langs if texts.get(k)] for g, langs in (sources.LANGUAGES | sources.UNREAD_LANGUAGES).items()}
        unread = [(share, self.unread(g)) for g, share in (("cjk", 0.04), ("right to left", 0.02), ("other", 0.02)) if self.groups[g]]
        self.kinds = [
            *unread,
            (0.22 - sum(share for share, _ in unread), lambda: self.marked(self.piece("en"))),
            (0.13, lambda: self.marked(self.piece(self.language("latin")))),
            (0.06, lambda: self.piece(self.language("cyrillic"))),
            (0.04, lambda: self.piece(self.language("greek"))),
            (0.07, lambda: self.piece("code")),
            (0.15, self.number),
            (0.07, self.name),
            (0.11, self.serial),
            (0.04, self.mixed),
            (0.02, self.keys),
            (0.03, self.letters),
            (0.025, self.signs),
            (0.035, self.repeats),
        ]

    def line(self, most: int = 40) -> str:
        while True:
            k, make = self.r.random(), self.piece
            for share, make in self.kinds:
                k -= share
                if k < 0:
                    break
            text = plain((make() if k < 0 else self.piece("en"))[:most])
            if text and charset.known(text):
                return text

    def unread(self, group: str):
        return lambda: self.piece(self.language(group))

    def language(self, group: str) -> str:
        return self.r.choice(self.groups[group])

    def piece(self, lang: str) -> str:
        """Some words of a message; now and then in other case."""
        r = self.r
        words = r.choice(self.texts[lang]).split(" ")
        count = min(len(words), r.choice([1, 1, 2, 2, 3, 3, 4, 5, 6, 8]))
        start = r.choice([0, r.randint(0, len(words) - count)])
        text = " ".join(words[start : start + count])
        k = r.random()
        if lang == "code" or k > 0.2:
            return text
        return plain(text.upper() if k < 0.08 else text.lower() if k < 0.14 else text.title())

    def marked(self, text: str) -> str:
        """The text; for some with an ellipsis at its end, as entries of menus and texts that were cut have, or in brackets."""
        k = self.r.random()
        if k < 0.1:
            return text + self.r.choice(["...", "…"])
        if k < 0.13:
            return self.r.choice(["({})", "[{}]", "<{}>", '"{}"', "“{}”"]).format(text)
        return text

    def word(self) -> str:
        return self.r.choice(self.words)

    def digits(self, n: int) -> str:
        return "".join(self.r.choices(DIGITS, k=n))

    def some(self, alphabet: str, low: int, high: int) -> str:
        return "".join(self.r.choices(alphabet, k=self.r.randint(low, high)))

    def number(self) -> str:
        return self.r.choice([self.count, self.price, self.price, self.share, self.size, self.time, self.date, self.date, self.address, self.version, self.telephone])()

    def count(self) -> str:
        n = str(int(self.digits(self.r.choice([1, 1, 2, 2, 3, 4, 5, 6]))))
        return self.r.choice(["{}", "{}", "({})", "#{}", "No. {}", "x{}", "{}/{}", "{} of {}", "{}-{}", "{}×{}", "[{}]", "{}:{}"]).format(n, self.digits(2))

    def price(self) -> str:
        r = self.r
        v = f"{int(self.digits(r.choice([2, 3, 4, 5, 6, 7]))):,}" + ("." + self.digits(2)) * (r.random() < 0.6)
        style = r.random()
        if style < 0.25:
            v = v.replace(",", "\0").replace(".", ",").replace("\0", r.choice([" ", ".", "'"]))
        return r.choice(["$", "$", "€", "£", "", "", "-$", "+", "−", "¥", "₽", "₹"]) + v + r.choice(["", "", "", " €", "€", " USD", "%", " EUR", " zł", " Kč", " kr", " ₽", " CHF"])

    def share(self) -> str:
        r = self.r
        n = str(r.randint(0, 130)) + r.choice(["", "." + self.digits(1), "." + self.digits(2), "," + self.digits(1)])
        return r.choice(["+", "-", "−", "", "", "~", "<", ">", "↑", "↓", "▲ ", "▼ ", "±", "≥", "≤", "≈"]) + n + r.choice(["%", "%", " %", "k", "M", "", "°", "‰", "×"])

    def size(self) -> str:
        return self.digits(self.r.choice([1, 2, 3])) + self.r.choice(["." + self.digits(1), "", "." + self.digits(2)]) + self.r.choice([" ", ""]) + self.r.choice(UNITS)

    def time(self) -> str:
        r = self.r
        h, m, s = r.randint(0, 23), r.randint(0, 59), r.randint(0, 59)
        return r.choice([f"{h}:{m:02d}", f"{h % 12 + 1}:{m:02d} {r.choice(['AM', 'PM', 'am', 'pm'])}", f"{h:02d}:{m:02d}:{s:02d}", f"{h}h {m}m", f"{h:02d}:{m:02d}:{s:02d}.{self.digits(3)}", f"{m} min"])

    def date(self) -> str:
        r = self.r
        y, m, d, month = r.randint(1970, 2035), r.randint(1, 12), r.randint(1, 28), r.choice(MONTHS)
        return r.choice([f"{y}-{m:02d}-{d:02d}", f"{m}/{d}/{y}", f"{d:02d}.{m:02d}.{y}", f"{month} {d}, {y}", f"{d} {month} {y}", f"{month} {d}", f"{r.choice(DAYS)}, {d} {month}", f"{y}/{m:02d}/{d:02d}", f"{d:02d}/{m:02d}/{y % 100:02d}", f"{y}-{m:02d}-{d:02d}T{self.digits(2)}:{self.digits(2)}:{self.digits(2)}Z", f"{d}. {month} {y}"])

    def address(self) -> str:
        r = self.r
        if r.random() < 0.7:
            return ".".join(str(r.randint(0, 255)) for _ in range(4)) + r.choice(["", "", ":8080", ":443", "/24"])
        return r.choice([":".join(self.some(HEX, 2, 2) for _ in range(6)), ":".join(self.some(HEX, 1, 4) for _ in range(r.randint(4, 8))), "::1"])

    def version(self) -> str:
        r = self.r
        return r.choice(["v", "", "V", "Version ", "go"]) + ".".join(str(r.randint(0, 30)) for _ in range(r.choice([2, 3, 3, 4]))) + r.choice(["", "", "-beta", "-rc1", "+1", "-alpha.2", "~deb12u1"])

    def telephone(self) -> str:
        r = self.r
        return r.choice(["+1 ", "+44 ", "+49 ", "(555) ", "", "+33 ", "0"]) + self.digits(3) + r.choice(["-", " ", ".", "/"]) + self.digits(r.choice([3, 4])) + r.choice(["", " " + self.digits(2), "-" + self.digits(2)])

    def name(self) -> str:
        """Mail addresses, places on the web, files, folders, names of things in programs."""
        r, low = self.r, str.lower
        a, b, c = self.word(), self.word(), self.word()
        k = r.random()
        if k < 0.18:
            return low(a) + r.choice([".", "_", "-", ""]) + low(b) + r.choice(["", self.digits(2)]) + "@" + low(c) + "." + r.choice(DOMAINS)
        if k < 0.36:
            return r.choice(["https://", "http://", "www.", ""]) + low(a) + "." + r.choice(DOMAINS) + r.choice(["", "/" + low(b), "/" + low(b) + "/" + low(c) + r.choice(["", "?id=" + self.digits(2), ".html", "#" + low(a)])])
        if k < 0.58:
            return r.choice([low(a), a, low(a) + r.choice("-_. ") + low(b), a + r.choice([" ", ""]) + b, a.upper(), low(a) + "_" + self.digits(r.choice([1, 2, 4]))]) + "." + r.choice(EXTENSIONS)
        if k < 0.74:
            slash = "\\" if r.random() < 0.2 else "/"
            return r.choice(["/", "~/", "./", "C:\\", "../", "", "/usr/", "/etc/", "/home/"]) + slash.join(low(self.word()) for _ in range(r.randint(2, 4)))
        if k < 0.82:
            return r.choice(["$ ", "# ", "> ", "% ", "~$ ", ""]) + r.choice(COMMANDS) + " " + r.choice(["-", "--", ""]) + low(a) + r.choice(["", " " + low(b), " -" + r.choice(LOWER)])
        if k < 0.92:
            return r.choice([low(a) + b.title() + c.title(), low(a) + "_" + low(b), a.upper() + "_" + b.upper(), a.title() + b.title(), low(a) + "-" + low(b), low(a) + "." + b.title() + "()", "--" + low(a) + "=" + self.digits(2)])
        return r.choice("@#") + low(a) + r.choice(["", self.digits(2), "_" + low(b)])

    def serial(self) -> str:
        """What no word list knows: keys, hashes, serial numbers, codes of products and coupons."""
        r = self.r
        both = UPPER + DIGITS
        return r.choice([
            lambda: self.some(HEX, 6, 16),
            lambda: self.some(HEX, 7, 8) + " " + self.word(),
            lambda: "".join(c * r.choice([1, 1, 2]) for c in self.some(HEX, 4, 10)),
            lambda: "".join(c * r.choice([1, 1, 2]) for c in self.some(both, 4, 8)),
            lambda: "ESC[" * r.choice([0, 1]) + "[" * r.choice([0, 1]) + self.digits(2) + "m",
            lambda: "-".join(self.some(HEX, n, n) for n in (8, 4, 4, 4, 12)[: r.randint(2, 5)]),
            lambda: "-".join(self.some(both, 4, 5) for _ in range(r.randint(2, 5))),
            lambda: self.some(both, 5, 14),
            lambda: self.some(UPPER, 1, 3) + r.choice(["-", "", " ", "/"]) + self.digits(r.randint(2, 8)),
            lambda: self.some(UPPER + LOWER + DIGITS, 6, 22),
            lambda: self.some(UPPER + LOWER + DIGITS + "+/", 10, 26) + r.choice(["", "=", "=="]),
            lambda: r.choice(["sk-", "ghp_", "AKIA", "SN: ", "S/N ", "id=", "0x", "INV-", "PO ", "ISBN "]) + self.some(both, 4, 14),
            lambda: "0x" + self.some(r.choice([HEX, HEX.upper()]), 2, 12),
            lambda: self.some("0O1lI5S8B2Z6G", 4, 10),
            lambda: self.some(DIGITS + "OOOIQ", 4, 10),
            lambda: self.some(UPPER + "0001", 4, 10),
            lambda: self.some(DIGITS + "O", 1, 4) + r.choice("-./ ") + self.some(DIGITS + "O", 1, 5),
            lambda: self.digits(4) + " " + self.digits(4) + " " + self.digits(4) + " " + self.digits(4),
        ])()

    def keys(self) -> str:
        r = self.r
        k = r.random()
        if k < 0.35:
            return r.choice(["+", " + ", "-"]).join(r.sample(KEYS, r.randint(1, 2)) + [r.choice(UPPER + DIGITS)])
        if k < 0.85:
            return "".join(r.sample("⌃⌥⇧⌘", r.randint(1, 3))) + r.choice([r.choice(UPPER), r.choice("⏎↵⌫⌦⎋⇥↑↓←→␣"), "F" + str(r.randint(1, 12)), r.choice(",./;'[]\\-=")])
        return " ".join(r.choices(charset.KEYS + "↑↓←→", k=r.randint(1, 4)))

    def mixed(self) -> str:
        r = self.r
        w, n = self.word, self.number
        return r.choice([
            lambda: w() + " " + self.some(UPPER, 2, 3), lambda: self.some(UPPER, 2, 4) + " " + w(),
            lambda: w() + ": " + n(), lambda: n() + " " + w(), lambda: w() + " (" + n() + ")",
            lambda: w() + " " + w() + r.choice([" · ", " • ", " - ", " — ", " – ", " › ", " / ", " | ", " → ", " » ", ": ", ", "]) + n(),
            lambda: r.choice(["“{}”", "‘{}’", "„{}“", "«{}»", '"{}"', "'{}'", "({})", "[{}]", "<{}>", "{{{}}}", "`{}`"]).format(w()),
            lambda: w() + r.choice(["…", "...", "!", "?", ".", ":", "™", "®", ";", ","]),
            lambda: r.choice("©✓•×★☆●○▶▼▲◀→✓✗☐☑⚠⚙■◆▶▼+-–*").strip() + " " + w(),
            lambda: w() + " " + r.choice("×▼›→↗✓★⋮⋯↓↑"),
            lambda: r.choice(["├── ", "└── ", "│   ├── ", "│ ", "─ "]) + w().lower(),
            lambda: "I " + w() + " I'll " + w(),
            lambda: "| " + w() + " | " + n() + " |",
        ])()

    def repeats(self) -> str:
        """Marks that follow themselves, and the ends of lines of code: how many there are is for the eye alone."""
        r = self.r
        w = lambda: r.choice([str.lower, str.lower, str.upper, str])(self.word())
        close = lambda: "".join(r.choices("\"')]}", k=r.randint(1, 5))) + r.choice(["", ":", ";", ",", " {"])
        return r.choice([
            lambda: "__" + w() + "__" + r.choice(["", "(self", "(self,", ":", "()", " = "]),
            lambda: r.choice(["_", "__", ""]) + w() + "_" + w() + r.choice(["", "_", "__"]) + r.choice(["", "[i]", "()", "],", ")"]),
            lambda: r.choice(['"""', "'''", "```", "**", "***", "~~"]) + w() + " " + w() + r.choice(['"""', '."""', "```", "**", "", "~~"]),
            lambda: w() + "(" + w() + r.choice(['["', "['", "(", "[", "({"]) + w() + close(),
            lambda: w() + r.choice(['=""', "=''", '("")', "[]", "{}", "()", '[""]', "[[", "((", '=""):']) + r.choice(["", ")", ",", ";"]),
            lambda: w() + r.choice(["==", "===", "!=", "!==", "::", "->", "=>", ":=", "&&", "||", "//", "<<", ">>", "+=", "++", "--", "..", "...", "??", "%%", "\\\\"]) + w(),
            lambda: r.choice(["--", "//", "##", "###", "///", "/**", ";;", "...", ">>>", "::", "%%", "<!--"]) + r.choice(["", " "]) + w() + r.choice(["", "...", " */", " -->", " ##"]),
            lambda: r.choice("-=_.*~#+") * r.randint(2, 12),
            lambda: self.digits(r.randint(1, 3)) + r.choice("0123456789") * r.randint(2, 4),
            lambda: self.some("Il1", 2, 4).join([r.choice(LOWER), r.choice(LOWER)]),
        ])()

    def letters(self) -> str:
        """Letters without sense: what a word leads the network to expect must not outweigh what is there."""
        r = self.r
        alphabet = r.choice([UPPER + LOWER + DIGITS, LOWER, UPPER, charset.LATIN_1 + LOWER, charset.LATIN_EXTENDED + LOWER, charset.LATIN_EXTENDED, charset.CYRILLIC, charset.GREEK])
        return " ".join(self.some(alphabet, 1, 8) for _ in range(r.randint(1, 3)))

    def signs(self) -> str:
        r = self.r
        k = r.random()
        if k < 0.3:
            return self.word() + self.some("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", 1, 4) + self.word()
        if k < 0.45:
            return self.some("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", 1, 6)
        if k < 0.75:
            return self.some(charset.MARKS + charset.ARROWS + charset.SHAPES + VARIANTS, 1, 4) + r.choice(["", " " + self.word()])
        if k < 0.9:
            return self.some(charset.BOX, 1, 5) + r.choice(["", " " + self.word(), self.word()])
        return "".join(r.choices(charset.CHARS, k=r.randint(2, 8)))
