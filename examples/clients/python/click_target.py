"""
Prints the point to click for a text on a screenshot, or the points to choose from.

    python click_target.py screen.png "Check out"
"""

import sys

from windie import Windie

if len(sys.argv) != 3:
    print('usage: python click_target.py SCREENSHOT TEXT, for example: python click_target.py screen.png "Check out"', file=sys.stderr)
    sys.exit(2)
with Windie() as windie:  # WINDIE_URL, or http://127.0.0.1:8765
    target = windie.screen(sys.argv[1]).resolve(sys.argv[2])
    if target:
        print("{},{}".format(*target.point))
    else:
        for row in target.candidates:
            print(f"{row['center']['x']},{row['center']['y']}\t{row['text']}?")
        sys.exit(1)
