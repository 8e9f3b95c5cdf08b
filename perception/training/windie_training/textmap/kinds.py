"""Layouts of screens: each fills a scene."""

import math

import cv2
import numpy as np
import skia

from ..draw import Pen, skia_color
from ..screens import between, colours, fitting, luminance
from . import ICON, PICTURE
from .scene import SLASHED, Drawn, Scene

CAPS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def page(s: Scene) -> None:
    """Labels, buttons, fields, paragraphs, icons: programs and web pages."""
    r = s.r
    pens = [s.pen() for _ in range(r.randint(1, 3))]
    for _ in range(r.choice([0, 0, 1, 3, 6])):  # panels behind all, some with a shadow
        x, y, wide, high = r.uniform(-40, s.wide), r.uniform(-40, s.height), r.uniform(30, s.wide), r.uniform(20, s.height)
        if r.random() < 0.4:
            soft = skia.Paint(AntiAlias=True, Color=skia.Color(0, 0, 0, r.randint(20, 110)), MaskFilter=skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, r.uniform(1, 8)))
            s.canvas.drawRect(skia.Rect.MakeXYWH(x, y + 2, wide, high), soft)
        s.box(x, y, wide, high, r.choice([0, 4, 12]), between(s.ground, s.ink, r.uniform(0, 0.12)), between(s.ground, s.ink, r.uniform(0.1, 0.5)) if r.random() < 0.5 else None)
    y = r.uniform(2, 14)
    while y < s.height - 8:
        y = r.choices([labels, paragraph, fields, list_rows, cards], [4, 2, 1.5, 2, 0.8])[0](s, y, r.choice(pens))


def labels(s: Scene, y: float, pen: Pen) -> float:
    r = s.r
    high = pen.size * r.uniform(1.3, 2.6)
    base = y + high / 2 + pen.cap / 2
    x = r.uniform(3, 24)
    while x < s.wide - 2 * pen.size:
        text = s.texts.line(r.choice([6, 12, 24, 40])) if r.random() < 0.85 else s.short()
        wide = s.width(pen, text)
        if wide is None:
            continue
        k = r.random()
        color = fitting(r, s.ground) if r.random() < 0.25 else None
        if k < 0.3:  # a button
            pad = pen.size * r.uniform(0.3, 1.1)
            fill, color = None, s.ink
            if r.random() < 0.7:
                fill, color = colours(r)
            line = between(s.ground, s.ink, r.uniform(0.15, 1)) if fill is None or r.random() < 0.3 else None
            s.box(x, y + 0.06 * high, wide + 2 * pad, 0.9 * high, r.choice([0, 2, 3, 4, 6, high / 2]), fill, line, r.choice([1, 1, 2]), cuts=True)
            if r.random() < 0.2:
                s.put_icon(x + pad + pen.cap * 0.6, y + high / 2, pen.size * r.uniform(0.8, 1.2), color, False)
                x += pen.size * 1.3
                s.box(x + pad - 2, y + 0.06 * high, wide + pad, 0.9 * high, 0, fill)
            s.write(pen, text, x + pad, base, color)
            x += wide + 2 * pad
        elif k < 0.45:  # an icon beside it
            size = pen.size * r.uniform(0.8, 1.7)
            s.put_icon(x + size / 2, base - pen.cap / 2, size, color)
            x = (s.write(pen, text, x + size + pen.size * r.uniform(0.2, 0.8), base, color) or x) + 2
        else:
            x = s.write(pen, text, x, base, color) or x
            if r.random() < 0.1:
                s.put_icon(x + pen.size, base - pen.cap / 2, pen.size * r.uniform(0.6, 1.3), color, False)
                x += 1.7 * pen.size
        x += pen.size * r.choice([r.uniform(0.3, 1.2), r.uniform(0.8, 4)])
    if r.random() < 0.15:
        s.fill(r.choice([0, 4, 12]), y + high, s.wide, 1, between(s.ground, s.ink, r.uniform(0.1, 0.5)))
    return y + high + r.uniform(0, 8)


def paragraph(s: Scene, y: float, pen: Pen) -> float:
    r = s.r
    high = pen.size * r.uniform(1.05, 1.7)
    x, right = r.uniform(4, 60), s.wide - r.uniform(4, 120)
    lang = r.choice(["en", "en", s.texts.language("latin"), s.texts.language("cyrillic"), s.texts.language("greek")] + [s.texts.language(g) for g in ("cjk", "right to left", "other") if s.texts.groups.get(g)] * (r.random() < 0.5))
    justified = r.random() < 0.15
    color = None if r.random() < 0.7 else fitting(r, s.ground)
    for _ in range(r.randint(1, 6)):
        y += high
        text = ""
        while len(text) < 0.25 * (right - x):
            text += s.texts.piece(lang) + " "
            if r.random() < 0.15:
                break
        text = s.fitted(pen, text.strip(), right - x)
        if not text:
            continue
        if justified and " " in text:
            words = text.split(" ")
            wide = [s.width(pen, w) or 0 for w in words]
            gap = (right - x - sum(wide)) / max(1, len(words) - 1)
            at = x
            for w, ww in zip(words, wide):
                s.write(pen, w, at, y, color)
                at += ww + min(gap, pen.size)
        else:
            s.write(pen, text, x, y, color)
    return y + r.uniform(4, 16) + 0.3 * pen.size


def fields(s: Scene, y: float, pen: Pen) -> float:
    """Forms: labels, boxes with a value or a placeholder, check boxes, radio buttons, switches, sliders, carets."""
    r = s.r
    high = pen.size * r.uniform(1.5, 2.6)
    x = r.uniform(4, 40)
    faint = between(s.ground, s.ink, r.uniform(0.3, 0.7))
    for _ in range(r.randint(1, 4)):
        base = y + high / 2 + pen.cap / 2
        k = r.random()
        if k < 0.5:
            if r.random() < 0.6:
                end = s.write(pen, s.fitted(pen, s.texts.line(24), s.wide / 2), x, base) or x
            else:
                end = x
            left = max(end + pen.size * r.uniform(0.4, 2), x)
            wide = r.uniform(6, 18) * pen.size
            s.box(left, y, wide, high, r.choice([0, 3, 6, high / 2]), between(s.ground, s.ink, 0.06) if r.random() < 0.4 else None, between(s.ground, s.ink, r.uniform(0.2, 0.8)), r.choice([1, 1, 2]), cuts=True)
            at = left + pen.size * r.uniform(0.3, 0.8)
            text = s.fitted(pen, s.texts.line(30), wide - 1.4 * pen.size)
            end = s.write(pen, text, at, base, r.choice([None, faint])) if text else at
            if r.random() < 0.3:
                s.fill((end or at) + 1, y + high * 0.2, r.choice([1, 2]), high * 0.6, s.ink)
            if r.random() < 0.4:
                chevron(s, left + wide - pen.size, y + high / 2, pen.size * 0.6)
        elif k < 0.85:
            size = pen.size * r.uniform(0.8, 1.2)
            mark(s, x + size / 2, y + high / 2, size)
            s.write(pen, s.fitted(pen, s.texts.line(40), s.wide - x - 60), x + size + pen.size * r.uniform(0.3, 0.8), base)
        else:
            wide = r.uniform(60, 240)
            s.fill(x, y + high / 2 - 1, wide, r.choice([2, 3, 4]), between(s.ground, s.ink, 0.4))
            s.canvas.drawCircle(x + wide * r.random(), y + high / 2, r.uniform(4, 8), skia.Paint(AntiAlias=True, Color=skia_color(s.ink)))
            s.write(pen, s.short(), x + wide + pen.size, base)
        y += high + r.uniform(2, 10)
    return y


