import argparse
import pathlib
import tempfile
import unittest

import numpy as np
import torch

from windie_training import charset, measure, shards, train
from windie_training.lines import Sample
from windie_training.model import Net, steps
from windie_training.quantise import Eight
from windie_training.strips import HEIGHT


def sample(text: str, width: int, seed: int) -> Sample:
    ink = np.random.default_rng(seed).integers(0, 256, (HEIGHT, width), np.uint8)
    return Sample(ink, text, np.linspace(4, width - 4, len(text)).astype(np.float32))


class Network(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        torch.set_num_threads(1)

    def test_a_step_for_two_columns(self):
        net = Net(channels=32).eval()
        for width in (7, 8, 33):
            self.assertEqual(net(torch.zeros(1, 1, HEIGHT, width)).shape, (1, steps(width), charset.CLASSES))

    def test_a_few_lines_are_learned_by_either_loss(self):
        samples = [sample("Save as", 64, 1), sample("Größe", 50, 2)]
        for loss, want in ((train.middles_loss, 0.6), (train.ctc_loss, 0.6)):
            net = Net(channels=32, reaches=(5, 5))
            optimiser = torch.optim.Adam(net.parameters(), 5e-3)
            first = None
            for _ in range(40):
                value = loss(net(measure.batch(samples)), samples)
                first = first or value.item()
                optimiser.zero_grad()
                value.backward()
                optimiser.step()
            self.assertLess(value.item(), want * first, loss.__name__)

    def test_eight_bits_say_the_same(self):
        samples = [sample("a" * n, 20 + n, n) for n in range(20)]
        net = Net(channels=32).eval()
        eight = Eight(net, samples)
        x = measure.batch(samples[:4])
        with torch.no_grad():
            error = (eight(x) - net(x)).abs().mean() / net(x).abs().mean()
        self.assertLess(error, 0.2)

    def test_the_rate_rises_falls_and_ends(self):
        a = argparse.Namespace(rate=1.0, half=1e6, anneal=(3e6, 4e6))
        rates = [train.rate(a, n) for n in (0, 6000, 1_000_000, 3_500_000, 4_000_000)]
        self.assertLess(rates[0], 0.02)
        self.assertGreater(rates[1], 0.99)
        self.assertGreater(rates[1], rates[2])
        self.assertAlmostEqual(rates[3], 0.5 * 4.5**-0.5)
        self.assertEqual(rates[4], 0)

    def test_a_run_goes_on_where_it_stopped(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            samples = [sample("Save as", 40, n) for n in range(4)]
            shards.save(folder / "held.npz", samples)
            a = argparse.Namespace(
                start=None,
                folder=folder, shards=folder, valid=[folder / "held.npz"], processes=1, batch=4, rate=1e-3, half=1e6, middles=(4, 8),
                anneal=None, uses=1, check=8, save=0, channels=32,
            )
            first = train.Trainer(a, 0)
            for _ in range(3):
                first.step(samples)
                first.follow()
            first.validate(1.0)
            first.checkpoint()
            second = train.Trainer(a, 0)
            self.assertEqual((second.seen, second.best), (12, first.best))
            for one, other in zip(first.net.parameters(), second.net.parameters(), strict=True):
                self.assertTrue(torch.equal(one, other))
            state = torch.get_rng_state()  # which both steps draw from
            loss = first.step(samples)
            torch.set_rng_state(state)
            self.assertAlmostEqual(loss, second.step(samples), places=4)
            self.assertTrue((folder / "best.pt").exists())
            shards.save(folder / "held.npz", samples[:2])
            self.assertEqual(train.Trainer(a, 0).best, 1e9, "a network is compared by other lines")


if __name__ == "__main__":
    unittest.main()
