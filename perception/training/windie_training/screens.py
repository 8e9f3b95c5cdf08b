"""Draws screens that look like those of programs, and knows each letter's place on them."""

import random
from dataclasses import dataclass

import cv2
import numpy as np
import skia

from . import charset
from .draw import How, Letter, Pen, skia_color
from .fonts import Fonts
from .texts import Texts

SIZES = [9, 10, 11, 11, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 14, 15, 15, 16, 16, 16, 18, 20, 22, 24, 28, 32]
SCALES = [1] * 12 + [1.25, 1.25, 1.5, 1.5, 2, 2]
CHROMA = [cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420] * 3 + [cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]  # most encoders halve it


@dataclass
class Text:
    """A text that was drawn: its letters in pixels of the picture, and where it stands."""

    letters: list[Letter]
    baseline: float
    capital: float
    faint: bool = False  # too faint to be read: it teaches nothing

    def scaled(self, sx: float, sy: float) -> "Text":
        letters = [Letter(l.char, l.x0 * sx, l.x1 * sx) for l in self.letters]
        return Text(letters, self.baseline * sy, self.capital * sy, self.faint)


class Painter:
    """Makes one screen after another."""

    def __init__(self, r: random.Random, fonts: Fonts, texts: Texts):
        self.r, self.fonts, self.texts = r, fonts, texts

    def screen(self) -> tuple[np.ndarray, list[Text]]:
        r = self.r
        self.how, self.scale = How.any(r), r.choice(SCALES)
        width, height = round(r.randint(360, 760) * self.scale**0.7), round(r.randint(200, 420) * self.scale**0.7)
        self.picture = np.empty((height, width, 4), np.uint8)
        info = skia.ImageInfo.Make(width, height, skia.kRGBA_8888_ColorType, skia.kPremul_AlphaType)
        geometry = skia.PixelGeometry.kRGB_H_PixelGeometry if self.how.lcd else skia.PixelGeometry.kUnknown_PixelGeometry
        surface = skia.Surface.MakeRasterDirect(info, self.picture, width * 4, skia.SurfaceProps(0, geometry))
        self.canvas = surface.getCanvas()
        self.ground, self.ink = colours(r)
        self.canvas.clear(skia_color(self.ground))
        self.written: list[Text] = []
        self.pens = [self.pen() for _ in range(r.randint(1, 3))]
        y = r.uniform(2, 14) * self.scale
        while y < height - 12:
            y = r.choices([self.row, self.table, self.paragraph, self.terminal], [6, 2, 1.5, 0.8])[0](y)
        del self.canvas, surface
        return self.worn()

    def pen(self, kind: str | None = None) -> Pen:
        size = self.r.choice(SIZES) * self.scale
        if self.r.random() < 0.15:
            size += self.r.random() - 0.5
        return Pen(self.r, self.fonts, self.fonts.pick(self.r, kind), size, self.how)

    def write(self, pen: Pen, text: str, x: float, baseline: float, color=None) -> float | None:
        """Draws a text, and returns where it ends; None if the font cannot, or a character has no class."""
        laid = pen.layout(text) if text and charset.known(text) else None
        if laid is None:
            return None
        glyphs, letters = laid
        if not self.how.subpixel or self.how.name == "freetype":
            x, baseline = round(x), round(baseline)
        pen.draw(self.picture, self.canvas, glyphs, x, baseline, self.ink if color is None else color)
        self.written.append(Text([Letter(l.char, l.x0 + x, l.x1 + x) for l in letters], baseline, pen.cap))
        return x + letters[-1].x1

    def width(self, pen: Pen, text: str) -> float | None:
        laid = pen.layout(text)
        return laid and laid[1][-1].x1

    def row(self, y: float) -> float:
        """Labels, buttons, fields and icons beside each other."""
        r = self.r
        pen = r.choice(self.pens) if r.random() < 0.7 else self.pen()
        high = pen.size * r.uniform(1.3, 2.4)
        baseline = y + high / 2 + pen.cap / 2
        x = r.uniform(3, 20)
        while x < self.picture.shape[1] - 3 * pen.size:
            text = self.texts.line(r.choice([12, 24, 40]))
            wide = self.width(pen, text)
            if wide is None:
                continue
            if x + wide > self.picture.shape[1] - 4 and x > 30:
                break
            end = r.choices([self.label, self.button, self.icon_label], [5, 2.5, 1])[0](pen, text, x, y, high, baseline, wide)
            x = end + pen.size * r.uniform(0.8, 4)
        if r.random() < 0.1:
            self.rule(y + high)
        return y + high + r.uniform(0, 6)

    def label(self, pen, text, x, y, high, baseline, wide) -> float:
        r = self.r
        color = None
        if r.random() < 0.25:
            color = fitting(r, self.ground)
        if r.random() < 0.05:
            self.fill(x, baseline + r.uniform(1, 0.2 * pen.size), wide, r.choice([1, 1, 2]), color or self.ink)
        end = self.write(pen, text, x, baseline, color)
        if r.random() < 0.02:
            self.fill(end + 1, baseline - pen.cap * 1.15, r.choice([1, 2]), pen.cap * 1.4, self.ink)
        return end

    def button(self, pen, text, x, y, high, baseline, wide) -> float:
        """A text on a ground of its own, or in a frame."""
        r = self.r
        pad = pen.size * r.uniform(0.25, 1.0)
        box = skia.Rect.MakeLTRB(x, y + r.uniform(0, 0.15) * high, x + wide + 2 * pad, y + high * r.uniform(0.88, 1.0))
        radius = r.choice([0, 2, 3, 4, 6, high / 2])
        paint = skia.Paint(AntiAlias=True)
        color = self.ink
        if r.random() < 0.65:
            ground, color = colours(r)
            paint.setColor(skia_color(ground))
            if r.random() < 0.2:
                other = [min(255, max(0, v + r.randint(-35, 35))) for v in ground]
                ends = [skia.Point(0, box.top()), skia.Point(0, box.bottom())]
                paint.setShader(skia.GradientShader.MakeLinear(ends, [skia_color(ground), skia_color(other)]))
            self.canvas.drawRoundRect(box, radius, radius, paint)
        if r.random() < 0.5:
            frame = skia.Paint(AntiAlias=True, Style=skia.Paint.kStroke_Style, StrokeWidth=r.choice([1, 1, 1, 2]), Color=skia_color(between(self.ground, self.ink, r.uniform(0.15, 1))))
            self.canvas.drawRoundRect(box, radius, radius, frame)
        self.write(pen, text, x + pad, baseline, color)
        return x + wide + 2 * pad

    def icon_label(self, pen, text, x, y, high, baseline, wide) -> float:
        size = pen.size * self.r.uniform(0.6, 1.3)
        gap = pen.size * self.r.uniform(0.15, 0.8)
        self.icon(x + size / 2, baseline - pen.cap / 2, size)
        end = self.label(pen, text, x + size + gap, y, high, baseline, wide)
        if self.r.random() < 0.2:
            self.icon(end + gap + size / 2, baseline - pen.cap / 2, size)
            return end + gap + size
        return end

    def table(self, y: float) -> float:
        """Rows of one font below each other, as menus and tables have them."""
        r = self.r
        pen = r.choice(self.pens)
        high = pen.size * r.uniform(1.15, 2)
        columns = sorted(r.uniform(4, 0.8 * self.picture.shape[1]) for _ in range(r.choice([1, 1, 2, 3])))
        lined = r.random() < 0.2
        for _ in range(r.randint(2, 6)):
            end = 0.0
            for x in columns:
                text = self.texts.line(r.choice([8, 16, 40]))
                if x > end + pen.size:
                    end = self.write(pen, text, x, y + high / 2 + pen.cap / 2) or end
            y += high
            if lined:
                self.rule(y)
            if y > self.picture.shape[0]:
                break
        return y + r.uniform(0, 10)

    def paragraph(self, y: float) -> float:
        r = self.r
        pen = r.choice(self.pens)
        high = pen.size * r.uniform(1.1, 1.6)
        x = r.uniform(4, 60)
        for _ in range(r.randint(1, 4)):
            y += high
            text, lang = "", r.choice(["en", "en", self.texts.language("latin"), self.texts.language("cyrillic"), self.texts.language("greek")])
            while len(text) < r.randint(30, 80):
                text = (text + " " + self.texts.piece(lang)).strip()
            self.write(pen, text, x, y)
        return y + r.uniform(4, 14)

    def terminal(self, y: float) -> float:
        """Lines of a typeface of one width, as terminals and editors show."""
        r = self.r
        if r.random() < 0.25:
            pen = Pen(r, self.fonts, self.fonts.pick_bitmap(r), 0, self.how)
        else:
            pen = self.pen("mono")
            pen.tracking = 0
        high = round(pen.high * r.uniform(1.0, 1.5))
        x = r.uniform(2, 30)
        number = r.randint(1, 200) if r.random() < 0.3 else 0  # of the first line, as editors show it; 0: none
        faint = between(self.ground, self.ink, r.uniform(0.3, 0.8))
        if number:
            x += 5 * pen.size
        for _ in range(r.randint(2, 6)):
            y += high
            if number:
                wide = self.width(pen, str(number)) or 0
                self.write(pen, str(number), x - wide - pen.size * r.uniform(1.2, 1.6), y, faint)
                number += 1
            text = r.choice([lambda: self.texts.piece("code"), self.texts.name, self.texts.mixed, lambda: self.texts.line(60), self.texts.serial])()
            color = fitting(r, self.ground) if r.random() < 0.4 else None
            self.write(pen, text, x, y, color)
        return y + r.uniform(4, 14)

    def rule(self, y: float) -> None:
        self.fill(self.r.choice([0, 4, 12]), y, self.picture.shape[1], 1, between(self.ground, self.ink, self.r.uniform(0.1, 0.5)))

    def fill(self, x, y, width, height, color) -> None:
        self.canvas.drawRect(skia.Rect.MakeXYWH(x, y, width, height), skia.Paint(AntiAlias=True, Color=skia_color(color)))

    def icon(self, x: float, y: float, size: float) -> None:
        """Something that is no letter."""
        r = self.r
        color = fitting(r, self.ground) if r.random() < 0.4 else self.ink
        paint = skia.Paint(AntiAlias=True, Color=skia_color(color), StrokeWidth=r.choice([1, 1.5, 2, 2]) * max(1, size / 16))
        paint.setStyle(r.choice([skia.Paint.kFill_Style, skia.Paint.kStroke_Style]))
        h = size / 2
        k = r.random()
        if k < 0.2:
            self.canvas.drawCircle(x, y, h, paint)
        elif k < 0.4:
            self.canvas.drawRoundRect(skia.Rect.MakeXYWH(x - h, y - h, size, size * r.uniform(0.7, 1)), h / 4, h / 4, paint)
        else:
            paint.setStyle(skia.Paint.kStroke_Style)
            path = skia.Path() if not hasattr(skia, "PathBuilder") else skia.PathBuilder()
            path.moveTo(x + r.uniform(-h, h), y + r.uniform(-h, h))
            for _ in range(r.randint(2, 6)):
                path.lineTo(x + r.uniform(-h, h), y + r.uniform(-h, h))
            self.canvas.drawPath(path if isinstance(path, skia.Path) else path.detach(), paint)
            if r.random() < 0.4:
                self.canvas.drawCircle(x, y, h * 0.6, paint)

    def worn(self) -> tuple[np.ndarray, list[Text]]:
        """The picture as it arrives: scaled by a viewer, packed as JPEG, with noise, or as it was."""
        r = self.r
        if r.random() < 0.15:
            self.resize(r.choice([r.uniform(0.75, 1.4), r.uniform(0.82, 0.98)]))
        picture, k = self.picture, r.random()
        if k < 0.2:
            quality = [cv2.IMWRITE_JPEG_QUALITY, r.randint(55, 92), cv2.IMWRITE_JPEG_SAMPLING_FACTOR, r.choice(CHROMA)]
            picture = np.dstack([cv2.imdecode(cv2.imencode(".jpg", picture[:, :, :3], quality)[1], 1), picture[:, :, 3]])
        elif k < 0.22:
            noise = np.random.default_rng(r.getrandbits(32)).normal(0, r.uniform(1, 6), picture.shape)
            picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
        elif k < 0.25:
            tilt = np.linspace(0, r.uniform(-40, 40), picture.shape[0])[:, None, None]
            picture = np.clip(picture + tilt, 0, 255).astype(np.uint8)
        picture[:, :, 3] = 255
        return picture, self.written

    def resize(self, by: float) -> None:
        """Scales the picture as a viewer does, and what was written on it."""
        way = self.r.choice([cv2.INTER_LINEAR, cv2.INTER_AREA, cv2.INTER_CUBIC, cv2.INTER_LANCZOS4])
        picture = cv2.resize(self.picture, None, fx=by, fy=by, interpolation=way)
        sx, sy = picture.shape[1] / self.picture.shape[1], picture.shape[0] / self.picture.shape[0]
        self.written = [t.scaled(sx, sy) for t in self.written]
        self.picture = picture


