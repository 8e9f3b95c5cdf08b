"""Programs with widgets: their accessibility tree says what stands where, and the picture must agree."""

import re

import numpy as np

import ink
import tree
from display import popups
from words import Box, Truth, Word, has_text, split, tokens

# Widgets whose name is what they show. Others have names for listeners alone.
NAMED = {'label', 'push button', 'toggle button', 'check box', 'radio button', 'menu item', 'menu', 'check menu item', 'radio menu item',
         'page tab', 'table cell', 'list item', 'tree item', 'table column header', 'column header', 'row header', 'table row header', 'link', 'icon',
         'static', 'heading', 'group', 'combo box', 'status bar', 'filler', 'panel', 'grouping', 'text'}
CELLS = {'table cell', 'icon'}  # whose programs are often some pixels off
SILENT = {'panel', 'filler', 'unknown', 'drawing area', 'canvas', 'viewport', 'layered pane', 'scroll pane'}  # which may draw what they do not say
FIELDS = {'entry', 'spin button', 'password text'}


def widgets(stage):
    """Runs a program and returns the picture and the truth about its widgets."""
    picture = stage.prepare()
    return picture, tree_truth(stage, picture)


def tree_truth(stage, picture):
    reader = Reader(stage.shot, np.asarray(picture))
    covers = [Box(*box) for box in popups(stage.env)]
    for window in tree.windows(stage.shot.options.get('scale', stage.shot.dpr)):
        reader.read(window)
    reader.cover(covers)
    if stage.shot.options.get('partly', stage.shot.kind.startswith('qt')):  # docks and headings are drawn, and not in the tree
        reader.truth.partly = True
        reader.truth.blind.append(Box(0, 0, *picture.size))
    return reader.finished()


