"""Small drawn shapes that programs have beside their icons: arrows, marks, folders, files, covers and wallpapers."""

import re

from .markup import t

OWN_MARKS = re.compile(r' (data-role|class|style)="[^"]*"')  # of a drawing, which ours replace

STROKES = {
    "close": "M3.5 3.5l9 9M12.5 3.5l-9 9",
    "minimise": "M3 8.5h10",
    "maximise": "M3.5 3.5h9v9h-9z",
    "restore": "M3.5 5.5h7v7h-7zM5.5 5.5v-2h7v7h-2",
    "down": "M4 6l4 4 4-4",
    "up": "M4 10l4-4 4 4",
    "left": "M10 3.5L5.5 8l4.5 4.5",
    "right": "M6 3.5L10.5 8 6 12.5",
    "updown": "M5 6.5l3-3 3 3M5 9.5l3 3 3-3",
    "check": "M3.2 8.4l3.2 3.2 6.4-7",
    "dash": "M4 8h8",
    "plus": "M8 3v10M3 8h10",
    "minus": "M3 8h10",
    "search": "M7 2.8a4.2 4.2 0 100 8.4 4.2 4.2 0 000-8.4zM10.2 10.2l3.4 3.4",
    "menu": "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
    "back": "M13 8H3.5M7.5 4L3.5 8l4 4",
    "forward": "M3 8h9.5M8.5 4l4 4-4 4",
    "reload": "M12.8 6.2A5.2 5.2 0 103 9.6M13 3v3.4H9.6",
    "repeat": "M3 7V5.5h9M10 3.5l2 2-2 2M13 9v1.5H4M6 12.5l-2-2 2-2",
    "share": "M8 9.5V2.5M5.5 5L8 2.5 10.5 5M4.5 7.5h-1v6h9v-6h-1",
    "grip": "M4 13l9-9M8 13l5-5M11.5 13.5l2-2",
}
FILLS = {
    "tri-down": "M4 6h8l-4 4.5z",
    "tri-up": "M4 10h8L8 5.5z",
    "tri-right": "M6 4l4.5 4L6 12z",
    "tri-left": "M10 4v8L5.5 8z",
    "play": "M4.5 2.5v11l9-5.5z",
    "pause": "M4 3h3v10H4zM9 3h3v10H9z",
    "stop": "M3.5 3.5h9v9h-9z",
    "record": "M8 3a5 5 0 100 10A5 5 0 008 3z",
    "previous": "M3 3h1.800v10H3zM13 3v10L5.5 8z",
    "next": "M11.2 3H13v10h-1.800zM3 3v10l7.5-5z",
    "dots": "M3 6.800a1.2 1.2 0 100 2.4 1.2 1.2 0 000-2.400zM8 6.800a1.2 1.2 0 100 2.4 1.2 1.2 0 000-2.400zM13 6.800a1.2 1.2 0 100 2.4 1.2 1.2 0 000-2.400z",
    "vdots": "M8 2a1.3 1.3 0 100 2.600A1.3 1.3 0 008 2zM8 6.700a1.3 1.3 0 100 2.6 1.3 1.3 0 000-2.600zM8 11.400a1.3 1.3 0 100 2.6 1.3 1.3 0 000-2.600z",
}


def glyph(name: str, size=12, width=1.2, cls="", role="icon") -> str:
    """A shape in the colour of the text around it. Without a role it is a part of its element's paint."""
    if name in STROKES:
        paint = f'<path d="{STROKES[name]}" fill="none" stroke="currentColor" stroke-width="{width * 16 / size:.2f}" stroke-linecap="round" stroke-linejoin="round"/>'
    else:
        paint = f'<path d="{FILLS[name]}" fill="currentColor"/>'
    marks = f' data-role="{role}" data-name="{name}"' if role else ""
    return f'<svg class="g {cls}"{marks} width="{size}" height="{size}" viewBox="0 0 16 16">{paint}</svg>'


def marked(svg: str, size: float, role: str, name="", style="", cls="") -> str:
    """A foreign SVG with a size and the truth about it."""
    truth = f'data-role="{role}" data-name="{t(name)}" ' if role else ""
    opening = OWN_MARKS.sub("", svg[: svg.index(">")])
    return opening.replace("<svg", f'<svg class="i {cls}" {truth}style="width:{size}px;height:{size}px;flex:none;{style}"', 1) + svg[svg.index(">") :]


def hsl(h: float, s: float, l: float, a=1.0) -> str:
    return f"hsl({h % 360:.0f} {s:.0f}% {l:.0f}%{'' if a == 1 else f' / {a:.2f}'})"


def folder(size: int, h: int) -> str:
    """A folder of a hue, as file managers draw it."""
    back, front = hsl(h, 75, 48), hsl(h, 85, 64)
    svg = (
        f'<svg viewBox="0 0 32 32"><path d="M3 8a2 2 0 012-2h7l3 3h12a2 2 0 012 2v14H3z" fill="{back}"/>'
        f'<rect x="3" y="11" width="26" height="15.5" rx="2" fill="{front}"/>'
        f'<path d="M3.5 11.5h25" stroke="#fff" stroke-opacity=".35"/></svg>'
    )
    return marked(svg, size, "icon" if size < 32 else "picture", "folder")


def document(r, size: int) -> str:
    """A sheet of paper with a mark of its kind."""
    h = r.randrange(360)
    lines = "".join(f'<path d="M9 {y}h{r.randint(8, 14)}" stroke="#9aa3ad" stroke-width="1.4"/>' for y in (13, 16, 19))
    mark = f'<rect x="5" y="20" width="14" height="7" rx="1.5" fill="{hsl(h, 70, 48)}"/>' if r.random() < 0.6 else lines
    svg = f'<svg viewBox="0 0 32 32"><path d="M7 3h12l7 7v19H7z" fill="#fdfdfd" stroke="#8b949e" stroke-width="1"/><path d="M19 3v7h7" fill="#dfe4e8" stroke="#8b949e"/>{mark}</svg>'
    return marked(svg, size, "icon" if size < 32 else "picture", "document")


def orb(r) -> str:
    """A picture painted of gradients: an album's cover, a thumbnail, a wallpaper."""
    h, d = r.randrange(360), r.choice([25, 40, 60, 150])
    spots = ",".join(
        f"radial-gradient({r.choice(['circle', 'ellipse'])} at {r.randint(0, 100)}% {r.randint(0, 100)}%,{hsl(h + d * i, r.randint(40, 90), r.randint(30, 75))} 0,transparent {r.randint(30, 75)}%)"
        for i in range(3)
    )
    return f"background:{spots},linear-gradient({r.randrange(360)}deg,{hsl(h, 60, r.randint(15, 60))},{hsl(h + d, 60, r.randint(20, 70))})"