def luminance(c) -> float:
    return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]


def near(r: random.Random, v: int, by: int) -> list[int]:
    return [min(255, max(0, v + r.randint(-by, by))) for _ in range(3)]


def colours(r: random.Random) -> tuple[list[int], list[int]]:
    """A ground and an ink on it: light, dark, or any."""
    while True:
        k = r.random()
        if k < 0.4:
            ground = [r.randint(236, 255)] * 3
        elif k < 0.7:
            ground = near(r, r.randint(8, 60), 12)
        else:
            ground = [r.randint(0, 255) for _ in range(3)]
        ink = fitting(r, ground)
        if abs(luminance(ground) - luminance(ink)) > r.choice([45, 60, 90]):
            return ground, ink


def fitting(r: random.Random, ground) -> list[int]:
    """An ink that can be seen on the ground."""
    for _ in range(50):
        k = r.random()
        if k < 0.5:
            ink = near(r, r.randint(0, 90) if luminance(ground) > 128 else r.randint(170, 255), 10)
        elif k < 0.7:
            ink = near(r, r.randint(90, 190), 12)
        else:
            ink = [r.randint(0, 255) for _ in range(3)]
        if abs(luminance(ground) - luminance(ink)) > 45:
            return ink
    return [0, 0, 0] if luminance(ground) > 128 else [255, 255, 255]


def between(a, b, part: float) -> list[int]:
    return [round(x + (y - x) * part) for x, y in zip(a, b)]
