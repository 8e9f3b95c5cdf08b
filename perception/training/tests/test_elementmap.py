"""The element map: boxes of perfect maps are those of the truth."""

import unittest

import numpy as np

from windie_training.elementmap import CLASSES, CORES, LAYERS, MAPS, boxes, place_of, rest
from windie_training.elementmap.pages import elements_of
from windie_training.elementmap.targets import PARTS, maps


def perfect(planes: np.ndarray) -> np.ndarray:
    """The network's maps that agree with planes of the truth."""
    out = np.zeros((MAPS, *planes.shape[1:]), np.float32)
    for layer in range(CORES):
        own, first = planes[PARTS * layer : PARTS * (layer + 1)], rest(layer)
        out[layer] = own[0] * 16 - 8
        out[first : first + 4] = own[3:7]
        for k in range(CLASSES):
            out[first + 4 + k] = (own[2] == k) * 8.0
        out[first + 4 + CLASSES : first + 4 + CLASSES + 3] = own[7:10] * 16 - 8
    return out


class Boxes(unittest.TestCase):
    truth = {
        "elements": [
            {"role": "toolbar", "box": [10, 10, 240, 48]},
            {"role": "button", "box": [20, 14, 52, 44], "acted": True, "states": ["disabled"]},
            {"role": "icon", "box": [29, 21, 43, 35]},
            {"role": "button", "box": [53, 14, 85, 44], "acted": True, "states": ["selected"]},
            {"role": "field", "box": [20, 60, 200, 90], "acted": True},
            {"role": "checkbox", "box": [20, 101, 33, 114], "acted": True, "states": ["checked"]},
            {"role": "slider", "box": [60, 100, 220, 116], "acted": True},
            {"role": "icon", "box": [228, 100, 239, 111]},
        ]
    }

    def test_perfect_maps(self):
        true = elements_of(self.truth)
        found = boxes.of_maps(perfect(maps(true, 256)))
        self.assertEqual(len(found), len(true))
        for t in true:
            same = found[found[:, 5] == t[4]]
            both = boxes.shared(same, t)
            self.assertGreater(both.max(), 0.8, t)
            self.assertEqual(same[both.argmax(), 6], t[5])
            self.assertEqual((same[both.argmax(), 8:] > 0.5).tolist(), (t[8:] == 1).tolist())

    def test_cut_elements_are_unknown(self):
        true = elements_of(self.truth)
        true[:, (1, 3)] -= 25  # the toolbar's row crosses the edge
        planes = maps(true, 256)
        self.assertEqual(planes[PARTS + 1, 2, 20], 0)

    def test_roles(self):
        self.assertEqual(place_of("icon"), (0, 0))
        self.assertIsNone(place_of("text"))
        self.assertEqual({len(layer) for layer in LAYERS}, {CLASSES})


if __name__ == "__main__":
    unittest.main()
