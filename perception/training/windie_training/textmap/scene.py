"""A picture that is drawn and knows its words, icons and pictures."""

import math
import pathlib
import random
import re
from dataclasses import dataclass, replace

import cv2
import numpy as np
import skia

from .. import charset
from ..draw import LOADS, How, Letter, Pen, skia_color
from ..fonts import Fonts, Style
from ..screens import Painter, Text, between, colours, fitting, luminance
from ..texts import Texts
from . import ICON, PICTURE, SCRIPT, TEXT, UNKNOWN
from .icons import Icons, held
from .rows import ABOVE, BELOW, Cut, Word, boxes

SIZES = [8, 9, 10, 11, 11, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 16, 16, 18, 20, 22, 24, 28, 32]
SCALES = [1] * 10 + [1.25, 1.25, 1.5, 1.5, 2, 2, 3]
FAINT = 34  # levels between the ground and the strongest twentieth of a text's pixels: the least that can be read
SLASHED = re.compile(r"mono|code|hack|terminus", re.I)  # families whose zero has a slash or a dot


@dataclass
class Drawn:
    """A scene as it arrives, in RGB, with its truth in its pixels."""

    picture: np.ndarray
    boxes: np.ndarray  # x0, y0, x1, y1, kind: areas first, then rows and unknown places
    cuts: np.ndarray  # x, y0, y1
    words: list[Word]
    texts: list[Text]


class Material:
    """What scenes are drawn with: for training, or for judging."""

    def __init__(self, cache: pathlib.Path, for_judging: bool, r: random.Random):
        from ..texts import load

        self.fonts = Fonts(cache, for_judging)
        if for_judging and not self.fonts.of["mono"]:
            raise SystemExit("the cache has no family for judging; run windie_training.textmap.fetch")
        self.texts = Texts(load(cache, for_judging), r)
        self.light = self._light(cache, for_judging)
        self.icons = Icons(cache, for_judging)
        files = [f for f in sorted((cache / "photos").glob("*.jpg")) if held(f.stem) == for_judging]
        self.photos = [cv2.cvtColor(cv2.imread(str(f)), cv2.COLOR_BGR2RGB) for f in files]

    def _light(self, cache: pathlib.Path, for_judging: bool) -> list[Style]:
        from ..fonts import _chars
        from ..sources import HELD_FONTS

        out = []
        for file in sorted((cache / "light").glob("*.ttf")):
            judged = file.stem.lower().startswith(tuple(h.lower() for h in HELD_FONTS))
            chars = _chars(file)
            if judged == for_judging and set("AaGgZz09") <= chars:
                out.append(Style(file.stem, "sans", False, False, False, judged, [str(file)], [chars]))
        return out


