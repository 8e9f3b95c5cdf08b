"""Screens with the truth about their elements, for training a detector of buttons, fields, icons and the like.

    python -m windie_training.elements.fetch CACHE
    python -m windie_training.elements.make CACHE OUT --count 100 --seed 1

Vocabulary: a kit is a library of interface components; a page is one HTML document made at random with a kit;
the truth of a page is the list of what can be seen on it.
"""
