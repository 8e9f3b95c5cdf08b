"""The classes that the network tells apart, and how a text becomes classes and comes back.

Class 0 is CTC's blank. A letter that looks the same in two alphabets has one class: the network sees
shapes, and which alphabet is meant is a matter of the word. `fold` maps a text to the characters that
have classes; `unfold` chooses the alphabet again.
"""

import unicodedata

ASCII = "".join(map(chr, range(0x20, 0x7F)))
LATIN_1 = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
LATIN_EXTENDED = "ĀāĂăĄąĆćĊċČčĎďĐđĒēĖėĘęĚěĞğĠġĢģĦħĪīĮįİıĶķĹĺĻļĽľŁłŃńŅņŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŪūŮůŰűŲųŴŵŶŷŸŹźŻżŽžƏəẞ"
GREEK = "ΔΘΛΞΣΨΩάέήίαβγδεζηθιλμξπςστυφχψωϋύώΐΰΆΈΉΊΌΎΏ"
CYRILLIC = "БГДЖЗИЙЛПУФЦЧШЩЪЫЬЭЮЯбвгджзийклмнптфцчшщъыьэюяЂЄЉЊЋЎЏђєљњўџҐґ"
MARKS = "¡¢£¤¥¦§¨©ª«¬®¯°±²³´¶·¸¹º»¼½¾¿×÷€₽₴₹₺₩₿‘’“”„†‡•…‰‹›–—−≈≠≤≥∞√∂№™"
ARROWS = "←↑→↓↔↕↖↗↘↙⇐⇒⇔↩↪↺↻▲▶▼◀△▷▽◁"
KEYS = "⌘⌥⇧⌃⏎↵⌫⌦⎋⇥⇤⇪␣⏏⌨"
SHAPES = "■□▪▫●○◦◆◇★☆✓✕✗☐☑☒♥♪⚠⚙☰⋮⋯"
BOX = "─━│┃┄┆┈┊┌┍┎┏┐┓└┗┘┛├┣┤┫┬┳┴┻┼╋═║╔╗╚╝╠╣╦╩╬╭╮╯╰╱╲▀▄█▌▐░▒▓"

# Letters of other scripts are not told apart: one class stands for those of a word that follow each other.
CJK, RIGHT_TO_LEFT, OTHER = "\ue000", "\ue001", "\ue002"
UNREAD = CJK + RIGHT_TO_LEFT + OTHER
BLOCKS = {
    CJK: ((0x1100, 0x11FF), (0x2E80, 0x2FDF), (0x2FF0, 0x2FFF), (0x3001, 0x4DBF), (0x4E00, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF01, 0xFFEF), (0x20000, 0x2FA1F)),
    RIGHT_TO_LEFT: ((0x0590, 0x08FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFE)),
    OTHER: ((0x0530, 0x058F), (0x0900, 0x10FF), (0x1200, 0x139F), (0x1780, 0x17FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F)),
}

CHARS = ASCII + LATIN_1 + LATIN_EXTENDED + GREEK + CYRILLIC + MARKS + ARROWS + KEYS + SHAPES + BOX + UNREAD
INDEX = {c: i + 1 for i, c in enumerate(CHARS)}
CLASSES = len(CHARS) + 1
BLANK = 0