def cards(s: Scene, y: float, pen: Pen) -> float:
    """Pictures with captions: photographs, thumbnails of screens that nobody can read, discs with an icon."""
    r = s.r
    wide, high = r.randint(40, 200), r.randint(30, 140)
    x = r.randint(2, 30)
    y = int(y) + 2
    if y + high + 2 > s.height:
        return y + high
    while x + wide < s.wide - 4:
        k = r.random()
        if k < 0.45:
            s.paint(s.any_ground(high, wide), x, y)
        elif k < 0.6:
            filled(s, x, y, x + wide, y + high)
        elif k < 0.8:
            by = r.uniform(0.12, 0.22)
            h, w = min(s.height, int(high / by)), min(s.wide, int(wide / by))
            s.paint(cv2.resize(s.picture[:h, :w, :3], (wide, high), interpolation=cv2.INTER_AREA), x, y)
        else:
            s.box(x, y, wide, high, r.choice([0, 6, 12]), colours(r)[0])
            s.put_icon(x + wide / 2, y + high / 2, min(wide, high) * r.uniform(0.3, 0.8), fitting(r, s.ground))
        if r.random() < 0.6 and (text := s.fitted(pen, s.texts.line(30), wide)):
            s.write(pen, text, x, y + high + pen.cap * 1.6)
        x += wide + r.randint(4, 30)
    return y + high + 3 * pen.cap


def filled(s: Scene, x0: float, y0: float, x1: float, y1: float) -> None:
    """The area below a curve, or an island with borders inside."""
    r = s.r
    color = fitting(r, s.ground)
    builder = skia.PathBuilder() if hasattr(skia, "PathBuilder") else skia.Path()
    n = r.choice([4, 6, 10, 24])
    if r.random() < 0.6:
        points = [(x0 + (x1 - x0) * k / n, y1 - (y1 - y0) * r.random()) for k in range(n + 1)]
        builder.moveTo(x0, y1)
        smooth = r.random() < 0.5
        last = (x0, y1)
        for p in points:
            if smooth:
                middle = (last[0] + p[0]) / 2
                builder.cubicTo(middle, last[1], middle, p[1], *p)
            else:
                builder.lineTo(*p)
            last = p
        builder.lineTo(x1, y1)
        borders = []
    else:
        rough = r.uniform(0.02, 0.3)
        points = []
        for k in range(6 * n):
            a, far = 2 * math.pi * k / (6 * n), 1 - r.random() * rough
            points.append(((x0 + x1) / 2 + (x1 - x0) / 2 * far * math.cos(a), (y0 + y1) / 2 + (y1 - y0) / 2 * far * math.sin(a)))
        builder.moveTo(*points[0])
        for p in points[1:]:
            builder.lineTo(*p)
        borders = [(r.choice(points), ((x0 + x1) / 2 + r.uniform(-20, 20), (y0 + y1) / 2), r.choice(points)) for _ in range(r.randint(0, 12))]
    paint = skia.Paint(AntiAlias=True, Color=skia.Color(*(int(v) for v in color), r.choice([90, 180, 255])))
    s.canvas.drawPath(builder if isinstance(builder, skia.Path) else builder.detach(), paint)
    for b in borders:
        s.stroke(b, s.ground, r.choice([0.6, 1]))
    if not borders and r.random() < 0.6:
        s.stroke(points, fitting(r, s.ground), r.choice([1, 2, 3]))
    s.area(x0, y0, x1, y1, PICTURE)


def chevron(s: Scene, x: float, y: float, size: float) -> None:
    p = s.r.choice([[(-1, -0.5), (0, 0.5), (1, -0.5)], [(-0.5, -1), (0.5, 0), (-0.5, 1)], [(0.5, -1), (-0.5, 0), (0.5, 1)], [(-1, 0.5), (0, -0.5), (1, 0.5)], [(-1, -1), (1, 1)], [(0, -1), (0, 1)]])
    h = size / 2
    thick = s.r.choice([1, 1.5, 2])
    s.stroke([(x + a * h, y + b * h) for a, b in p], s.ink, thick)
    if len(p) == 2:
        s.stroke([(x + b * h, y - a * h) for a, b in p], s.ink, thick)
    s.area(x - h - 1, y - h - 1, x + h + 1, y + h + 1, ICON)


def mark(s: Scene, x: float, y: float, size: float) -> None:
    """A check box, a radio button, a dot, a switch or three dots."""
    r, h = s.r, size / 2
    color = between(s.ground, s.ink, r.uniform(0.3, 1)) if r.random() < 0.7 else fitting(r, s.ground)
    k = r.random()
    if k < 0.5:
        round_ = r.random() < 0.4
        on = r.random() < 0.5
        s.box(round(x - h), round(y - h), round(size), round(size), h if round_ else r.choice([0, 2, 3]), color if on and not round_ else None, color, r.choice([1, 1, 1.5, 2]))
        if on and round_:
            s.canvas.drawCircle(x, y, h * 0.5, skia.Paint(AntiAlias=True, Color=skia_color(color)))
        elif on:
            s.stroke([(x - 0.6 * h, y), (x - 0.15 * h, y + 0.5 * h), (x + 0.65 * h, y - 0.5 * h)], s.ground, r.choice([1, 1.5, 2]))
    elif k < 0.65:
        s.box(x - 1.7 * h, y - h, 3.4 * h, 2 * h, h, color)
        s.canvas.drawCircle(x + r.choice([-0.7, 0.7]) * h, y, h * 0.75, skia.Paint(AntiAlias=True, Color=skia_color(s.ground)))
    elif k < 0.85:
        gap, up = size * r.uniform(0.3, 0.45), r.random() < 0.6
        dot = max(1, size * r.uniform(0.06, 0.13))
        for n in (-1, 0, 1):
            s.canvas.drawCircle(x + (0 if up else n * gap), y + (n * gap if up else 0), dot, skia.Paint(AntiAlias=True, Color=skia_color(color)))
    else:
        s.canvas.drawCircle(x, y, size * r.uniform(0.15, 0.5), skia.Paint(AntiAlias=True, Color=skia_color(color)))
    s.area(x - h, y - h, x + h, y + h, ICON)


