"""Reads a table of tides and prints the next high water."""

import csv
from datetime import datetime, timedelta


class Harbour:
    def __init__(self, name, offset_minutes=0):
        self.name = name
        self.offset = timedelta(minutes=offset_minutes)
        self.tides = []

    def load(self, path):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                when = datetime.fromisoformat(row["time"])
                self.tides.append((when + self.offset, float(row["metres"])))
        return len(self.tides)

    def next_high(self, now):
        for when, metres in sorted(self.tides):
            if when > now and metres > 3.2:
                return when, metres
        raise LookupError(f"no high water after {now}")


if __name__ == "__main__":
    harbour = Harbour("Westhaven", offset_minutes=35)
    harbour.load("tides.csv")
    when, metres = harbour.next_high(datetime.now())
    print(f"{harbour.name}: {metres:.1f} m at {when:%H:%M}")
