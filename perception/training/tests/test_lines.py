import pathlib
import random
import tempfile
import unittest

import numpy as np

from windie_training import lines, measure, shards
from windie_training.draw import Letter
from windie_training.screens import Text
from windie_training.strips import HEIGHT, Fit, Line


def text(chars: str, x: float, baseline: float = 30) -> Text:
    """Letters 10 pixels wide, capitals 14 high."""
    return Text([Letter(c, x + 10 * i, x + 10 * i + 10) for i, c in enumerate(chars)], baseline, 14)


def line(x0: int, x1: int, y0: int = 14, y1: int = 32) -> Line:
    return Line(x0, y0, x1, y1, [Fit(30, 14, x0 - 1.0, 1.0, np.zeros((HEIGHT, x1 - x0 + 2), np.uint8))])


class Samples(unittest.TestCase):
    def found(self, written, *cut):
        return [s.text for s in lines.samples(random.Random(1), written, list(cut), empty=1)]

    def test_a_line_has_the_letters_it_holds(self):
        both = [text("Save", 20), text("as", 70)]
        self.assertEqual(self.found(both, line(20, 60), line(70, 90)), ["Save", "as"])
        self.assertEqual(self.found(both, line(20, 90)), ["Save as"])
        self.assertEqual(self.found([text("Save as", 20)], line(20, 60)), ["Save"])
        self.assertEqual(self.found(both, line(200, 260)), [""])

    def test_letters_cut_through_teach_nothing(self):
        self.assertEqual(self.found([text("Save", 20)], line(20, 54)), [])
        self.assertEqual(self.found([text("Save", 20)], line(37, 60)), [])

    def test_two_rows_are_no_line(self):
        self.assertEqual(self.found([text("Save", 20, 30)], line(20, 60, 14, 62)), [])

    def test_middles_are_in_columns_of_the_strip(self):
        s = lines.samples(random.Random(1), [text("ab", 20)], [line(20, 40)])[0]
        np.testing.assert_allclose(s.middles, [6, 16])


class Shards(unittest.TestCase):
    def test_samples_come_back(self):
        r = np.random.default_rng(1)
        made = [lines.Sample(r.integers(0, 256, (HEIGHT, w), np.uint8), t, np.arange(len(t), dtype=np.float32)) for w, t in ((9, "a b"), (40, ""), (7, "Größe"))]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "000001.npz")
            shards.save(path, made)
            for was, now in zip(made, shards.load(path), strict=True):
                self.assertEqual(was.text, now.text)
                np.testing.assert_array_equal(was.ink, now.ink)
                np.testing.assert_array_equal(was.middles, now.middles)

    def test_a_shard_is_deleted_when_it_was_used(self):
        with tempfile.TemporaryDirectory() as folder:
            sample = lines.Sample(np.zeros((HEIGHT, 8), np.uint8), "a", np.zeros(1, np.float32))
            for number in (1, 2, 3):
                shards.save(pathlib.Path(folder, f"{number:06d}.npz"), [sample] * 4)
            batches = shards.Stream(pathlib.Path(folder), 1, 2, 1, random.Random(1)).batches(2)
            for _ in range(4):
                next(batches)
            self.assertEqual([p.name for p in pathlib.Path(folder).glob("*.npz")], ["000002.npz"])


class Score(unittest.TestCase):
    def test_counts(self):
        s = measure.score(["Save as", "Open"], ["Save a", "Open"])
        self.assertEqual((s.lines, s.words), (0.5, 2 / 3))
        self.assertAlmostEqual(s.cer, 1 / 11)


if __name__ == "__main__":
    unittest.main()