def list_rows(s: Scene, y: float, pen: Pen) -> float:
    """Menus, mails, files: an icon or a disc, a title, a smaller text, a time at the right."""
    r = s.r
    two = r.random() < 0.4
    small = s.pen(size=pen.size * r.uniform(0.7, 0.95)) if two else pen
    row = pen.size * (r.uniform(2.4, 3.6) if two else r.uniform(1.25, 2.4))
    left = r.uniform(4, 30)
    lead = r.choice(["", "icon", "disc", "mark"])
    right = s.wide - r.uniform(4, 0.5 * s.wide)
    faint = between(s.ground, s.ink, r.uniform(0.4, 0.8))
    for n in range(r.randint(2, 8)):
        if y > s.height:
            break
        ground = s.ground
        if r.random() < 0.08:
            ground = between(s.ground, s.ink, r.uniform(0.08, 0.25))
            s.box(left - 4, y, right - left + 8, row, r.choice([0, 0, 4]), ground)
        x, mid = left, y + row / 2
        size = min(row * 0.8, pen.size * r.uniform(1, 2.2))
        if lead == "icon":
            s.put_icon(x + size / 2, mid, size)
            x += size + pen.size * 0.6
        elif lead == "disc":
            fill, color = colours(r)
            s.canvas.drawCircle(x + row * 0.38, mid, row * 0.38, skia.Paint(AntiAlias=True, Color=skia_color(fill)))
            text = "".join(r.choices(CAPS, k=r.choice([1, 2])))
            initials = s.pen(size=row * 0.34)
            s.write(initials, text, x + row * 0.38 - (s.width(initials, text) or 0) / 2, mid + initials.cap / 2, color)
            x += row * 0.76 + pen.size * 0.6
        elif lead == "mark":
            mark(s, x + pen.size / 2, mid, pen.size)
            x += 1.6 * pen.size
        time = s.fitted(small, r.choice([s.texts.time, s.texts.date, s.texts.size, s.short])(), right - x) if r.random() < 0.5 else ""
        end = right - (s.width(small, time) or 0) if time else right
        title = s.fitted(pen, s.texts.line(60), end - x - pen.size)
        base = mid + pen.cap / 2 - (0.28 * row if two else 0)
        if title:
            s.write(pen, title, x, base)
        if time:
            s.write(small, time, end, base, faint)
        if two and (text := s.fitted(small, s.texts.line(80), right - x)):
            s.write(small, text, x, mid + 0.25 * row + small.cap / 2, faint)
        y += row
    return y + r.uniform(2, 12)


def table(s: Scene) -> None:
    """Ruled, dotted, striped and plain tables; columns stand close for some."""
    r = s.r
    y = r.uniform(0, 20)
    while y < s.height - 10:
        pen = s.pen("mono" if r.random() < 0.2 else None)
        row = pen.size * r.uniform(1.2, 2.3)
        style = r.choice(["ruled", "ruled", "across", "plain", "striped", "dotted", "upright"])
        rule = between(s.ground, s.ink, r.uniform(0.12, 1))
        edges, x = [r.uniform(2, 30)], 0.0
        while edges[-1] < s.wide - 3 * pen.size and len(edges) < 14:
            edges.append(edges[-1] + pen.size * r.choice([r.uniform(2, 5), r.uniform(4, 14)]))
        count = r.randint(2, 12)
        pad = r.choice([1.5, 3, 4, 6, 8, 12])
        numbers = [r.random() < 0.45 for _ in edges]
        for n in range(count):
            if y > s.height:
                break
            if style == "striped" and n % 2:
                s.fill(edges[0], y, edges[-1] - edges[0], row, between(s.ground, s.ink, 0.07))
            for a, b, number in zip(edges, edges[1:], numbers):
                if r.random() < 0.08:
                    continue
                text = s.fitted(pen, r.choice([s.texts.number, s.short])() if number else s.texts.line(30), b - a - 2 * pad)
                if not text:
                    continue
                at = b - pad - (s.width(pen, text) or 0) if number else a + pad
                s.write(pen, text, at, y + row / 2 + pen.cap / 2)
            if style in ("ruled", "across"):
                s.fill(edges[0], round(y + row), edges[-1] - edges[0], 1, rule)
            y += row
        top = y - row * min(count, max(1, count))
        if style in ("ruled", "upright"):
            for x in edges:
                s.upright(round(x), top, y, rule, r.choice([1, 1, 1, 2]))
        elif style == "dotted":
            for a, b in zip(edges, edges[1:]):
                s.dotted(a, top, b, y, rule)
                s.cut(a, top, y)
        y += r.uniform(4, 30)


