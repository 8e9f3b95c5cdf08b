"""Draws text as toolkits do: with Skia, which browsers use, or with FreeType alone."""

import functools
import math
import random
from dataclasses import dataclass

import freetype
import numpy as np
import skia
import uharfbuzz

from .charset import CJK, unread
from .fonts import Fonts, Style

HINTING = (skia.FontHinting.kNone, skia.FontHinting.kSlight, skia.FontHinting.kNormal, skia.FontHinting.kFull)
# How FreeType loads glyphs, by name: all hintings that desktops offer.
LOADS = {
    "none": freetype.FT_LOAD_NO_HINTING,
    "light": freetype.FT_LOAD_TARGET_LIGHT,
    "auto": freetype.FT_LOAD_FORCE_AUTOHINT,
    "full": freetype.FT_LOAD_TARGET_NORMAL,
    "mono": freetype.FT_LOAD_TARGET_MONO,
}


@dataclass
class Letter:
    """A character that was drawn, and from where to where on the line."""

    char: str
    x0: float
    x1: float


@dataclass
class Glyph:
    file: str
    id: int
    x: float


def skia_color(rgb) -> int:
    return skia.Color(*(int(v) for v in rgb))


@functools.lru_cache(1024)
def typeface(file: str) -> skia.Typeface:
    return skia.Typeface.MakeFromFile(file)


@functools.lru_cache(512)
def shaper(file: str) -> uharfbuzz.Font:
    return uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(file)))


@functools.lru_cache(512)
def face(file: str) -> freetype.Face:
    return freetype.Face(file)