class Reader:
    """Gathers the truth of windows. Words of what stands in a popup are known by its box."""

    def __init__(self, shot, pixels):
        self.shot, self.pixels, self.truth = shot, pixels, Truth()
        self.letters = [ink.font(shot.family, shot.pixels, bold) for bold in (False, True)]
        self.small = ink.font(shot.family, shot.pixels * 0.83)
        self.placed = []  # (word, whether it is of a menu)

    def read(self, window):
        skip = self.shot.options.get('skip', ())
        for node in tree.walk(window):
            if node.visible.w < 2 or node.visible.h < 4 or node.role in skip:
                continue
            self.element(node)
            if node.role in ('status bar', *self.shot.options.get('blind', ())):
                self.truth.blind.append(node.visible)
            iface = node.text()
            if iface and node.role not in CELLS and self.by_character(node, iface):
                continue
            if node.role in CELLS and iface and not node.name:
                node.name = iface.get_text(0, iface.get_character_count())
            if node.role in NAMED and has_text(node.name) and not any(has_text(c.name) for c in node.children):
                self.by_ink(node)
            elif iface or node.role in FIELDS or (node.role in SILENT and not node.children and node.visible.w > 40):
                self.truth.doubt(node.visible)

    def element(self, node):
        if node.role in tree.ACTIONS and node.visible == node.box and node.parent is not None:
            tag, role = tree.ACTIONS[node.role]
            self.truth.elements.append({'tag': tag, 'type': role if tag == 'input' else '', 'role': role, 'text': node.name[:80], 'cls': '', 'box': node.box})

    def by_character(self, node, iface):
        """Words by the boxes of their characters. False if the program does not know those."""
        text, left, right = iface.get_text(0, min(iface.get_character_count(), 8000)), None, node.visible.x
        for number, line in enumerate(lines_of(text)):
            for word, start, end in line:
                box = node.word_box(iface, start, end)
                if box is None and '\n' not in text:  # the end of the text is left out for want of room
                    self.truth.doubt(Box(right, node.visible.y, node.visible.right - right, node.visible.h), word)
                    break
                if box is None or not box.meets(node.visible):
                    continue
                right = box.right
                left = min(box.x, left or box.x)
                self.see(node, word, box, (id(node), number))
        if left is not None and node.role == 'text' and left - node.visible.x > 14:
            self.truth.doubt(Box(node.visible.x, node.visible.y, left - node.visible.x - 2, node.visible.h))  # numbers of lines
        return left is not None

    def see(self, node, word, box, phrase):
        """A word counts if it is seen whole, and if something is drawn there."""
        word = word.strip('\ufffc')
        if not has_text(word):
            return
        if node.role == 'label' and ink.goes_on(self.pixels, box):
            self.truth.doubt(node.visible, word)
        elif box.inside(node.visible, 1.5) and ink.has_ink(self.pixels, box) and '\ufffc' not in word:
            self.add(node, Word(word, box, phrase))
        elif (part := box.cut(node.visible)).w > 1 and part.h > 1:
            self.truth.doubt(part, word)

    def by_ink(self, node):
        """Words of a widget's name, where the picture shows a text of that width."""
        text, where = shown(node.name), node.visible
        if node.role == 'table cell' and node.parent and node.parent.role == 'table cell':
            where = node.parent.visible  # in a tree, the text may begin left of its cell
        if node.role == 'icon':
            where = Box(where.x, where.y, where.w, where.h + 5)  # some cut off their own letters
        for letters in (*self.letters, self.small):
            boxes = ink.place(self.pixels, where, text, letters)
            if boxes:
                for number, (word, box) in enumerate(zip(text.split(), boxes)):
                    self.add(node, Word(word, box, (id(node), round(box.bottom / 6) if number else round(boxes[0].bottom / 6))))
                self.rest(node, boxes)
                return
        self.truth.doubt(where, text)
        if node.role == 'table cell' and node.parent:  # the text may begin left of its cell
            self.truth.blind.append(Box(where.x - 60, where.y, 60, where.h).cut(node.parent.visible))

    def rest(self, node, boxes):
        """What else may be written in a menu's item, its keys, is not known."""
        if 'menu' in node.role and node.parent and 'bar' not in node.parent.role:
            right = max(b.right for b in boxes) + 2
            self.truth.doubt(Box(right, node.box.y, node.box.right - right, node.box.h))

    def add(self, node, word):
        if has_text(word.text):
            self.placed.append((word, in_menu(node)))

    def cover(self, boxes):
        """Words behind a popup are not seen, and nor are elements there."""
        for box in boxes:
            for word, menu in self.placed:
                if not menu and word.box.meets(box) and not word.box.inside(box):
                    self.truth.doubt(word.box, word.text)
            self.placed = [(w, menu) for w, menu in self.placed if menu or not w.box.meets(box)]
            self.truth.elements, _ = split(self.truth.elements, lambda e: e['role'].startswith('menuitem') or not e['box'].meets(box))

    def finished(self):
        self.truth.words = without_twins([w for w, _ in self.placed])
        return self.truth


def in_menu(node):
    """Whether a widget stands in an open menu, and not in the bar of menus."""
    while node.parent:
        node = node.parent
        if node.role in ('menu', 'popup menu', 'combo box', 'list box') or node.role == 'window':
            return True
    return False


def shown(name):
    """A name as it is drawn: without the mark of an access key."""
    return re.sub(r'&(?=\w)', '', ' '.join(name.split()))


def lines_of(text):
    """The words of each line, with their offsets."""
    begin, list_ = 0, []
    for line in text.split('\n'):
        list_.append([(word, begin + a, begin + b) for word, a, b in tokens(line)])
        begin += len(line) + 1
    return list_


def without_twins(words):
    """The words, each place once: a program may name the same text in two widgets."""
    kept = []
    for word in words:
        middle = Box(word.box.x + word.box.w / 2, word.box.y + word.box.h / 2, 0, 0)
        if not any(middle.inside(k.box, 0) for k in kept):
            kept.append(word)
    return kept
