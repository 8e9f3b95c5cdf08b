"""What the accessibility tree of a program says, as boxes in pixels of the picture."""

import time

import gi

gi.require_version('Atspi', '2.0')
from gi.repository import Atspi, GLib  # noqa: E402

from words import Box  # noqa: E402

# What can be acted on, as the page truth names it.
ACTIONS = {'push button': ('button', 'button'), 'toggle button': ('button', 'button'), 'check box': ('input', 'checkbox'),
           'radio button': ('input', 'radio'), 'combo box': ('select', 'combobox'), 'link': ('a', 'link'),
           'menu item': ('div', 'menuitem'), 'check menu item': ('div', 'menuitemcheckbox'), 'radio menu item': ('div', 'menuitemradio'),
           'menu': ('div', 'menuitem'), 'spin button': ('input', 'spinbutton'), 'entry': ('input', 'textbox'), 'slider': ('input', 'slider')}
# Widgets that cut off what reaches beyond them. Others have boxes that what is in them exceeds: tabs, for one.
CUTTING = {'frame', 'dialog', 'alert', 'scroll pane', 'viewport', 'text', 'table', 'tree table', 'tree', 'list', 'list box', 'document frame',
           'document text', 'document spreadsheet', 'layered pane', 'terminal', 'split pane'}
MOST = 3000  # widgets that are looked at


EVERYWHERE = Box(-1e6, -1e6, 2e6, 2e6)


class Node:
    """A widget: its role, name, states and box. Text is what it shows, if it says so by character."""

    def __init__(self, accessible, dpr, parent):
        self.accessible, self.dpr, self.parent = accessible, dpr, parent
        self.role, self.name = accessible.get_role_name(), accessible.get_name() or ''
        self.states = accessible.get_state_set()
        self.box = self.extents()
        self.clip = parent.clip if parent else EVERYWHERE
        self.visible = self.box.cut(self.clip)
        if self.role in CUTTING:
            self.clip = self.visible
        self.children = []

    def extents(self):
        component = self.accessible.get_component_iface()
        if component is None:
            return Box(0, 0, 0, 0)
        return self.scaled(component.get_extents(Atspi.CoordType.SCREEN))

    def scaled(self, e):
        return Box(e.x * self.dpr, e.y * self.dpr, e.width * self.dpr, e.height * self.dpr)

    def has(self, state):
        return self.states.contains(state)

    @property
    def showing(self):
        return self.has(Atspi.StateType.SHOWING)

    def text(self):
        """The text interface, or nothing for a widget without one or with no text."""
        iface = self.accessible.get_text_iface()
        return iface if iface and iface.get_character_count() > 0 else None

    def word_box(self, iface, start, end):
        """The box of some characters; nothing if the program does not say it."""
        try:
            first, last = (self.scaled(iface.get_character_extents(i, Atspi.CoordType.SCREEN)) for i in (start, end - 1))
        except GLib.Error:
            return None
        if min(first.w, first.h, last.w, last.h) <= 0 or abs(first.y - last.y) > 2 or last.right <= first.x:
            return None
        return first.with_(last)


def windows(dpr, patience=30):
    """The windows of all programs that show one, with what is in them."""
    end = time.monotonic() + patience
    while True:
        desktop = Atspi.get_desktop(0)
        found = []
        for i in range(desktop.get_child_count()):
            application = desktop.get_child_at_index(i)
            try:
                if application is None or application.get_name() == 'openbox':
                    continue
                found += [grown(application.get_child_at_index(j), dpr) for j in range(application.get_child_count())]
            except GLib.Error:
                continue
        found = [w for w in found if w and w.showing and w.box.w > 1]
        if found or time.monotonic() > end:
            return found
        time.sleep(1)


def grown(accessible, dpr, parent=None, budget=None):
    """The node of a widget with those below it that show."""
    budget = budget if budget is not None else [MOST]
    budget[0] -= 1
    if accessible is None or budget[0] < 0:
        return None
    try:
        accessible.clear_cache()
        node = Node(accessible, dpr, parent)
        if not node.showing and parent is not None:
            return None
        for i in range(min(accessible.get_child_count(), 600)):
            child = grown(accessible.get_child_at_index(i), dpr, node, budget)
            if child:
                node.children.append(child)
        return node
    except GLib.Error:
        return None


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)