class Pen:
    """One font at one size with one way of drawing. `draw` puts a text on a picture of 8-bit RGBA."""

    def __init__(self, r: random.Random, fonts: Fonts, style: Style, size: float, how: "How"):
        self.r, self.fonts, self.style, self.size, self.how = r, fonts, style, size, how
        self.bitmap = style.kind == "bitmap"
        if self.bitmap:
            self.how = How("freetype", 0, 0, False, False, 1.0)
            self.size = r.randrange(len(face(style.files[0]).available_sizes))  # the number of the strike
        self.bold = r.random() < 0.02
        self.tracking = r.uniform(-0.02, 0.12) * size if r.random() < 0.08 else 0.0
        self.shaped = how.subpixel and r.random() < 0.8
        self.cap = self._cap()
        self.high = size
        if self.bitmap:
            self.tracking, self.high = 0.0, face(style.files[0]).available_sizes[self.size].height

    def _cap(self) -> float:
        """How high a capital is."""
        file = self.style.files[0]
        if self.bitmap:
            image = bitmap(file, self.size, face(file).get_char_index("H"), 0, False)[0]
            return float(image.any(axis=(1, 2)).sum())
        metrics = self.skia_font(file).getMetrics()
        return metrics.fCapHeight if metrics.fCapHeight > 0 else 0.7 * self.size

    def skia_font(self, file: str) -> skia.Font:
        font = skia.Font(typeface(file), self.size)
        font.setHinting(HINTING[self.how.hinting])
        font.setSubpixel(self.how.subpixel)
        font.setEdging(skia.Font.Edging.kSubpixelAntiAlias if self.how.lcd else skia.Font.Edging.kAntiAlias)
        font.setEmbolden(self.bold)
        return font

    def layout(self, text: str) -> tuple[list[Glyph], list[Letter]] | None:
        """Where each glyph and each letter stands, from 0; None if the text cannot be drawn."""
        runs = self.fonts.runs(self.style, text)
        if runs is None:
            return None
        glyphs: list[Glyph] = []
        letters: list[Letter] = []
        x = 0.0
        for piece, file in runs:
            shaped = any(unread(c) not in ("", CJK) for c in piece)
            if self.how.name == "freetype" and not shaped:
                x = self._by_freetype(piece, file, x, glyphs, letters)
            elif self.shaped or shaped:
                x = self._by_harfbuzz(piece, file, x, glyphs, letters)
            else:
                x = self._by_skia(piece, file, x, glyphs, letters)
        return glyphs, letters

    def _by_harfbuzz(self, text, file, x, glyphs, letters) -> float:
        """With kerning and ligatures. A ligature's letters share its width."""
        buffer = uharfbuzz.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        font = shaper(file)
        uharfbuzz.shape(font, buffer)
        scale = self.size / font.scale[0]
        infos, positions = buffer.glyph_infos, buffer.glyph_positions
        starts = sorted({i.cluster for i in infos}) + [len(text)]
        width = dict.fromkeys(starts, 0.0)
        at = {}
        for info, position in zip(infos, positions):
            at.setdefault(info.cluster, x)
            glyphs.append(Glyph(file, info.codepoint, x + position.x_offset * scale))
            step = position.x_advance * scale
            x += step
            width[info.cluster] += step
        for start, end in zip(starts, starts[1:]):
            part = width[start] / (end - start)
            for i in range(start, end):
                letters.append(Letter(text[i], at[start] + part * (i - start), at[start] + part * (i - start + 1)))
        if buffer.direction == "rtl":
            letters[-len(text) :] = sorted(letters[-len(text) :], key=lambda l: l.x0)
        return x

    def _by_skia(self, text, file, x, glyphs, letters) -> float:
        font = self.skia_font(file)
        ids = font.textToGlyphs(text)
        for char, glyph, step in zip(text, ids, font.getWidths(ids)):
            glyphs.append(Glyph(file, glyph, x))
            letters.append(Letter(char, x, x + step))
            x += step + self.tracking
            if not self.how.subpixel:
                x = round(x)
        return x

    def _by_freetype(self, text, file, x, glyphs, letters) -> float:
        for char in text:
            glyph = face(file).get_char_index(char)
            step = bitmap(file, self.size, glyph, self.how.load, False)[3] + self.tracking
            glyphs.append(Glyph(file, glyph, x))
            letters.append(Letter(char, x, x + step))
            x += step
            if not self.fractions:
                x = round(x)
        return x

    @property
    def fractions(self) -> bool:
        """Whether FreeType places glyphs between pixels, as GTK 4 does without hinting across."""
        return self.how.subpixel and self.how.load in (LOADS["none"], LOADS["light"])

    def draw(self, picture: np.ndarray, canvas: skia.Canvas, glyphs: list[Glyph], x: float, y: float, color) -> None:
        if self.how.name == "freetype":
            for g in glyphs:
                quarters = math.floor((x + g.x) * 4 + 0.5) if self.fractions else 4 * round(x + g.x)
                image, left, top, _ = bitmap(g.file, self.size, g.id, self.how.load, self.how.lcd, quarters % 4)
                blend(picture, image, quarters // 4 + left, round(y) - top, color, self.how.gamma)
            return
        paint = skia.Paint(AntiAlias=True, Color=skia_color(color))
        for file in {g.file for g in glyphs}:
            own = [g for g in glyphs if g.file == file]
            builder = skia.TextBlobBuilder()
            builder.allocRunPosH(self.skia_font(file), [g.id for g in own], [g.x for g in own], 0)
            canvas.drawTextBlob(builder.make(), x, y, paint)


@dataclass
class How:
    """What a desktop draws all its text with."""

    name: str  # "skia" or "freetype"
    hinting: int
    load: int
    lcd: bool
    subpixel: bool
    gamma: float

    @staticmethod
    def any(r: random.Random) -> "How":
        name = "skia" if r.random() < 0.6 else "freetype"
        load = r.choices(list(LOADS.values()), [3, 4, 2, 4, 0.7])[0]
        lcd = r.random() < 0.25 and load != LOADS["mono"]
        return How(name, r.randrange(4), load, lcd, r.random() < 0.6, r.choice([0.8, 1.0, 1.0, 1.2, 1.4, 1.8]))


IDENTITY = freetype.Matrix(0x10000, 0, 0, 0x10000)


def _strike(f: freetype.Face, number: int, glyph: int) -> tuple[np.ndarray, int, int, float]:
    """A glyph of a typeface of pixels."""
    f.select_size(number)
    f.load_glyph(glyph, freetype.FT_LOAD_DEFAULT)
    b = f.glyph.bitmap
    step = f.glyph.advance.x / 64
    if b.rows == 0 or b.width == 0:
        return np.zeros((0, 0, 1), np.float32), 0, 0, step
    data = np.array(b.buffer, np.uint8).reshape(b.rows, b.pitch)
    image = np.unpackbits(data, axis=1)[:, : b.width, None].astype(np.float32)
    return image, f.glyph.bitmap_left, f.glyph.bitmap_top, step


@functools.lru_cache(20_000)
def bitmap(file: str, size: float, glyph: int, load: int, lcd: bool, quarters: int = 0) -> tuple[np.ndarray, int, int, float]:
    """A glyph's coverage (rows, columns, 1 or 3), its left and top, and how far the pen goes on.

    It begins some quarters of a pixel into its first column.
    """
    f = face(file)
    if not f.is_scalable:
        return _strike(f, size, glyph)
    f.set_char_size(round(size * 64))
    f.set_transform(IDENTITY, freetype.Vector(16 * quarters, 0))
    if lcd:
        load = freetype.FT_LOAD_TARGET_LCD | load & ~freetype.FT_LOAD_TARGET_LIGHT
    f.load_glyph(glyph, load)
    slot = f.glyph
    step = slot.advance.x / 64
    if lcd:
        mode = freetype.FT_RENDER_MODE_LCD
    elif load & freetype.FT_LOAD_TARGET_MONO == freetype.FT_LOAD_TARGET_MONO:
        mode = freetype.FT_RENDER_MODE_MONO
    else:
        mode = freetype.FT_RENDER_MODE_NORMAL
    slot.render(mode)
    b = slot.bitmap
    if b.rows == 0 or b.width == 0:
        return np.zeros((0, 0, 1), np.float32), 0, 0, step
    data = np.array(b.buffer, np.uint8).reshape(b.rows, b.pitch)
    if mode == freetype.FT_RENDER_MODE_MONO:
        image = np.unpackbits(data, axis=1)[:, : b.width, None].astype(np.float32)
    else:
        image = (data[:, : b.width].astype(np.float32) / 255).reshape(b.rows, -1, 3 if lcd else 1)
    return image, slot.bitmap_left, slot.bitmap_top, step


def blend(picture: np.ndarray, cover: np.ndarray, x: int, y: int, color, gamma: float) -> None:
    """Puts a colour on the picture where the glyph covers it."""
    rows, columns = cover.shape[:2]
    y0, y1 = max(0, y), min(picture.shape[0], y + rows)
    x0, x1 = max(0, x), min(picture.shape[1], x + columns)
    if y0 >= y1 or x0 >= x1:
        return
    part = cover[y0 - y : y1 - y, x0 - x : x1 - x]
    ground = picture[y0:y1, x0:x1, :3]
    if gamma == 1.0:
        mixed = ground + (np.asarray(color, np.float32) - ground) * part
    else:
        low = (ground / 255.0) ** gamma
        mixed = 255 * (low + ((np.asarray(color, np.float32) / 255) ** gamma - low) * part) ** (1 / gamma)
    ground[:] = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)
