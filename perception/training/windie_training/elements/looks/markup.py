"""Writes elements of a page together with the truth about them."""

import html

ACTED = {"button", "link", "field", "dropdown", "checkbox", "radio", "switch", "slider", "tab", "item"}


def t(text) -> str:
    """The text as HTML."""
    return html.escape(str(text))


def e(cls: str, *inside: str, role="", states="", acted=None, style="", name="", part="", ground="", tag="div") -> str:
    """An element. Without `acted`, its role says whether it can be acted upon; what is disabled never can.

    `ground` is "picture" where it stands on a picture that is not around it.
    """
    acted = role in ACTED if acted is None else acted
    classes = " ".join(filter(None, (cls, states)))
    marks = f'<{tag} class="{classes}"'
    marks += f' style="{style}"' if style else ""
    marks += f' data-role="{role}"' if role else ""
    marks += f' data-states="{states}"' if states else ""
    marks += ' data-acted="1"' if acted and "disabled" not in states else ""
    marks += f' data-name="{t(name)}"' if name else ""
    marks += f' data-part="{part}"' if part else ""
    marks += f' data-ground="{ground}"' if ground else ""
    return marks + ">" + "".join(inside) + f"</{tag}>"


def row(*inside: str, cls="", gap=8, style="") -> str:
    return e(f"row {cls}", *inside, style=f"gap:{gap}px;{style}")


def col(*inside: str, cls="", gap=8, style="") -> str:
    return e(f"col {cls}", *inside, style=f"gap:{gap}px;{style}")


def states(**on) -> str:
    """The names of the states that hold."""
    return " ".join(name for name, holds in on.items() if holds)


SCRIM = '<div data-backdrop style="position:absolute;inset:0;background:#0006"></div>'  # dims what is below a dialog
GAP = e("grow")  # takes the room that is left
