"""The text map: a small network that says for each cell of a screen whether a row of text is there.

A cell is 2x2 pixels of one level of a pyramid: the picture, and its halves by the mean of 2x2 pixels.
Each level speaks only about rows whose height suits it; see `rows.HEIGHTS`.

Truth, for training and judging alike:

- A word is a run of characters without a space. Its height is 4/3 of the height of a capital: from
  1.05 capitals above the baseline to .28 below it.
- A row is a chain of words on one baseline, of sizes that differ by at most `rows.SIZES`.
- Two neighbours belong to one row if the gap between them is at most `rows.JOIN` of the height. From
  `rows.SPLIT` of the height on they are two rows. Between the two limits the truth is unknown: neither
  training nor judge counts the gap.
- A rule, a frame or the edge of a button that crosses the whole height between two words makes two rows.
- Two words of one baseline whose sizes differ more are two rows with an unknown gap.
- A row without a letter or a digit is unknown, and so is a row with too little contrast to read.
- A row of a script that Windie does not read is a row of the kind `SCRIPT`.
- Text on its side is not a row.
"""

TEXT, ICON, PICTURE, SCRIPT = range(4)  # kinds: the first and the last are rows, the others have no row
UNKNOWN = -1
KINDS = 4
CORE, SEPARATION, KIND, TOP, BOTTOM = 0, 1, 2, 6, 7  # the first map of each; KIND has one map for each kind
MAPS = 8