def terminal(s: Scene) -> None:
    """Cells of one width: prompts, listings, frames and trees of box drawing, bars of keys, inverse rows."""
    r = s.r
    bitmap = r.random() < 0.25
    pen = Pen(r, s.fonts, s.fonts.pick_bitmap(r), 0, s.how) if bitmap else s.pen("mono")
    pen.tracking = 0
    if bitmap:
        pen.how.lcd = False
    cell = s.width(pen, "M") or 8
    high = round(pen.high * r.uniform(1.0, 1.35))
    columns, count = int(s.wide / cell), int(s.height / high)
    left, base = r.uniform(0, 6), high * 0.78
    colour = lambda: fitting(r, s.ground) if r.random() < 0.3 else s.ink

    def put(row: int, column: float, text: str, color=None, room: int = 200) -> int:
        text = text[: int(max(0, min(room, columns - column)))].rstrip()
        if text.strip():
            s.write(pen, text, left + column * cell, row * high + base, color or s.ink)
        return len(text)

    kind = r.choice(["frames", "frames", "panes", "tree", "listing", "log", "keys"])
    if kind == "frames" or kind == "panes":
        edges = sorted({0, columns - 1, *(r.randint(4, max(5, columns - 5)) for _ in range(r.choice([1, 1, 2, 3])))})
        rule, thick = colour(), r.choice([1, 1, 1, 2])
        double = r.random() < 0.3
        y0, y1 = high * 0.5, (count - 0.5) * high
        glyphs = kind == "panes"
        for e in edges:
            x = left + (e + 0.5) * cell
            if glyphs:
                for n in range(count):
                    s.stroke([(x, n * high + 1), (x, (n + 1) * high - 1)], rule, thick)
                s.cut(x, 0, s.height)
            else:
                s.upright(x - double * 1.5, y0, y1, rule, thick)
                if double:
                    s.fill(x + 1.5, y0, thick, y1 - y0, rule)
        if not glyphs:
            for y in (y0, y1, *([r.randint(2, max(3, count - 2)) * high + high / 2] if r.random() < 0.5 else [])):
                s.fill(left + 0.5 * cell, y, edges[-1] * cell, thick, rule)
        for a, b in zip(edges, edges[1:]):
            room = b - a - 1
            if r.random() < 0.7 and not glyphs and room > 6:
                title = s.texts.line(max(3, room - 4))
                s.fill(left + (a + 2) * cell, 0, (len(title) + 0.5) * cell, high, s.ground)
                put(0, a + 2, title)
            for n in range(1, count - 1):
                if r.random() < 0.1:
                    continue
                text = r.choice([s.texts.name, lambda: s.texts.line(40), s.texts.size, s.texts.date])()
                color = colour()
                if r.random() < 0.05:
                    s.fill(left + (a + 0.6) * cell, n * high, room * cell, high, s.ink)
                    color = s.ground
                start = r.choice([1, 1, 1, 2])
                if r.random() < 0.3:
                    start = max(1, room - len(text) + 1)
                put(n, a + start, text, color, room - start + 1)
    elif kind == "tree":
        depth = 0
        rule = between(s.ground, s.ink, r.uniform(0.4, 1))
        for n in range(count):
            depth = max(0, min(6, depth + r.choice([-2, -1, 0, 0, 1])))
            for d in range(depth):
                x = left + (4 * d + 0.5) * cell
                s.stroke([(x, n * high), (x, (n + (1 if d < depth - 1 or r.random() < 0.7 else 0.5)) * high)], rule, 1)
                if d == depth - 1:
                    s.stroke([(x, (n + 0.5) * high), (x + r.choice([1, 2.4]) * cell, (n + 0.5) * high)], rule, 1)
            put(n, 4 * depth, s.texts.name(), colour(), 40)
    elif kind == "listing":
        for n in range(count):
            at = 0
            for text in ("".join(r.choice([c, "-"]) for c in "drwxr-xr-x"), str(r.randint(1, 20)), s.texts.word().lower()[:6], s.texts.digits(r.randint(2, 6)).rjust(7), s.texts.time(), s.texts.name()):
                at += put(n, at, text, colour()) + r.choice([1, 1, 2, 3])
    elif kind == "keys":
        for n in range(count - 1):
            put(n, r.choice([0, 0, 2]), s.texts.line(60), colour())
        at, fill, color = 0, *colours(r)
        while at < columns:
            key, text = str(r.randint(1, 12)), s.texts.word()[: r.randint(3, 8)]
            at += put(count - 1, at, r.choice(["", "F", "^"]) + key)
            s.fill(left + at * cell, (count - 1) * high, (len(text) + 1) * cell, high, fill)
            s.cut(left + at * cell, (count - 1) * high, count * high)
            at += put(count - 1, at, text, color) + r.choice([1, 1, 2])
            s.cut(left + at * cell, (count - 1) * high, count * high)
    else:
        for n in range(count):
            if r.random() < 0.1:
                continue
            if r.random() < 0.06:
                s.fill(0, n * high, s.wide, high, s.ink)
                put(n, 0, s.texts.line(60), s.ground)
                continue
            at = 0
            if r.random() < 0.4:
                at = put(n, 0, r.choice([s.texts.time(), "user@host:~$", "$", ">>>", "[" + s.texts.word() + "]"]), colour()) + 1
            put(n, at, r.choice([s.texts.mixed, s.texts.name, lambda: s.texts.piece("code"), s.texts.repeats, lambda: s.texts.line(80)])(), colour())


def editor(s: Scene) -> None:
    """Code: numbers of lines, guides through the indentation, slashed zeros, selections, squiggles, coloured tokens."""
    r = s.r
    pen = s.pen("mono")
    if r.random() < 0.4:
        for _ in range(8):
            if SLASHED.search(pen.style.name):
                break
            pen = s.pen("mono")
    pen.tracking = 0
    cell = s.width(pen, "M") or 8
    high = round(pen.size * r.uniform(1.1, 1.7))
    numbers, x = r.random() < 0.6, r.uniform(2, 20)
    guide = between(s.ground, s.ink, r.uniform(0.08, 0.45)) if r.random() < 0.7 else None
    faint = between(s.ground, s.ink, r.uniform(0.35, 0.7))
    number, indent = r.randint(1, 900), 0
    left = x + (5 * cell if numbers else 0)
    step = r.choice([2, 4, 4])
    palette = [fitting(r, s.ground) for _ in range(4)] + [s.ink] * 2
    y = r.uniform(0, 8)
    while y < s.height:
        base = y + high / 2 + pen.cap / 2
        if numbers:
            text = str(number)
            s.write(pen, text, left - (len(text) + 1.5) * cell, base, faint)
        number += 1
        indent = max(0, min(7, indent + r.choice([-1, -1, 0, 0, 0, 1, 1])))
        if guide is not None:
            reach = r.choice([indent, indent, indent + 1])  # the last runs through letters
            for n in range(reach):
                s.fill(round(left + n * step * cell), y, 1, high, guide)
        if r.random() < 0.05:
            s.fill(left + indent * step * cell, y, s.wide, high, between(s.ground, s.ink, 0.2))
        if r.random() < 0.93:
            at = left + indent * step * cell
            text = s.texts.piece("code") if r.random() < 0.6 else r.choice([s.texts.repeats, s.texts.serial, s.texts.number, lambda: "".join(r.choices("0O8Q0D0", k=r.randint(3, 10)))])()
            for token in text.split(" "):
                if not token:
                    continue
                end = s.write(pen, token, at, base, r.choice(palette))
                at = (end or at) + cell
                if at > s.wide:
                    break
        y += high


def labels_on_picture(s: Scene) -> None:
    """Labels with a shadow or an outline on wallpapers, grain and colours; some below icons, some on panels."""
    r = s.r
    s.paint(s.any_ground(s.height, s.wide))
    taken = []
    shaded, white = r.random() < 0.75, r.random() < 0.75
    for _ in range(r.randint(2, 22)):
        pen = s.title_pen() if r.random() < 0.15 else s.pen()
        on_picture(s, pen, s.texts.line(r.choice([8, 14, 24, 40])), taken, shaded, white)


def free(taken, x0, y0, x1, y1, m=4) -> bool:
    return all(x1 + m < a or c + m < x0 or y1 + m < b or d + m < y0 for a, b, c, d in taken)


def on_picture(s: Scene, pen: Pen, text: str, taken: list, shaded: bool, white: bool) -> None:
    r = s.r
    wide = s.width(pen, text)
    if wide is None or wide > s.wide - 6:
        return
    x, y = r.uniform(2, s.wide - wide - 2), r.uniform(pen.cap + 4, s.height - 4)
    place = (x - 4, y - 1.3 * pen.cap, x + wide + 4, y + 0.5 * pen.cap)
    if not free(taken, *place):
        return
    s.shade = s.any_shade() if shaded else None
    color = [r.randint(225, 255)] * 3 if white else [r.randint(0, 40)] * 3
    if r.random() < 0.1:
        color = [r.randint(0, 255) for _ in range(3)]
    ground = s.under(*place)
    bright = ground @ np.array([0.299, 0.587, 0.114], np.float32)
    far = abs(float(bright.mean()) - luminance(color))
    if not s.shade and far < 50 + 1.2 * float(bright.std()):
        if r.random() < 0.4 and bright.std() < 40:
            color = [0, 0, 0] if bright.mean() > 128 else [255, 255, 255]
        else:
            panel = [r.randint(0, 255)] * 3 if r.random() < 0.5 else [r.randint(0, 255) for _ in range(3)]
            color = fitting(r, panel)
            s.canvas.drawRoundRect(skia.Rect.MakeLTRB(*place), 4, 4, skia.Paint(AntiAlias=True, Color=skia.Color(*panel, r.choice([200, 230, 255]))))
    elif s.shade and far < 40:
        color = [255 - v for v in color]
    taken.append(place)
    if r.random() < 0.3 and y > 4 * pen.cap:
        size = min(90.0, pen.size * r.uniform(1.5, 3.4))
        s.put_icon(x + wide / 2, y - 1.7 * pen.cap - size / 2, size, color)
        taken.append((x + wide / 2 - size / 2, y - 1.7 * pen.cap - size, x + wide / 2 + size / 2, y))
    s.write(pen, text, x, y, color)
    s.shade = None


