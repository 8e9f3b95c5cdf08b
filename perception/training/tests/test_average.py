import unittest

import torch

from windie_training.average import average


class Average(unittest.TestCase):
    def kept(self, value: float, seen: int, **more) -> dict:
        return {"config": {"channels": 8}, "state": {"w": torch.full((2,), float(value)), "n": torch.tensor(seen)}, "seen": seen, **more}

    def test_the_mean_of_the_weights(self):
        got = average(self.kept(1, 5), self.kept(2, 9))
        self.assertEqual(got["state"]["w"].tolist(), [1.5, 1.5])
        self.assertEqual((got["seen"], int(got["state"]["n"])), (9, 9))

    def test_the_average_over_steps_counts(self):
        got = average(self.kept(1, 5), self.kept(7, 9, average={"w": torch.full((2,), 3.0), "n": torch.tensor(9)}))
        self.assertEqual(got["state"]["w"].tolist(), [2, 2])

    def test_other_shapes(self):
        with self.assertRaises(ValueError):
            average(self.kept(1, 5), self.kept(1, 5) | {"config": {"channels": 16}})


if __name__ == "__main__":
    unittest.main()
