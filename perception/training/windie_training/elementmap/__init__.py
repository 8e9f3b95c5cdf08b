"""The element map: a small network that says where the elements of a screen are, and what they are.

A cell is 2x2 pixels of one level of a pyramid, as in the text map. The network has three layers of
elements, because an icon lies on a button and a button in a toolbar: LAYERS. Each layer has for each cell

- whether it is in the core of an element: the element without a margin of INSET of its shorter side,
- how far the element's four sides are from the cell's middle, as log2 of pixels,
- the class of the element, and its states.

Each level speaks only about elements whose shorter side suits it; see `targets.SIDES`. Where two elements
of one layer contain a cell, the inner one has it.

Truth of a screen is a list of elements, as `windie_training.elements.make` writes it: a role, a box in
pixels, states, whether it can be acted on. An element without a surface of its own ("bare") counts less;
what is behind a dialog ("dimmed") counts neither way.
"""

LEAVES = ("icon", "picture", "avatar", "checkbox", "radio", "switch", "slider", "progress")
CONTROLS = ("button", "field", "dropdown", "tab", "item", "badge", "link", "cell")
HOLDERS = ("panel", "row", "toolbar", "titlebar", "sidebar", "menu", "dialog", "window")
LAYERS = (LEAVES, CONTROLS, HOLDERS)
CLASSES = 8
STATES = ("acted", "on", "off")  # can be acted on; checked, selected or current; disabled
ALSO = {"tooltip": "panel", "statusbar": "toolbar"}  # roles that a class stands for besides its own
ON = ("checked", "selected", "current", "active", "pressed")
OFF = ("disabled",)

# The maps: the cores of all layers, then for each layer SIDES, classes and states.
CORES = len(LAYERS)
REST = 4 + CLASSES + len(STATES)
MAPS = CORES + len(LAYERS) * REST
INSET = 0.25


def rest(layer: int) -> int:
    """The first map of a layer after its core."""
    return CORES + layer * REST


def place_of(role: str) -> tuple[int, int] | None:
    """The layer and the class of a role; None for roles that the map does not have, such as text."""
    role = ALSO.get(role, role)
    for n, layer in enumerate(LAYERS):
        if role in layer:
            return n, layer.index(role)
    return None