def subtitles(s: Scene) -> None:
    """One or two outlined or boxed rows low on a film; a clock and a name in a corner."""
    r = s.r
    s.paint(s.any_ground(s.height, s.wide))
    y = r.uniform(30, s.height * 0.7)
    for _ in range(r.choice([1, 2, 2, 3])):
        pen = s.pen(size=r.choice([16, 20, 24, 28, 32, 40, 48]))
        y += pen.size * r.uniform(1.2, 3)
        boxed = r.random() < 0.35
        color = r.choice([[255, 255, 255], [255, 255, 255], [255, 240, 60], [230, 230, 230]])
        for n in range(r.choice([1, 2])):
            text = s.fitted(pen, s.texts.line(60), s.wide - 12)
            wide = s.width(pen, text) if text else None
            if not wide:
                continue
            x, base = (s.wide - wide) / 2, y + n * pen.size * r.uniform(1.2, 1.5)
            if boxed:
                s.box(x - 6, base - 1.4 * pen.cap, wide + 12, 1.9 * pen.cap, r.choice([0, 4]), [r.randint(0, 30)] * 3)
            s.shade = None if boxed else s.any_shade(True)
            s.write(pen, text, x, base, color)
        s.shade = None
        y += 1.8 * pen.size


def titles(s: Scene) -> None:
    """Large and light faces, with small text between."""
    r = s.r
    y = 4.0
    while y < s.height:
        pen = s.title_pen()
        y += pen.cap * r.uniform(1.15, 2.2)
        x = r.uniform(2, s.wide / 3)
        for _ in range(r.choice([1, 1, 2])):
            text = s.texts.line(r.choice([4, 8, 16, 24])) if r.random() < 0.7 else " ".join(r.choice("Control panel Email all tell Tilt I will 1111 Installed Till List ill lI1T Total Final".split()) for _ in range(r.randint(1, 3)))
            wide = s.width(pen, text)
            if wide is None or x + wide > s.wide + 30:
                break
            x = (s.write(pen, text, x, y, fitting(r, s.ground) if r.random() < 0.3 else None) or x) + pen.size * r.uniform(1, 3)
        y += 0.35 * pen.cap
        if r.random() < 0.5:
            y = paragraph(s, y, s.pen())


def chips(s: Scene) -> None:
    """Pills in rows, tabs, keys of a keyboard or a calculator."""
    r = s.r
    if r.random() < 0.2:
        s.paint(s.any_ground(s.height, s.wide))
    y = r.uniform(2, 20)
    while y < s.height - 14:
        pen = s.pen()
        single, fixed = r.random() < 0.3, r.random() < 0.4
        high = pen.size * r.uniform(1.4, 2.8)
        gap, pad = r.choice([r.uniform(0, 3), r.uniform(2, 14)]), pen.size * r.uniform(0.2, 1)
        radius, style = r.choice([0, 3, 6, high / 2, high / 2]), r.random()
        ground, color = colours(r)
        edge = between(ground, color, r.uniform(0.1, 0.7))
        small = s.pen(size=max(7, pen.size * 0.6))
        for _ in range(r.choice([1, 1, 2, 4])):
            x = r.uniform(2, 30)
            while x < s.wide and y < s.height - 8:
                text = r.choice("0123456789+-×÷=%" + CAPS + CAPS + "abcdefghijklmnop,.;/[]") if single else s.texts.line(r.choice([5, 9, 14]))
                wide = s.width(pen, text)
                if wide is None:
                    continue
                box = max(wide + 2 * pad, high * r.choice([1, 1.2]) if fixed else 0)
                icon = r.random() < 0.15
                box += pen.size * 1.4 if icon else 0
                own = color if style < 0.7 else s.ink
                s.box(x, y, box, high, radius, ground if style < 0.7 else None, edge if style > 0.5 else None, r.choice([1, 1, 2]), cuts=True)
                at = x + (box - wide) / 2 if not fixed or r.random() < 0.7 else x + pad
                if icon:
                    s.put_icon(x + pad + pen.size / 2, y + high / 2, pen.size * 1.1, own)
                    at = x + pad + pen.size * 1.4
                s.write(pen, text, at, y + high / 2 + pen.cap / 2, own)
                if single and high > 30 and r.random() < 0.2:
                    s.write(small, r.choice("0123456789!@#$%&"), x + box - small.size, y + small.cap + 3, own)
                if not icon and not single and r.random() < 0.1:
                    chevron(s, x + box - pen.size * 0.1, y + high / 2, pen.size * 0.3)
                x += box + gap
            y += high + max(1, gap)
        y += r.uniform(2, 16)


def toolbars(s: Scene) -> None:
    """Icons in bars, ribbons and grids: alone, beside labels, above labels."""
    r = s.r
    if r.random() < 0.12:
        s.paint(s.any_ground(s.height, s.wide))
    coloured = r.choice([None, True, False])
    y = r.uniform(2, 20)
    while y < s.height:
        pen = s.pen()
        size = max(9.0, pen.size * r.uniform(0.8, 2.6))
        row = max(size, pen.size) * r.uniform(1.1, 1.8)
        gap = r.choice([r.uniform(1, 6), r.uniform(3, size)])
        shares = r.choice([0, 0, 0.3, 0.8, 1])
        below = r.random() < 0.25
        x = r.uniform(0, 20)
        while x < s.wide:
            k = r.random()
            if k < 0.86:
                s.put_icon(x + size / 2, y + row / 2, size, fitting(r, s.ground) if r.random() < 0.25 else s.ink, coloured)
                if r.random() < 0.25:
                    badge(s, x + size, y + row / 2 - size / 2, size)
            elif k < 0.93:
                mark(s, x + size / 2, y + row / 2, size)
            else:
                s.fill(x + size / 2, y + 2, 1, row - 4, between(s.ground, s.ink, 0.3))
            wide = size
            if r.random() < shares:
                text = s.texts.line(r.choice([6, 12, 24]))
                long = s.width(pen, text) or 0
                if below and (text := s.fitted(pen, text, 3.5 * size)):
                    long = s.width(pen, text) or 0
                    s.write(pen, text, x, y + row + pen.cap * 1.2)
                    s.put_icon(x + long / 2, y + row / 2, size)
                    wide = max(size, long + pen.size * 0.4)
                elif long:
                    s.write(pen, text, x + size + pen.size * r.uniform(0.15, 0.7), y + row / 2 + pen.cap / 2)
                    wide = size + long + pen.size * r.uniform(0.8, 2)
            x += wide + gap
        y += row + (2.4 * pen.cap if below else 0) + r.uniform(0, 8)