# What looks like a character above, by the script it belongs to.
LIKE_CYRILLIC = dict(zip("АВЕКМНОРСТХЅІЈЇЁаеорсухѕіјїёћ", "ABEKMHOPCTXSIJÏËaeopcyxsijïëħ"))
LIKE_GREEK = dict(zip("ΑΒΓΕΖΗΙΚΜΝΟΠΡΤΥΦΧοόκνρϊΪ", "ABГEZHIKMNOПPTYФXoóкvpïÏ"))
LIKE_ICELANDIC = {"Ð": "Đ"}
LIKE_ROMANIAN = dict(zip("ȘșȚț", "ŞşŢţ"))
# Signs that no reader of a screen tells apart, and those that show nothing.
SAME = {
    "\u00a0": " ", "\u3000": " ", "\u202f": " ", "\u2009": " ", "\u2007": " ", "\u00ad": "", "\u200b": "", "\u200e": "", "\u200f": "",
    "\u2010": "-", "\u2011": "-", "\u2012": "–", "\u2015": "—", "\u2212": "−", "\u03bc": "μ", "\u00b5": "μ", "\u2022": "•",
    "\u2219": "·", "\u2126": "Ω", "\u212a": "K", "∆": "Δ", "∑": "Σ", "′": "'", "″": '"', "‚": ",", "⟳": "↻",
    "►": "▶", "▸": "▶", "◄": "◀", "◂": "◀", "▴": "▲", "▾": "▼", "✔": "✓", "✖": "✕", "✘": "✗", "\u2043": "-", "\u037e": ";", "\u0387": "·",
}
FOLD = {**SAME, **LIKE_CYRILLIC, **LIKE_GREEK, **LIKE_ICELANDIC, **LIKE_ROMANIAN}
TO_CYRILLIC = {v: k for k, v in LIKE_CYRILLIC.items()}
TO_GREEK = {v: k for k, v in LIKE_GREEK.items()}
TO_ROMANIAN = {v: k for k, v in LIKE_ROMANIAN.items()}


def unread(char: str) -> str:
    """The class of a letter that is not told apart, or nothing for others."""
    code = ord(char)
    if code < 0x0530:
        return ""
    return next((c for c, blocks in BLOCKS.items() if any(low <= code <= high for low, high in blocks)), "")


def fold(text: str) -> str:
    """The text in characters that have classes, composed; others stay."""
    folded = "".join(FOLD.get(c, unread(c) or c) for c in unicodedata.normalize("NFC", text))
    return joined(folded)


def joined(text: str) -> str:
    """The text with one class for letters that follow each other and are not told apart."""
    return "".join(c for i, c in enumerate(text) if not (c in UNREAD and text[i - 1 : i] == c))


def known(text: str) -> bool:
    """Whether each character of a text has a class once it is folded."""
    return all(c in INDEX for c in fold(text))


def encode(text: str) -> list[int]:
    """The classes of a folded text."""
    return [INDEX[c] for c in text]


def decode(classes) -> str:
    """The folded text of the best class of each step: repetitions are one letter, blanks separate."""
    out, last = [], BLANK
    for c in classes:
        if c != last and c != BLANK:
            out.append(CHARS[c - 1])
        last = c
    return joined("".join(out))


def unfold(text: str) -> str:
    """The text with each word in one alphabet: the only one that can spell it, else that of most other words."""
    words = text.split(" ")
    sure = [s for s in map(_scripts, words) if len(s) == 1]
    usual = max(ALPHABETS, key=lambda name: sure.count([name]))
    out = []
    for word in words:
        scripts = _scripts(word) or ["latin"]
        table = BACK[usual if usual in scripts else scripts[0]]
        out.append("".join(table.get(c, c) for c in word))
    text = " ".join(out)
    if any(c in "ăĂţŢ" for c in text):
        text = "".join(TO_ROMANIAN.get(c, c) for c in text)
    return text.replace("Đ", "Ð") if any(c in "ðþÞ" for c in text) else text


BACK = {"latin": {}, "cyrillic": TO_CYRILLIC, "greek": TO_GREEK}
ALPHABETS = {
    "latin": {c for c in ASCII + LATIN_1 + LATIN_EXTENDED + "μ" if c.isalpha()},
    "cyrillic": set(CYRILLIC) | set(TO_CYRILLIC),
    "greek": set(GREEK) | set(TO_GREEK),
}


def _scripts(word: str) -> list[str]:
    """The alphabets that can spell the word, Latin first; none for a word without letters."""
    letters = {c for c in word if c.isalpha() and c not in "ªº"}
    return [name for name, alphabet in ALPHABETS.items() if letters and letters <= alphabet]
