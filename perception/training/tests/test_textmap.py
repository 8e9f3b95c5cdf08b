import pathlib
import random
import tempfile
import types
import unittest

import numpy as np
import torch

from windie_training.fonts import DRAWN, Style
from windie_training import loop
from windie_training.textmap import ICON, MAPS, PICTURE, SCRIPT, TEXT, UNKNOWN, boxes, eight, export, judge, pyramid, rows, targets, train
from windie_training.textmap.net import Net, cost
from windie_training.textmap.rows import Cut, Word


def words(*places: tuple) -> list[Word]:
    """Words of a capital of 9 pixels, thus rows of 12, from (x0, x1, baseline)."""
    return [Word(x0, x1, y, 9.0, run=n) for n, (x0, x1, y) in enumerate(places, 1)]


class Network(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        torch.set_num_threads(1)

    def test_maps_at_half_resolution(self):
        for h, w in ((16, 16), (64, 48)):
            self.assertEqual(Net().eval()(torch.zeros(1, 3, h, w)).shape, (1, MAPS, h // 2, w // 2))

    def test_a_picture_of_any_size(self):
        for h, w in ((1, 1), (33, 47)):
            self.assertEqual(boxes.infer(Net().eval(), np.zeros((h, w, 3), np.uint8)).shape, (MAPS, (h + 1) // 2, (w + 1) // 2))

    def test_cost_and_size(self):
        net = Net().eval()
        products = sum(cost(net, 900 >> level, 1440 >> level) for level in range(pyramid.LEVELS))
        self.assertLessEqual(products, 600e6)
        self.assertLessEqual(len(export.encode(eight.quantised(net, [np.zeros((32, 32, 3), np.uint8)]))), 200_000)
        self.assertEqual({c % 16 for c in (*net.config["channels"], net.head.out_channels)}, {0})

    def test_one_crop_is_learned(self):
        planes = targets.maps(np.array([[8, 20, 56, 34, TEXT]], np.float32), np.zeros((0, 3), np.float32), 64)
        picture = np.full((64, 64, 3), 200, np.uint8)
        picture[22:32, 8:56:3] = 20
        x = torch.from_numpy(pyramid.halved(picture)).permute(2, 0, 1)[None].float() * pyramid.UNIT
        t = torch.from_numpy(planes)[None]
        net = Net()
        optimiser = torch.optim.AdamW(net.parameters(), 1e-2)
        first = None
        for _ in range(40):
            loss = sum(train.losses(net(x.repeat(2, 1, 1, 1)), t.repeat(2, 1, 1, 1)))
            first = first or loss.item()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        self.assertLess(loss.item(), 0.4 * first)


class Pyramid(unittest.TestCase):
    def test_means_are_rounded_down(self):
        picture = np.array([[[0], [1]], [[1], [1]]], np.uint8).repeat(3, 2)
        self.assertEqual(pyramid.half(picture).ravel().tolist(), [0, 0, 0])
        self.assertEqual(pyramid.half(picture + 3).ravel().tolist(), [3, 3, 3])
        self.assertEqual(pyramid.half(np.full((2, 2, 3), 255, np.uint8)).ravel().tolist(), [255] * 3)

    def test_an_odd_edge_is_repeated(self):
        picture = np.zeros((3, 3, 3), np.uint8)
        picture[:, 2], picture[2] = 90, 40
        self.assertEqual(pyramid.half(picture)[:, :, 0].tolist(), [[0, 90], [40, 40]])

    def test_levels_end_before_they_are_too_small(self):
        self.assertEqual([p.shape[0] for p in pyramid.levels(np.zeros((900, 1440, 3), np.uint8))], [900, 450, 225, 113])
        self.assertEqual(len(pyramid.levels(np.zeros((40, 400, 3), np.uint8))), 2)

    def test_bytes_are_halved(self):
        self.assertEqual(pyramid.halved(np.array([0, 1, 254, 255], np.uint8)).tolist(), [0, 0, 127, 127])


class Eight(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(2)
        torch.set_num_threads(1)
        self.net = Net()
        for m in self.net.modules():  # as after some training
            if isinstance(m, torch.nn.BatchNorm2d):
                m.running_mean.normal_(0, 0.1)
                m.running_var.uniform_(0.5, 2)
                m.weight.data.uniform_(0.5, 2)
                m.bias.data.normal_(0.3, 0.3)
        self.net.eval()
        self.picture = np.random.default_rng(3).integers(0, 256, (64, 80, 3), np.uint8)

    def test_folding_keeps_the_network(self):
        weights, at = eight.folded(self.net), iter(range(99))

        def run(x, added=None, up=False):
            n = next(at)
            y = eight.convolve(x, *weights[n], eight.forms(eight.configuration(self.net))[n])
            y = eight.twice(y) if up else y
            y = y if added is None else y + added
            return y if n == len(weights) - 1 else y.clamp(0, 6)

        x = torch.from_numpy(self.picture).permute(2, 0, 1)[None].float() / 255
        with torch.no_grad():
            folded = torch.nn.functional.pixel_shuffle(eight.walk(eight.configuration(self.net), x, run), 2)
            self.assertLess((folded - self.net(x)).abs().max().item(), 1e-3)

    def test_eight_bits_stay_near(self):
        whole, near = boxes.infer(self.net, self.picture), boxes.infer(eight.quantised(self.net, [self.picture]), self.picture)
        self.assertGreater(np.corrcoef(whole.ravel(), near.ravel())[0, 1], 0.98)

    def test_a_file_gives_the_same_bits(self):
        made = eight.quantised(self.net, [self.picture])
        read = export.decode(export.encode(made))
        self.assertEqual(export.encode(read), export.encode(made))
        self.assertEqual(boxes.infer(read, self.picture).tobytes(), boxes.infer(made, self.picture).tobytes())

    def test_a_damaged_file_is_refused(self):
        data = bytearray(export.encode(eight.quantised(self.net, [self.picture])))
        data[200] ^= 1
        for bad, say in ((bytes(data), "checksum"), (b"windie textmap 0\n" + bytes(data[17:]), "version"), (bytes(data[:30]), "damaged")):
            with self.assertRaisesRegex(ValueError, say):
                export.decode(bad)


class Rows(unittest.TestCase):
    def counts(self, *places, cuts=()):
        found, gaps = rows.chains(words(*places), cuts)
        return len(found), len(gaps)

    def test_gaps(self):
        t = 9 * (rows.ABOVE + rows.BELOW)
        for gap, want in ((0.3, (1, 0)), (0.79, (1, 0)), (1.0, (2, 1)), (1.3, (2, 0))):
            with self.subTest(gap):
                self.assertEqual(self.counts((0, 40, 20), (40 + gap * t, 90, 20)), want)

    def test_a_rule_parts(self):
        self.assertEqual(self.counts((0, 40, 20), (45, 90, 20), cuts=[Cut(42, 5, 30)]), (2, 0))
        self.assertEqual(self.counts((0, 40, 20), (45, 90, 20), cuts=[Cut(42, 18, 30)]), (1, 0))

    def test_baselines_and_sizes(self):
        self.assertEqual(self.counts((0, 40, 20), (44, 90, 32)), (2, 0))
        large = [*words((0, 40, 20)), Word(44, 90, 20, 14.0)]
        self.assertEqual([len(x) for x in rows.chains(large)], [2, 1])

    def test_kinds(self):
        row = [*words((0, 40, 20)), Word(60, 90, 20, 9.0, SCRIPT)]
        self.assertEqual(sorted(rows.boxes(row)[:, 4].tolist()), [TEXT, SCRIPT])
        self.assertEqual(rows.boxes([Word(0, 9, 20, 9.0, signs=True)])[:, 4].tolist(), [UNKNOWN])


class Maps(unittest.TestCase):
    def found(self, *lines, cuts=()):
        planes = targets.maps(np.array(lines, np.float32), np.array(cuts, np.float32).reshape(-1, 3), 128)
        return boxes.of_maps(targets.perfect(planes)), planes

    def test_perfect_maps_give_the_rows(self):
        lines = [(8, 10, 90, 22, TEXT), (8, 24, 60, 36, TEXT), (70, 24, 110, 36, SCRIPT), (20, 60, 120, 98, TEXT), (4, 110, 12, 119, TEXT)]
        found, _ = self.found(*lines)
        self.assertEqual(len(found), len(lines))
        for line in lines:
            near = np.abs(found[:, :4] - np.array(line[:4])).max(1).argmin()
            self.assertLessEqual(np.abs(found[near, :4] - np.array(line[:4])).max(), 1.0)
            self.assertEqual(found[near, 5], line[4])

    def test_a_cut_and_close_rows_have_separation(self):
        _, planes = self.found((8, 20, 50, 32, TEXT), (54, 20, 90, 32, TEXT), cuts=[(52, 15, 40)])
        self.assertTrue(planes[1, 13, 26] == 1 and planes[6, 13, 26] == 3)
        self.assertEqual(planes[0, 13, 26], 0)

    def test_rows_of_another_level_are_absent(self):
        _, planes = self.found((8, 10, 120, 12, TEXT), (8, 20, 120, 100, TEXT))
        self.assertEqual(planes[0].sum(), 0)
        self.assertEqual(planes[5].min(), 1)

    def test_rows_at_the_edge_of_the_range_are_unknown(self):
        _, planes = self.found((8, 10, 120, 16, TEXT))
        self.assertEqual((planes[0].sum(), planes[5, 6, 20]), (0, 0))

    def test_areas_have_kinds_and_no_core(self):
        _, planes = self.found((0, 0, 100, 100, PICTURE), (20, 20, 40, 40, ICON))
        self.assertEqual((planes[2, 3, 3], planes[2, 15, 15], planes[0].sum()), (PICTURE, ICON, 0))

    def test_levels_are_joined(self):
        row, title = (10.0, 10, 90, 22), (10.0, 40, 400, 104)
        coarse = [np.array([(*[v / 4 for v in title], 0.9, TEXT)], np.float32)]
        fine = np.array([(*row, 0.9, TEXT), (200, 200, 216, 216, 0.9, ICON)], np.float32)
        joined = boxes.joined([fine, np.zeros((0, 6), np.float32), *coarse])
        self.assertEqual(sorted(tuple(b) for b in joined[:, :4].tolist()), [row, title])


class Judge(unittest.TestCase):
    def setUp(self):
        truth = [*words((10, 40, 30), (44, 80, 30), (10, 60, 60)), *words((140, 180, 30))]
        ink = np.array([w.box for w in truth], np.float32)
        self.page = judge.Page(np.zeros((100, 200, 3), np.uint8), truth, ink, np.zeros((0, 4), np.float32))

    def figures(self, *found):
        f = judge.compare(self.page, np.array([(*b, 1, TEXT) for b in found], np.float32).reshape(-1, 6))
        return {k: f[k] for k in ("words", "located", "rows", "pieces", "merged", "false")}

    def test_rows(self):
        whole = [(10, 20, 80, 33), (10, 50, 60, 63), (140, 20, 180, 33)]
        self.assertEqual(self.figures(*whole), {"words": 4, "located": 4, "rows": 3, "pieces": 3, "merged": 0, "false": 0})
        self.assertEqual(self.figures(*whole, (100, 70, 120, 80))["false"], 1)
        self.assertEqual(self.figures((10, 20, 40, 33), (44, 20, 80, 33))["pieces"], 2)

    def test_merged(self):
        self.assertEqual(self.figures((10, 20, 80, 63))["merged"], 1)
        self.assertEqual(self.figures((10, 20, 180, 33))["merged"], 1)
        self.assertEqual(self.figures((10, 20, 80, 33))["merged"], 0)


class Scenes(unittest.TestCase):
    """Scenes with one typeface of the machine, and without icons."""

    @classmethod
    def setUpClass(cls):
        file = next(iter(sorted(pathlib.Path("/usr/share/fonts").rglob("DejaVuSans*.ttf"))), None)
        if file is None:
            raise unittest.SkipTest("the machine has no DejaVu Sans")
        cls.style = Style("one", "sans", True, False, False, False, [str(file)], [frozenset(DRAWN)])

    def scene(self, seed: int):
        from windie_training.textmap.scene import Scene
        from windie_training.texts import Texts

        style, r = self.style, random.Random(seed)
        fonts = types.SimpleNamespace(pick=lambda *_: style, pick_bitmap=lambda _: style, runs=lambda _, text: [(text, style.files[0])])
        texts = Texts({"en": ["Save the file as", "Open"], "de": ["Größe ändern"], "ru": ["Файл"], "el": ["Άνοιγμα"], "ar": ["ملف"], "code": ["if a[0] == b:"]}, r)
        icons = types.SimpleNamespace(pick=lambda _, size, *rest: (np.full((size, size, 3), 90, np.float32), np.full((size, size, 1), 200, np.float32)))
        return Scene(r, types.SimpleNamespace(fonts=fonts, texts=texts, light=[], icons=icons, photos=[]))

    def test_every_layout_gives_crops(self):
        from windie_training.textmap import crops, kinds

        s = self.scene(4)
        for kind in kinds.KINDS:
            with self.subTest(kind.__name__):
                if kind is kinds.terminal:
                    continue  # its typefaces of pixels are not on every machine
                drawn = kinds.scene(s, 256, 256, kind)
                self.assertTrue(np.isfinite(drawn.boxes).all())
                self.assertLessEqual(set(drawn.boxes[:, 4].tolist()), {UNKNOWN, TEXT, ICON, PICTURE, SCRIPT})
                for level, picture in enumerate(pyramid.levels(drawn.picture)):
                    part, planes = crops.patch(drawn, level, picture, 0, 0, 64, 0)
                    self.assertEqual((part.shape, planes.shape), ((64, 64, 3), (targets.PLANES, 32, 32)))
                    self.assertTrue(np.isfinite(planes).all())
                    self.assertFalse((planes[0] * planes[1]).any())

    def test_truth_is_what_was_drawn(self):
        for seed in range(6):
            s = self.scene(seed)
            s.begin(80, 300)
            s.ground, s.ink, s.strike, s.underlined = [255] * 3, [0] * 3, 0, 0
            s.picture[:] = 255
            pen = s.pen(size=20)
            s.write(pen, "HELLO", 20, 50)
            s.write(pen, "HE  HE", 150, 50)
            found, _ = s.truth()
            dark = s.picture[:, :, :3].min(2) < 128
            self.assertGreaterEqual(len(found), 2)
            self.assertEqual(found[0, 4], TEXT)
            columns = np.flatnonzero(dark[:, :140].any(0))
            lines = np.flatnonzero(dark[:, :140].any(1))
            x0, y0, x1, y1 = found[0, :4]
            self.assertLess(max(abs(columns[0] - x0), abs(columns[-1] + 1 - x1)), 4)
            self.assertTrue(-2 <= lines[0] - y0 <= 3 and 1 <= y1 - lines[-1] <= 7, (lines[0], y0, lines[-1], y1))

    def test_faint_text_is_unknown(self):
        s = self.scene(1)
        s.begin(80, 300)
        s.picture[:] = 255
        s.shade = None
        s.write(s.pen(size=20), "HELLO", 20, 50, [250] * 3)
        self.assertEqual(s.truth()[0][:, 4].tolist(), [UNKNOWN])

    def test_a_rule_between_texts_is_a_cut(self):
        s = self.scene(2)
        s.begin(80, 300)
        pen = s.pen(size=16)
        s.shade = None
        s.write(pen, "HEH", 20, 50, s.ink)
        end = s.words[-1].x1
        s.upright(end + 3, 20, 60, s.ink)
        s.write(pen, "HEH", end + 7, 50, s.ink)
        self.assertEqual(len(s.truth()[0]), 2)


class Training(unittest.TestCase):
    def test_rate(self):
        a = types.SimpleNamespace(rate=1.0, warm=10, half=100.0, anneal=(200, 300))
        self.assertAlmostEqual(loop.rate(a, 0, 0), 0.1)
        self.assertAlmostEqual(loop.rate(a, 100, 0), 2**-0.5)
        self.assertAlmostEqual(loop.rate(a, 250, 0), 0.5 * 3.5**-0.5)
        self.assertEqual(loop.rate(a, 300, 0), 0)

    def test_a_checkpoint_is_read_back(self):
        from windie_training.textmap.net import load

        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "best.pt"
            loop.save(file, loop.kept(Net(), 7, {}))
            self.assertLess(file.stat().st_size, 300_000)
            self.assertEqual(load(file)(torch.zeros(1, 3, 32, 32)).shape, (1, MAPS, 16, 16))


if __name__ == "__main__":
    unittest.main()