def badge(s: Scene, x: float, y: float, size: float) -> None:
    """A count at the corner of an icon, which it covers in part."""
    r = s.r
    pen = s.pen(size=min(max(size * r.uniform(0.35, 0.7), 8), 16))
    text = str(r.choice([r.randint(1, 9), r.randint(1, 99), r.randint(1, 999)])) + "+" * (r.random() < 0.1)
    wide = s.width(pen, text)
    if wide is None:
        return
    fill, color = colours(r)
    high = pen.cap * r.uniform(1.4, 2.2)
    long = max(high, wide + pen.cap * r.uniform(0.4, 1))
    x, y = x - long * r.uniform(0.3, 0.7), y + high * r.uniform(0, 0.5)
    s.box(x, y - high / 2, long, high, r.choice([high / 2, high / 2, 2, 3]), fill)
    s.write(pen, text, x + (long - wide) / 2, y + pen.cap / 2, color)


def small(s: Scene) -> None:
    """Short texts alone: initials, badges, numbers in cells; check boxes, dots, chevrons and icons between them."""
    r = s.r
    pens = [s.pen() for _ in range(3)]
    y = r.uniform(4, 20)
    while y < s.height:
        pen = r.choice(pens)
        row = pen.size * r.uniform(1.3, 3.2)
        x, mid = r.uniform(2, 30), y + row / 2
        while x < s.wide:
            k = r.random()
            size = pen.size * r.uniform(0.7, 2)
            if k < 0.5:
                text = s.short()
                wide = s.width(pen, text)
                if wide is None:
                    continue
                color = s.ink
                if r.random() < 0.6:
                    fill, color = colours(r)
                    high = pen.cap * r.uniform(1.5, 3)
                    long = max(high, wide + pen.cap * r.uniform(0.4, 1.2))
                    s.box(x - (long - wide) / 2, mid - high / 2, long, high, r.choice([high / 2, high / 2, 3]), fill)
                s.write(pen, text, x, mid + pen.cap / 2, color)
                x += wide
            elif k < 0.7:
                mark(s, x + size / 2, mid, size)
                x += size
            elif k < 0.8:
                chevron(s, x + size / 2, mid, size * 0.8)
                x += size
            elif k < 0.95:
                s.put_icon(x + size / 2, mid, size, fitting(r, s.ground) if r.random() < 0.3 else None)
                if r.random() < 0.4:
                    badge(s, x + size, mid - size / 2, size)
                x += size
            else:
                s.fill(x, mid, size * r.uniform(0.5, 4), r.choice([1, 2, 4, 8]), between(s.ground, s.ink, r.uniform(0.15, 0.9)))
                x += size * 4
            x += pen.size * r.uniform(0.8, 4)
        y += row


def breadcrumbs(s: Scene) -> None:
    """Paths with separators and tool bars whose gaps are like their words; menu bars; tabs."""
    r = s.r
    y = r.uniform(4, 20)
    while y < s.height:
        pen = s.pen()
        row = pen.size * r.uniform(1.4, 2.6)
        base = y + row / 2 + pen.cap / 2
        x = r.uniform(2, 20)
        kind = r.choice(["chevron", "sign", "menu", "tabs", "tight"])
        gap = pen.size * (r.uniform(1.25, 2.4) if kind == "menu" else r.uniform(0.35, 1.2))
        while x < s.wide:
            text = s.texts.piece("en")[: r.choice([8, 14, 20])].strip()
            end = s.write(pen, text, x, base) if text else None
            if end is None:
                continue
            x = end + gap
            if kind == "chevron":
                chevron(s, x, y + row / 2, pen.size * r.uniform(0.35, 0.6))
                s.cut(x, y, y + row)
                x += gap
            elif kind == "sign":
                x = (s.write(pen, r.choice("/›>»·|•"), x, base, between(s.ground, s.ink, 0.6)) or x) + gap
            elif kind == "tabs":
                s.upright(x, y, y + row, between(s.ground, s.ink, r.uniform(0.1, 0.6)))
                if r.random() < 0.4:
                    s.fill(x + 2, y + row - 2, 60, 2, fitting(r, s.ground))
                x += gap
        if r.random() < 0.5:
            s.fill(0, y + row, s.wide, 1, between(s.ground, s.ink, 0.2))
        y += row + r.choice([0, r.uniform(2, 20)])


