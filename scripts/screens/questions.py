"""Questions about a screen, from its truth alone: texts that stand there once, several times, or not at all."""

import difflib
import random
import re
from itertools import groupby

from words import has_text, tokens

OPPOSITES = {'show': 'Hide', 'open': 'Close', 'left': 'Right', 'next': 'Previous', 'new': 'Old', 'up': 'Down', 'in': 'Out', 'start': 'Stop',
             'enable': 'Disable', 'undo': 'Redo', 'cut': 'Glue', 'first': 'Last', 'top': 'Bottom', 'yes': 'No', 'import': 'Export', 'min': 'Max'}
NOWHERE = ['Launch rocket', 'Renew passport', 'Gift voucher', 'Empty the fridge', 'Boarding pass', 'Weather radar', 'Tune the piano', 'Harvest moon']
ENOUGH = {'found': 6, 'ambiguous': 2, 'missing': 3}
LEAST = 4  # letters and digits that a text to ask for has


def phrases(words):
    """Texts of one to three words that belong together, with their boxes."""
    lines = []
    for _, line in groupby(words, key=lambda w: (id(w) if w.phrase is None else w.phrase)):
        line = list(line)
        for n in (1, 2, 3):
            for i in range(0, len(line) - n + 1, n):
                part = line[i:i + n]
                if all(a.box.right < b.box.x < a.box.right + 1.5 * a.box.h for a, b in zip(part, part[1:])):
                    lines.append((' '.join(w.text for w in part), part))
    return lines


def plain(text):
    return re.sub(r'[\W_]+', '', text.casefold())


def near(text, others):
    """Whether one of the others could be taken for the text."""
    text = plain(text)
    return any(text in o or o in text and len(o) > 3 or difflib.SequenceMatcher(None, text, o).ratio() > 0.7 for o in others if o)


def box_of(part):
    box = part[0].box
    for word in part[1:]:
        box = box.with_(word.box)
    return box


def ask(name, truth, lang):
    """The questions about a screen, always the same ones for the same truth."""
    if lang in ('ru', 'el', 'zh', 'ja'):
        return []
    chance = random.Random(name)
    texts = phrases(truth.words)
    chance.shuffle(texts)
    every = [plain(w.text) for w in truth.words] + [plain(t) for text in truth.unsure for t, _, _ in tokens(text)]
    if truth.partly:  # what is known once may stand there again
        texts = []
    asked = found(texts, truth, every) + ambiguous(texts, truth) + missing(texts, truth, every)
    return [{'screen': name, 'kind': 'resolve', **question} for question in asked]


def askable(text):
    return len(plain(text)) >= LEAST and has_text(text) and text.isprintable() and not re.search(r'[^\w .,:/+&()-]', text)


def found(texts, truth, every):
    list_ = []
    for text, part in texts:
        own = {plain(w.text) for w in part}
        others = [t for t in every if t not in own]
        once = all(every.count(o) == 1 for o in own) and plain(text) not in [q['plain'] for q in list_]
        if len(list_) < ENOUGH['found'] and askable(text) and once and not near(text, others):
            list_.append({'text': text, 'expect': 'found', 'box': box_of(part), 'plain': plain(text)})
    return [{k: v for k, v in q.items() if k != 'plain'} for q in list_]


def ambiguous(texts, truth):
    """Texts of one word that stand on the screen several times, each time as a word of its own."""
    list_ = []
    for text, part in texts:
        same = [w for w in truth.words if w.text.casefold() == text.casefold()]
        new = text.casefold() not in [q['text'].casefold() for q in list_]
        if len(list_) < ENOUGH['ambiguous'] and len(part) == 1 and askable(text) and new and len(same) > 1:
            list_.append({'text': text, 'expect': 'ambiguous', 'boxes': [w.box for w in same]})
    return list_


def missing(texts, truth, every):
    """Texts that are not there: some like ones that are, by another digit or the opposite word."""
    list_, all_ = [], ' '.join(every)
    for text, part in texts:
        other = altered(text)
        if other and askable(other) and plain(other) not in all_ and plain(other) not in ''.join(every) and len(list_) < ENOUGH['missing'] - 1:
            list_.append({'text': other, 'expect': 'missing'})
    far = [t for t in NOWHERE if not any(near(word, every) for word in t.split() if len(word) > 4)]
    return list_ + [{'text': t, 'expect': 'missing'} for t in far[:ENOUGH['missing'] - len(list_)]]


def altered(text):
    """The text with another digit, or with a word's opposite; nothing if it has neither."""
    words = text.split()
    for i, word in enumerate(words):
        if word.casefold() in OPPOSITES and len(words) > 1:
            return ' '.join(words[:i] + [OPPOSITES[word.casefold()]] + words[i + 1:])
    digits = [m.start() for m in re.finditer(r'\d', text)]
    if len(digits) >= 3 or digits and len(words) > 1:
        at = digits[len(digits) // 2]
        return text[:at] + str((int(text[at]) + 4) % 10) + text[at + 1:]
    return None