class Scene(Painter):
    """A canvas. The layouts in `kinds` draw on it."""

    def __init__(self, r: random.Random, material: Material):
        super().__init__(r, material.fonts, material.texts)
        self.material = material
        self.laid: dict = {}

    def begin(self, height: int, width: int) -> None:
        r = self.r
        self.how = How.any(r)
        if self.how.name == "freetype" and r.random() < 0.5:
            self.how.name = "skia"  # the cheaper one
        self.scale = r.choice(SCALES)
        self.picture = np.empty((height, width, 4), np.uint8)
        info = skia.ImageInfo.Make(width, height, skia.kRGBA_8888_ColorType, skia.kPremul_AlphaType)
        geometry = skia.PixelGeometry.kRGB_H_PixelGeometry if self.how.lcd else skia.PixelGeometry.kUnknown_PixelGeometry
        self.surface = skia.Surface.MakeRasterDirect(info, self.picture, width * 4, skia.SurfaceProps(0, geometry))
        self.canvas = self.surface.getCanvas()
        self.height, self.wide = height, width
        self.ground, self.ink = colours(r)
        self.canvas.clear(skia_color(self.ground))
        self.words: list[Word] = []
        self.written: list[Text] = []
        self.cuts: list[Cut] = []
        self.areas: list[tuple] = []  # x0, y0, x1, y1, kind
        self.runs = 0
        self.shade = None
        self.strike, self.underlined = r.choice([0, 0, 0, 0.08, 0.4]), r.choice([0, 0.03, 0.1, 0.4])
        self.laid.clear()

    # -- pens and texts
    def pen(self, kind: str | None = None, size: float = 0) -> Pen:
        r = self.r
        size = size or r.choice(SIZES) * self.scale
        if r.random() < 0.15:
            size += r.random() - 0.5
        if kind is None and self.material.light and r.random() < 0.05:
            return Pen(r, self.fonts, r.choice(self.material.light), size, self.how)
        return Pen(r, self.fonts, self.fonts.pick(r, kind), size, self.how)

    def title_pen(self) -> Pen:
        r = self.r
        size = r.choice([r.uniform(24, 48), r.uniform(28, 80), r.uniform(50, 165)])
        style = r.choice(self.material.light) if self.material.light and r.random() < 0.55 else self.fonts.pick(r)
        return Pen(r, self.fonts, style, size, self.how)

    def lay(self, pen: Pen, text: str):
        """The glyphs and letters of a text, or None if the pen cannot draw it."""
        key = (id(pen), text)
        if key not in self.laid:
            self.laid[key] = (pen, pen.layout(text) if text and charset.known(text) else None)
        return self.laid[key][1]

    def width(self, pen: Pen, text: str) -> float | None:
        laid = self.lay(pen, text)
        return laid and laid[1][-1].x1

    def fitted(self, pen: Pen, text: str, room: float) -> str:
        """As much of the text as has room."""
        laid = self.lay(pen, text)
        if not laid:
            return ""
        n = sum(letter.x1 <= room for letter in laid[1])
        return text[:n].strip()

    def short(self) -> str:
        """A text of one to four characters."""
        r = self.r
        return r.choice([
            lambda: r.choice("0123456789"), lambda: r.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), lambda: "".join(r.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=2)),
            lambda: str(r.randint(0, 999)), lambda: self.texts.word()[:4], self.texts.share, self.texts.time,
        ])()

    def write(self, pen: Pen, text: str, x: float, baseline: float, color=None) -> float | None:
        """Draws a text and records its words; returns where it ends."""
        r = self.r
        laid = self.lay(pen, text)
        if laid is None:
            return None
        glyphs, letters = laid
        if not self.how.subpixel or self.how.name == "freetype":
            x, baseline = round(x), round(baseline)
        color = self.ink if color is None else color
        end = x + letters[-1].x1
        a, b = max(0, int(baseline - ABOVE * pen.cap)), max(0, int(baseline + 2))
        c, d = max(0, int(x)), max(0, int(end) + 1)
        if self.shade:
            self._halo(pen, glyphs, x, baseline, end, color)
        before = self.picture[a:b, c:d, 1].copy()
        pen.draw(self.picture, self.canvas, glyphs, x, baseline, color)
        if before.size == 0:
            return end
        change = cv2.absdiff(self.picture[a:b, c:d, 1], before)
        strong = np.partition(change.ravel(), -max(1, change.size // 60))[-max(1, change.size // 60)]
        if strong < FAINT:  # green may be equal where other colours are not
            kind = UNKNOWN
        else:
            kind = TEXT
        self._record(letters, x, baseline, pen.cap, kind)
        k = r.random()
        thick = r.choice([1, 1, 2, max(1, round(pen.cap / 10))])
        if k < self.strike:
            out = r.choice([0, 0, 0, 0.3, -0.3]) * pen.cap
            self.fill(x - out, round(baseline - pen.cap * r.uniform(0.3, 0.52)), end - x + 2 * out, thick, [220, 40, 40] if r.random() < 0.2 else color)
        elif k < self.strike + self.underlined:
            self.fill(x, round(baseline + r.uniform(1, 0.2 * pen.cap + 1)), end - x, thick, color)
        return end

    def _record(self, letters, x: float, baseline: float, capital: float, kind: int) -> None:
        self.runs += 1
        self.written.append(Text([Letter(l.char, l.x0 + x, l.x1 + x) for l in letters], baseline, capital, kind == UNKNOWN))
        word: list = []
        for letter in [*letters, None]:
            if letter is not None and letter.char.strip():
                word.append(letter)
            elif word:
                chars = [l.char for l in word]
                unread = max(chars) >= "\u0530" and 2 * sum(bool(charset.unread(c)) for c in chars) > len(chars)
                own = SCRIPT if unread and kind == TEXT else kind
                x0, x1 = min(l.x0 for l in word), max(l.x1 for l in word)
                self.words.append(Word(x0 + x, x1 + x, baseline, capital, own, self.runs, not any(c.isalnum() for c in chars)))
                word = []

    def _halo(self, pen: Pen, glyphs, x: float, baseline: float, end: float, color) -> None:
        """A shadow or an outline below a text."""
        kind, reach, strong, dx, dy = self.shade
        m = int(8 + 2 * reach)
        x0, y0 = int(x) - m, int(baseline - 1.6 * pen.cap) - m
        w, h = int(end - x) + 2 * m, int(2.2 * pen.cap) + 2 * m
        layer = np.zeros((h, w, 4), np.uint8)
        surface = skia.Surface.MakeRasterDirect(skia.ImageInfo.Make(w, h, skia.kRGBA_8888_ColorType, skia.kPremul_AlphaType), layer, w * 4)
        pen.draw(layer, surface.getCanvas(), glyphs, x - x0, baseline - y0, [255, 255, 255])
        mask = layer[:, :, 0]
        if kind == "outline":
            mask = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1,) * 2)).astype(np.float32) / 255
        else:
            mask = np.clip(cv2.GaussianBlur(mask, (0, 0), reach).astype(np.float32) * (strong / 255), 0, 1)
        mask = np.roll(mask, (dy, dx), (0, 1))
        a, b, c, d = max(0, y0), min(self.height, y0 + h), max(0, x0), min(self.wide, x0 + w)
        if a < b and c < d:
            part = mask[a - y0 : b - y0, c - x0 : d - x0, None]
            ground = self.picture[a:b, c:d, :3]
            ground[:] = (ground + ((0 if luminance(color) > 128 else 255) - ground) * part).astype(np.uint8)

    def any_shade(self, only_outline: bool = False) -> tuple:
        r = self.r
        if only_outline or r.random() < 0.35:
            return ("outline", r.choice([1, 1, 2]), 1, 0, 0)
        return ("shadow", r.choice([1, 1, 2, 3]), r.uniform(0.7, 3), r.choice([0, 0, 1, 2]), r.choice([0, 1, 1, 2]))

    def sideways(self, pen: Pen, text: str, x: float, y: float) -> None:
        """A text on its side: no row."""
        laid = self.lay(pen, text)
        if laid is None or self.how.name == "freetype":
            return
        self.canvas.save()
        self.canvas.rotate(self.r.choice([90, -90]), x, y)
        pen.draw(self.picture, self.canvas, laid[0], x, y, self.ink)
        self.canvas.restore()

    # -- what is no text
    def area(self, x0, y0, x1, y1, kind: int) -> None:
        self.areas.append((x0, y0, x1, y1, kind))

    def cut(self, x: float, y0: float, y1: float) -> None:
        self.cuts.append(Cut(x, y0, y1))

    def box(self, x, y, w, h, radius=0.0, fill=None, line=None, thick=1.0, cuts=False) -> None:
        rect = skia.Rect.MakeXYWH(x, y, w, h)
        if fill is not None:
            self.canvas.drawRoundRect(rect, radius, radius, skia.Paint(AntiAlias=True, Color=skia_color(fill)))
        if line is not None:
            self.canvas.drawRoundRect(rect, radius, radius, skia.Paint(AntiAlias=True, Style=skia.Paint.kStroke_Style, StrokeWidth=thick, Color=skia_color(line)))
        if cuts:
            self.cut(x, y, y + h)
            self.cut(x + w, y, y + h)

    def upright(self, x, y0, y1, color, thick=1) -> None:
        """A rule between columns: it parts rows."""
        self.fill(x, y0, thick, y1 - y0, color)
        self.cut(x + thick / 2, y0, y1)

    def stroke(self, points, color, thick=1.0) -> None:
        path = skia.PathBuilder() if hasattr(skia, "PathBuilder") else skia.Path()
        path.moveTo(*points[0])
        for p in points[1:]:
            path.lineTo(*p)
        paint = skia.Paint(AntiAlias=True, Style=skia.Paint.kStroke_Style, StrokeWidth=thick, Color=skia_color(color))
        self.canvas.drawPath(path if isinstance(path, skia.Path) else path.detach(), paint)

    def dotted(self, x0, y0, x1, y1, color) -> None:
        """A dotted or dashed frame."""
        on, off = self.r.choice([(1, 1), (1, 2), (2, 2), (3, 3), (4, 2), (6, 4)])
        for x in range(int(x0), int(x1), on + off):
            self.fill(x, y0, on, 1, color)
            self.fill(x, y1, on, 1, color)
        for y in range(int(y0), int(y1), on + off):
            self.fill(x0, y, 1, on, color)
            self.fill(x1, y, 1, on, color)

    def put_icon(self, x: float, y: float, size: float, color=None, coloured: bool | None = None) -> None:
        """An icon of a set, by its middle."""
        r = self.r
        s = max(7, round(size))
        color = self.ink if color is None else color
        paint, cover = self.material.icons.pick(r, s, color, r.random() < 0.35 if coloured is None else coloured)
        x, y = round(x - s / 2), round(y - s / 2)
        a, b, c, d = max(0, y), min(self.height, y + s), max(0, x), min(self.wide, x + s)
        if a < b and c < d:
            part = self.picture[a:b, c:d, :3]
            part[:] = np.clip(part * (1 - cover[a - y : b - y, c - x : d - x] / 255) + paint[a - y : b - y, c - x : d - x], 0, 255).astype(np.uint8)
            self.area(x, y, x + s, y + s, ICON)

    # -- grounds
    def photo(self, h: int, w: int) -> np.ndarray:
        if not self.material.photos:
            return self.clouds(h, w)
        r = self.r
        p = r.choice(self.material.photos)
        s = max(h / p.shape[0], w / p.shape[1], r.uniform(0.3, 1.4))
        hh, ww = min(p.shape[0], math.ceil(h / s)), min(p.shape[1], math.ceil(w / s))
        y, x = r.randint(0, p.shape[0] - hh), r.randint(0, p.shape[1] - ww)
        return cv2.resize(p[y : y + hh, x : x + ww], (w, h), interpolation=cv2.INTER_AREA if s < 1 else cv2.INTER_LINEAR)

    def clouds(self, h: int, w: int) -> np.ndarray:
        """Noise of several sizes, in grey or in colours."""
        g = np.random.default_rng(self.r.getrandbits(32))
        out = np.full((h, w, 3), self.r.randint(20, 230), np.float32)
        smooth = self.r.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_NEAREST])
        for size in self.r.sample([2, 4, 8, 16, 48, 128], 3):
            noise = g.normal(0, self.r.uniform(2, 30), (max(2, h // size), max(2, w // size), 3 if self.r.random() < 0.5 else 1)).astype(np.float32)
            if noise.shape[2] == 1:
                out += cv2.resize(noise, (w, h), interpolation=smooth)[:, :, None]
            else:
                out += cv2.resize(noise, (w, h), interpolation=smooth)
        return np.clip(out, 0, 255).astype(np.uint8)

    def gradient(self, h: int, w: int) -> np.ndarray:
        a, b = (np.array(colours(self.r)[0], np.float32) for _ in range(2))
        t = np.linspace(0, self.r.random(), w, dtype=np.float32)[None, :, None] + np.linspace(0, self.r.random(), h, dtype=np.float32)[:, None, None]
        return (a + (b - a) * np.minimum(t, 1)).astype(np.uint8)

    def grain(self, h: int, w: int) -> np.ndarray:
        g = np.random.default_rng(self.r.getrandbits(32))
        out = g.standard_normal((h, w, 3 if self.r.random() < 0.5 else 1), np.float32) * self.r.uniform(6, 34) + self.r.randint(40, 200)
        out = np.broadcast_to(out, (h, w, 3))
        return np.clip(cv2.GaussianBlur(out, (0, 0), self.r.uniform(0.5, 1.3)) if self.r.random() < 0.5 else out, 0, 255).astype(np.uint8)

    def any_ground(self, h: int, w: int) -> np.ndarray:
        return self.r.choice([self.photo] * 4 + [self.clouds, self.gradient, self.grain])(h, w)

    def paint(self, what: np.ndarray, x: int = 0, y: int = 0, kind: int | None = PICTURE) -> None:
        h, w = what.shape[:2]
        self.picture[y : y + h, x : x + w, :3] = what
        if kind is not None:
            self.area(x, y, x + w, y + h, kind)

    def under(self, x0, y0, x1, y1) -> np.ndarray:
        """Every second pixel of a place."""
        return self.picture[max(0, int(y0)) : max(1, int(y1)) : 2, max(0, int(x0)) : max(1, int(x1)) : 2, :3].reshape(-1, 3).astype(np.float32)

    # -- the end
    def truth(self) -> tuple[np.ndarray, np.ndarray]:
        """Boxes of rows, areas and unknown places, and cuts."""
        found = boxes(self.words, self.cuts)
        areas = np.array(self.areas, np.float32).reshape(-1, 5)
        # Areas first: rows are drawn over them.
        return np.concatenate([areas, found]), np.array([(c.x, c.y0, c.y1) for c in self.cuts], np.float32).reshape(-1, 3)

    def done(self) -> Drawn:
        """The picture with scan lines, noise, another size or losses of JPEG for some."""
        r = self.r
        self.canvas = self.surface = None
        picture, (found, cuts), words, texts = self.picture[:, :, :3], self.truth(), self.words, self.written
        k = r.random()
        if k < 0.06:  # scan lines and glow of an old tube
            p = picture.astype(np.float32)
            p += cv2.GaussianBlur(p, (0, 0), r.uniform(1, 3)) * r.uniform(0, 0.6)
            p[r.randrange(2) :: r.choice([2, 3, 4])] *= r.uniform(0.2, 0.85)
            picture = np.clip(p, 0, 255).astype(np.uint8)
        elif k < 0.09:
            noise = np.random.default_rng(r.getrandbits(32)).standard_normal(picture.shape, np.float32)
            picture = np.clip(picture + noise * r.uniform(2, 9), 0, 255).astype(np.uint8)
        if r.random() < 0.2:
            by = r.choice([r.uniform(0.75, 1), r.uniform(0.75, 1.4), r.uniform(1, 2)])
            way = cv2.INTER_AREA if by < 1 and r.random() < 0.6 else r.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_LINEAR, cv2.INTER_NEAREST] if by > 1.2 else [cv2.INTER_LINEAR, cv2.INTER_CUBIC])
            picture = cv2.resize(np.ascontiguousarray(picture), None, fx=by, fy=by, interpolation=way)
            found[:, :4] *= by
            cuts *= by
            texts = [t.scaled(by, by) for t in texts]
            words = [replace(w, x0=w.x0 * by, x1=w.x1 * by, baseline=w.baseline * by, capital=w.capital * by) for w in words]
        if r.random() < 0.22:
            quality = [cv2.IMWRITE_JPEG_QUALITY, r.randint(60, 95), cv2.IMWRITE_JPEG_SAMPLING_FACTOR, r.choice([cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420] * 3 + [cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444])]
            picture = cv2.imdecode(cv2.imencode(".jpg", np.ascontiguousarray(picture), quality)[1], 1)
        return Drawn(np.ascontiguousarray(picture), found, cuts, words, texts)