def busy(s: Scene) -> None:
    """Waveforms, charts, spectra, grids and codes, with bare text on and beside them."""
    r = s.r
    g = np.random.default_rng(r.getrandbits(32))
    for _ in range(r.randint(1, 4)):
        x0, y0 = r.randint(-30, s.wide - 60), r.randint(-20, s.height - 40)
        wide, high = r.randint(60, s.wide), r.randint(24, 220)
        if r.random() < 0.25:
            filled(s, x0, y0, x0 + wide, y0 + high)
            continue
        a, b = max(0, x0), min(s.wide, x0 + wide)
        c, d = max(0, y0), min(s.height, y0 + high)
        if b - a < 10 or d - c < 10:
            continue
        color = fitting(r, s.ground)
        pic = s.picture[c:d, a:b, :3]
        n, mid = b - a, (d - c) / 2
        k = r.random()
        rows = np.arange(d - c, dtype=np.float32)[:, None]
        if k < 0.45:  # a waveform: columns about the middle, or a line
            size = r.choice([8, 20, 60])
            loud = np.abs(np.convolve(g.standard_normal(n + size), np.ones(size) / size**0.5, "same")[:n])
            loud *= g.uniform(r.choice([0.1, 0.5]), 1, n) * mid * r.uniform(0.3, 0.8)
            if r.random() < 0.3:
                step = r.choice([2, 3, 4, 5])
                loud = np.repeat(loud[::step], step)[:n]
                loud[step - 1 :: step] = 0
            on = np.abs(rows - mid) <= loud[None]
            if r.random() < 0.3:
                inner = np.abs(rows - mid) <= loud[None] * 0.5
                pic[inner] = between(color, s.ground, 0.5)
                on &= ~inner
            pic[on] = color
        elif k < 0.55:  # a spectrum
            field = cv2.GaussianBlur(g.standard_normal((d - c, n)).astype(np.float32), (0, 0), r.uniform(0.6, 3), sigmaY=r.uniform(0.6, 8))
            field = np.clip(field / (np.abs(field).max() + 1e-6) * 2, 0, 1)[:, :, None]
            pic[:] = (pic + (np.array(color) - pic) * field).astype(np.uint8)
        elif k < 0.7:  # lines
            whole = np.ascontiguousarray(pic)
            for _ in range(r.randint(1, 4)):
                step = r.choice([1, 2, 8, 20])
                ys = mid + np.cumsum(g.normal(0, r.uniform(0.5, 4), n))
                cv2.polylines(whole, [np.stack([np.arange(n)[::step], ys[::step]], 1).astype(np.int32)], False, tuple(int(v) for v in fitting(r, s.ground)), r.choice([1, 2]), cv2.LINE_AA)
            pic[:] = whole
        elif k < 0.85:  # bars
            step = r.randint(3, 30)
            tall = np.repeat(g.uniform(0, d - c, n // step + 1), step)[:n]
            tall[int(step * 0.7) :: step] = 0
            pic[rows >= d - c - tall[None]] = color
        else:  # a raster
            cell = r.choice([2, 3, 4, 6])
            on = cv2.resize((g.random(((d - c) // cell + 1, n // cell + 1)) < 0.5).astype(np.uint8), None, fx=cell, fy=cell, interpolation=cv2.INTER_NEAREST)[: d - c, :n]
            pic[on > 0] = color
        s.area(a, c, b, d, PICTURE)
    taken: list = []
    for _ in range(r.randint(4, 22)):
        pen = s.title_pen() if r.random() < 0.06 else s.pen()
        text = s.texts.line(r.choice([6, 14, 30])) if r.random() < 0.8 else s.short()
        wide = s.width(pen, text)
        if wide is None or wide > s.wide - 6:
            continue
        x, y = r.uniform(2, s.wide - wide - 2), r.uniform(pen.cap + 4, s.height - 4)
        place = (x - 5, y - 1.3 * pen.cap, x + wide + 5, y + 0.5 * pen.cap)
        if not free(taken, *place):
            continue
        ground = s.under(*place) @ np.array([0.299, 0.587, 0.114], np.float32)
        color = s.ink
        if ground.std() > 12:
            low, top = np.percentile(ground, [8, 92])
            if r.random() < 0.25:
                s.box(*place[:2], place[2] - place[0], place[3] - place[1], 0, s.ground)
            elif top < 165 or low > 100:
                color = [255, 255, 255] if top < 165 else [0, 0, 0]
            else:
                s.shade = s.any_shade(True)
                color = [255, 255, 255] if r.random() < 0.7 else [0, 0, 0]
        elif abs(ground.mean() - luminance(color)) < 60:
            color = [0, 0, 0] if ground.mean() > 128 else [255, 255, 255]
        taken.append(place)
        s.write(pen, text, x, y, color)
        s.shade = None
    for _ in range(r.randint(0, 8)):
        x, y, size = r.uniform(0, s.wide), r.uniform(0, s.height), r.uniform(10, 60)
        if free(taken, x - size / 2, y - size / 2, x + size / 2, y + size / 2):
            s.put_icon(x, y, size, fitting(r, s.ground))


def chart(s: Scene) -> None:
    """Axes with ticks and numbers, a grid, a title, a legend, a text on its side."""
    r = s.r
    y = 0.0
    while y < s.height - 60:
        pen, wide, high = s.pen(), r.uniform(0.5, 1) * s.wide, r.uniform(90, 300)
        left, bottom = 6 * pen.size, y + high
        faint = between(s.ground, s.ink, r.uniform(0.1, 0.4))
        count = r.randint(3, 8)
        number = r.choice([s.texts.share, lambda: str(r.randint(0, 500)), s.texts.size])
        for n in range(count):
            at = y + 2 * pen.size + (high - 2 * pen.size) * n / (count - 1)
            s.fill(left, round(at), wide, 1, faint)
            text = s.fitted(pen, number(), left - 10)
            if text:
                s.write(pen, text, left - 6 - (s.width(pen, text) or 0), at + pen.cap / 2)
        steps = r.randint(3, 9)
        for n in range(steps):
            at = left + wide * (n + 0.5) / steps
            text = s.fitted(pen, r.choice([s.texts.word, s.texts.date, lambda: str(1990 + n)])(), 0.85 * wide / steps)
            if text:
                s.write(pen, text, at - (s.width(pen, text) or 0) / 2, bottom + 1.6 * pen.cap)
            if r.random() < 0.5:
                tall = r.random() * (high - 2 * pen.size)
                s.box(at - 0.2 * wide / steps, bottom - tall, 0.4 * wide / steps, tall, 0, fitting(r, s.ground))
        if r.random() < 0.4:
            filled(s, left, y + 2 * pen.size, left + wide, bottom)
        xs = np.linspace(left, left + wide, r.randint(4, 40))
        s.stroke([(x, bottom - (high - 2 * pen.size) * r.random()) for x in xs], fitting(r, s.ground), r.choice([1, 1.5, 2]))
        s.area(left, y + 2 * pen.size, left + wide, bottom, PICTURE)
        s.write(pen, s.texts.line(30), left + r.uniform(0, 60), y + pen.size)
        if r.random() < 0.6:
            s.sideways(pen, s.texts.line(20), pen.size * 1.2, y + high * 0.6)
        x = left
        for _ in range(r.choice([0, 2, 3])):
            s.box(x, bottom + 2.4 * pen.size, pen.cap, pen.cap, r.choice([0, pen.cap / 2]), fitting(r, s.ground))
            x = (s.write(pen, s.texts.word(), x + 1.5 * pen.cap, bottom + 2.4 * pen.size + pen.cap) or x) + 2 * pen.size
        y = bottom + r.uniform(3, 6) * pen.size


def street_map(s: Scene) -> None:
    """Areas, streets and labels with halos; some labels follow a street and are no rows."""
    r = s.r
    s.ground, s.ink = ([r.randint(225, 245)] * 3, [r.randint(20, 90)] * 3) if r.random() < 0.7 else ([r.randint(25, 50)] * 3, [r.randint(190, 240)] * 3)
    s.canvas.clear(skia_color(s.ground))
    for _ in range(r.randint(3, 10)):
        x, y = r.uniform(0, s.wide), r.uniform(0, s.height)
        path = [(x + r.uniform(-150, 150), y + r.uniform(-150, 150)) for _ in range(5)]
        builder = skia.PathBuilder() if hasattr(skia, "PathBuilder") else skia.Path()
        builder.moveTo(*path[0])
        for p in path[1:]:
            builder.lineTo(*p)
        tint = between(s.ground, r.choice([[170, 211, 223], [180, 220, 160], [240, 200, 150], s.ink]), r.uniform(0.2, 0.8))
        s.canvas.drawPath(builder if isinstance(builder, skia.Path) else builder.detach(), skia.Paint(AntiAlias=True, Color=skia_color(tint)))
    for _ in range(r.randint(6, 26)):
        x, y, a = r.uniform(0, s.wide), r.uniform(0, s.height), r.uniform(0, math.pi)
        dx, dy, thick = 400 * math.cos(a), 400 * math.sin(a), r.choice([1, 2, 4, 7])
        edge, road = between(s.ground, s.ink, 0.3), r.choice([[255, 255, 255], [250, 220, 120], between(s.ground, s.ink, 0.15)])
        s.stroke([(x - dx, y - dy), (x, y + r.uniform(-20, 20)), (x + dx, y + dy)], edge, thick + 2)
        s.stroke([(x - dx, y - dy), (x, y), (x + dx, y + dy)], road, thick)
    s.area(0, 0, s.wide, s.height, PICTURE)
    taken: list = []
    light = luminance(s.ink) > 128
    for _ in range(r.randint(6, 30)):
        pen = s.pen()
        text = s.texts.piece("en")[:24].strip() if r.random() < 0.8 else s.short()
        wide = s.width(pen, text)
        if not wide or wide > s.wide:
            continue
        x, y = r.uniform(0, s.wide - wide), r.uniform(pen.cap, s.height)
        if not free(taken, x, y - 1.2 * pen.cap, x + wide, y + 0.4 * pen.cap, 6):
            continue
        taken.append((x, y - 1.2 * pen.cap, x + wide, y + 0.4 * pen.cap))
        s.shade = ("outline", r.choice([1, 2, 2]), 1, 0, 0)
        color = s.ink if r.random() < 0.6 else between(r.choice([[40, 60, 160], [120, 60, 30], [30, 100, 50]]), [255] * 3 if light else [0] * 3, 0.6 if light else 0.1)
        if r.random() < 0.25 and y > 3 * pen.cap:
            s.put_icon(x + wide / 2, y - 2.2 * pen.cap, pen.size * 1.2, color)
        s.write(pen, text, x, y, color)
        s.shade = None


def codes(s: Scene) -> None:
    """QR codes and bar codes with a caption."""
    r = s.r
    g = np.random.default_rng(r.getrandbits(32))
    x = 8.0
    while x < s.wide - 60:
        pen = s.pen()
        cell, n = r.choice([2, 3, 4, 5, 7]), r.choice([21, 25, 29, 33, 41])
        side = cell * n
        y = r.uniform(4, max(5, s.height - side - 60))
        if r.random() < 0.7:
            on = (g.random((n, n)) < 0.5).astype(np.uint8)
            for a, b in ((0, 0), (0, n - 7), (n - 7, 0)):
                on[a : a + 7, b : b + 7] = 1
                on[a + 1 : a + 6, b + 1 : b + 6] = 0
                on[a + 2 : a + 5, b + 2 : b + 5] = 1
        else:
            on = np.repeat((g.random((1, n)) < 0.5).astype(np.uint8), n // 2, 0)
        on = cv2.resize(on, None, fx=cell, fy=cell, interpolation=cv2.INTER_NEAREST)
        x0, y0 = int(x), int(y)
        on = on[: s.height - y0, : s.wide - x0]
        dark, light = ([0, 0, 0], [255, 255, 255]) if r.random() < 0.8 else (s.ink, s.ground)
        s.box(x0 - 2 * cell, y0 - 2 * cell, on.shape[1] + 4 * cell, on.shape[0] + 4 * cell, r.choice([0, 6]), light)
        part = s.picture[y0 : y0 + on.shape[0], x0 : x0 + on.shape[1], :3]
        part[:] = np.where(on[:, :, None] > 0, dark, light)
        s.area(x0, y0, x0 + on.shape[1], y0 + on.shape[0], PICTURE)
        text = s.fitted(pen, s.texts.line(30), max(40, side))
        below = y0 + on.shape[0] + 2 * cell
        if text:
            s.write(pen, text, x0, below + pen.cap * r.uniform(1.3, 2))
            if r.random() < 0.5 and (text := s.fitted(pen, s.texts.line(30), max(40, side))):
                s.write(pen, text, x0, below + pen.cap * 1.3 + 1.7 * pen.size)
        x += side + r.uniform(3, 8) * cell + 20


def frames(s: Scene) -> None:
    """Dotted frames, group boxes with a caption in the edge, tooltips, boxes side by side."""
    r = s.r
    y = r.uniform(4, 20)
    while y < s.height - 20:
        high, x = r.uniform(24, 180), r.uniform(2, 20)
        while x < s.wide - 40:
            pen = s.pen()
            wide = r.uniform(60, 320)
            ground = s.ground if r.random() < 0.6 else colours(r)[0]
            ink = fitting(r, ground)
            line = between(ground, ink, r.uniform(0.2, 1))
            s.box(x, y, wide, high, r.choice([0, 0, 4, 8]), ground)
            if r.random() < 0.6:
                s.dotted(x, y, x + wide, y + high, line)
            else:
                s.box(x, y, wide, high, r.choice([0, 4]), None, line, r.choice([1, 1, 2, 3]))
            s.cut(x, y, y + high)
            s.cut(x + wide, y, y + high)
            at = y + pen.size * r.uniform(0.8, 1.6)
            if r.random() < 0.4 and (text := s.fitted(pen, s.texts.line(16), wide - 30)):
                s.fill(x + 8, y - 3, (s.width(pen, text) or 0) + 8, 6, ground)
                s.write(pen, text, x + 12, y + pen.cap / 2, ink)
                at = y + 2.2 * pen.size
            while at < y + high - pen.cap:
                if text := s.fitted(pen, s.texts.line(50), wide - 16):
                    s.write(pen, text, x + 8, at + pen.cap / 2, ink)
                at += pen.size * r.uniform(1.2, 2)
            x += wide + r.choice([r.uniform(2, 8), r.uniform(4, 40)])
        y += high + r.uniform(10, 30)


def negative(s: Scene) -> None:
    """Nothing to read: pictures, patterns, icons, text on its side."""
    r = s.r
    if r.random() < 0.7:
        s.paint(s.any_ground(s.height, s.wide))
    for _ in range(r.choice([0, 0, 10, 40])):
        s.put_icon(r.uniform(0, s.wide), r.uniform(0, s.height), r.uniform(9, 90), fitting(r, s.ground))
    for _ in range(r.choice([0, 0, 8])):
        s.sideways(s.pen(), s.texts.line(30), r.uniform(0, s.wide), r.uniform(0, s.height))
    for _ in range(r.choice([0, 10, 30])):
        x, y, size = r.uniform(0, s.wide), r.uniform(0, s.height), r.uniform(8, 60)
        r.choice([mark, chevron, lambda s, x, y, size: s.icon(x, y, size), lambda s, x, y, size: s.dotted(x, y, x + 3 * size, y + size, s.ink)])(s, x, y, size)


# How often each layout is drawn.
KINDS = {
    page: 3.0, table: 1.5, terminal: 2.0, editor: 1.2, labels_on_picture: 1.8, subtitles: 0.6, titles: 1.1, chips: 1.4, toolbars: 2.0,
    small: 3.0, breadcrumbs: 0.9, busy: 1.8, chart: 0.6, street_map: 0.4, codes: 0.4, frames: 0.7, negative: 0.9,
}


def scene(s: Scene, height: int, width: int, kind=None) -> Drawn:
    """A scene of any kind, or of one."""
    while True:
        s.begin(height, width)
        try:
            (kind or s.r.choices(list(KINDS), list(KINDS.values()))[0])(s)
        except (ValueError, ZeroDivisionError, IndexError):  # a text or a place without room: another scene
            continue
        return s.done()
