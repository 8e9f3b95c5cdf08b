import html.parser
import random
import unittest

from windie_training.elements.looks import custom, gnome, macos, page, phones, programs, unix, windows

ROLES = set(
    "button link field dropdown checkbox radio switch slider progress tab item row cell icon picture avatar badge heading text "
    "panel dialog window menu toolbar sidebar tooltip titlebar scrollbar splitter none".split()
)
STATES = set("disabled checked selected focused expanded empty".split())
LOOKS = {look for family in (windows, macos, gnome, unix, phones, custom) for look in family.LOOKS}


class Words:
    """Material without the fetched texts, icons and typefaces."""

    plain, sets = ["lines"], ["lines", "colours"]

    def icon(self, r, set=None, match=None, size=None):
        return "dot", '<svg data-role="icon" class="wi" style="width:1em" viewBox="0 0 9 9"><path d="M1 1h7"/></svg>'

    def text(self, r, kind):
        return r.choice(["Ada & <Bob>", "a/b.txt", 'Say "no"', "12"])

    def font(self, r):
        return "'Inter', sans-serif", ""

    def mono(self, r):
        return "monospace"

    def photo(self, r):
        return "file:///a.jpg"


class Reader(html.parser.HTMLParser):
    """Reads the truth of a page, and whether each element ends where it should."""

    EMPTY = {"meta", "path", "rect", "circle", "polyline"}

    def __init__(self, text: str):
        super().__init__()
        self.open, self.marks = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            raise ValueError(f"<{tag}> has an attribute twice: {names}")
        self.marks.append(dict(attributes))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.marks.append(dict(attributes))

    def handle_endtag(self, tag):
        if tag not in self.EMPTY and self.open.pop() != tag:
            raise ValueError(f"</{tag}> ends another element")


class Looks(unittest.TestCase):
    def read(self, text: str) -> list[dict]:
        reader = Reader(text)
        self.assertEqual(reader.open, [])
        for m in reader.marks:
            states = set(m.get("data-states", "").split())
            self.assertLessEqual(states, STATES)
            self.assertFalse("disabled" in states and "data-acted" in m, m)
        roles = {m["data-role"] for m in reader.marks if "data-role" in m}
        self.assertLessEqual(roles, ROLES)
        return reader.marks

    def test_every_program_in_every_look(self):
        for look in LOOKS:
            for program in set(programs.PHONE if look.PHONE else programs.DESKTOP):
                with self.subTest(look=look.__name__, program=program.__name__):
                    k = look(random.Random(7), Words())
                    marks = self.read(k.window(program(k)))
                    self.assertGreater(sum("data-acted" in m for m in marks), 1 if look is custom.Curses else 2)

    def test_pages(self):
        for seed in range(40):
            with self.subTest(seed=seed):
                text, width, height = page(random.Random(seed), Words())
                self.read(text)
                self.assertTrue(360 <= width <= 1920 and 480 <= height <= 1200, (width, height))
                self.assertEqual(text, page(random.Random(seed), Words())[0])


if __name__ == "__main__":
    unittest.main()
