"""Spreadsheets of LibreOffice Calc: cells and headers by the accessibility tree, their texts by ink.

What its tree has besides, in toolbars and below the sheet, is at wrong places
or without text: what is read there counts neither way.
"""

import numpy as np

import ink
import tree
from widgets import Reader
from words import Box, Word, has_text

MOST_ROWS, MOST_COLUMNS = 80, 30


def calc(stage):
    picture = stage.prepare()
    reader = Sheet(stage.shot, np.asarray(picture))
    frame = tree.windows(stage.shot.dpr)[0]
    nodes = list(tree.walk(frame))
    menus = next(n for n in nodes if n.role == 'menu bar' and n.box.h > 5)
    reader.read(menus)
    root = next(n for n in nodes if n.role == 'root pane')
    document = next(n for n in nodes if n.role == 'document spreadsheet')
    reader.sheet(document, Box(0, root.parent.box.y - root.box.y, 0, 0))
    reader.blindly(Box(0, 0, *picture.size), menus.box)
    return picture, reader.finished()


class Sheet(Reader):
    """Reads the cells of a sheet that can be seen whole."""

    def sheet(self, document, shift):
        def moved(box):
            return Box(box.x + shift.x, box.y + shift.y, box.w, box.h)

        self.area = moved(document.box)
        table = document.accessible.get_child_at_index(0).get_table_iface()
        fonts = [ink.font('Liberation Sans', self.shot.options.get('cell', 10) * 96 / 72 * self.shot.dpr, bold) for bold in (False, True)]
        first, headed = None, set()
        for row in range(MOST_ROWS):
            for column in range(MOST_COLUMNS):
                node = tree.Node(table.get_accessible_at(row, column), self.shot.dpr, document)
                box = moved(node.box)
                first = first or box
                if not box.inside(self.area, 1) or box.h < first.h - 1:
                    break
                if column not in headed:
                    headed.add(column)
                    self.header(Box(box.x, self.area.y - 18 * self.shot.dpr, box.w, 18 * self.shot.dpr), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[column % 26])
                if column == 0:
                    self.header(Box(0, box.y, self.area.x, box.h), str(row + 1))
                self.cell(node, box, fonts)
            if column == 0:
                return

    def header(self, box, text):
        self.put(box, text, self.letters, ('header', box.y))

    def cell(self, node, box, fonts):
        iface = node.text()
        text = iface.get_text(0, iface.get_character_count()) if iface else ''
        if has_text(text):
            self.put(box, text, fonts, id(node))

    def put(self, box, text, fonts, phrase):
        """Places a text inside the lines around its box."""
        line = 2 * self.shot.dpr
        inner = Box(box.x + line, box.y + line, box.w - 1.5 * line, box.h - 1.5 * line)
        for letters in fonts:
            boxes = ink.place(self.pixels, inner, ' '.join(text.split()), letters)
            if boxes:
                self.placed += [(Word(word, b, phrase), False) for word, b in zip(text.split(), boxes)]
                return
        self.truth.doubt(box, text)

    def blindly(self, screen, menus):
        """Marks all but the sheet and the menus."""
        top, left = self.area.y - 18 * self.shot.dpr, self.area.x
        self.truth.blind += [Box(0, menus.bottom, screen.w, top - menus.bottom), Box(0, self.area.bottom, screen.w, screen.h - self.area.bottom),
                             Box(self.area.right, top, screen.w - self.area.right, screen.h - top), Box(0, top, left, 18 * self.shot.dpr),
                             Box(menus.right, 0, screen.w - menus.right, menus.bottom)]
