"""Screens drawn by Qt, for validation."""

import os
import random

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6 import QtCore, QtGui

from .draw import Letter
from .fonts import Fonts
from .screens import SCALES, SIZES, Text, colours, fitting
from .texts import Texts

HINTING = [QtGui.QFont.PreferNoHinting, QtGui.QFont.PreferVerticalHinting, QtGui.QFont.PreferFullHinting, QtGui.QFont.PreferDefaultHinting]


class Qt:
    """Makes one screen after another."""

    def __init__(self, r: random.Random, fonts: Fonts, texts: Texts):
        self.r, self.fonts, self.texts = r, fonts, texts
        self.app = QtGui.QGuiApplication.instance() or QtGui.QGuiApplication([])
        self.families: dict[str, str] = {}

    def screen(self) -> tuple[np.ndarray, list[Text]]:
        r = self.r
        width, height = r.randint(600, 1100), r.randint(400, 700)
        image = QtGui.QImage(width, height, QtGui.QImage.Format_RGB32)
        ground, ink = colours(r)
        image.fill(QtGui.QColor(*ground))
        painter = QtGui.QPainter(image)
        painter.setRenderHint(QtGui.QPainter.TextAntialiasing)
        written: list[Text] = []
        scale, y = r.choice(SCALES), 8.0
        hinting = r.choice(HINTING)
        while y < height - 40:
            font, style = self.font(round(r.choice(SIZES) * scale), hinting)
            x, high = r.uniform(4, 40), QtGui.QFontMetricsF(font).height() * r.uniform(1.0, 1.7)
            while x < width - 60:
                text = self.texts.line(r.choice([16, 32, 60]))
                if not all(style.file_of(c) or c == " " for c in text):
                    continue
                x = self.item(painter, font, text, x, y, high, ground, ink, written) + r.uniform(8, 50)
            y += high + r.uniform(0, 8)
        painter.end()
        data = np.frombuffer(image.constBits(), np.uint8).reshape(height, image.bytesPerLine() // 4, 4)[:, :width]
        picture = np.ascontiguousarray(data[:, :, [2, 1, 0, 3]])
        picture[:, :, 3] = 255
        return picture, written

    def font(self, pixels: int, hinting):
        """A font of one file; the first of its style has the plain letters."""
        style = self.fonts.pick(self.r)
        file = style.files[0]
        if file not in self.families:
            number = QtGui.QFontDatabase.addApplicationFont(file)
            self.families[file] = (QtGui.QFontDatabase.applicationFontFamilies(number) or ["sans"])[0]
        font = QtGui.QFont(self.families[file])
        font.setPixelSize(pixels)
        font.setHintingPreference(hinting)
        font.setStyleStrategy(self.r.choice([QtGui.QFont.PreferAntialias, QtGui.QFont.NoSubpixelAntialias]))
        return font, style

    def item(self, painter, font, text, x, y, high, ground, ink, written) -> float:
        r = self.r
        metrics = QtGui.QFontMetricsF(font)
        color = fitting(r, ground) if r.random() < 0.25 else ink
        baseline = round(y + high / 2 + metrics.capHeight() / 2)
        x = round(x)
        layout = QtGui.QTextLayout(text, font)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(1e6)
        layout.endLayout()
        if r.random() < 0.3:
            own, color = colours(r)
            painter.setBrush(QtGui.QColor(*own))
            painter.setPen(QtGui.QColor(*fitting(r, own)) if r.random() < 0.4 else QtCore.Qt.NoPen)
            corner = r.choice([0, 3, 5])
            painter.drawRoundedRect(QtCore.QRectF(x - 6, y, line.naturalTextWidth() + 12, high - 1), corner, corner)
        painter.setPen(QtGui.QColor(*color))
        line.setPosition(QtCore.QPointF(0, 0))
        layout.draw(painter, QtCore.QPointF(x, baseline - line.ascent()))
        places = [line.cursorToX(i)[0] if isinstance(line.cursorToX(i), tuple) else line.cursorToX(i) for i in range(len(text) + 1)]
        written.append(Text([Letter(c, x + a, x + b) for c, a, b in zip(text, places, places[1:])], baseline, metrics.capHeight()))
        return x + line.naturalTextWidth()
