"""All screens that are made."""

import desktop
import papers
import spreadsheets
import terminals

SHOTS = [*terminals.SHOTS, *desktop.SHOTS, *spreadsheets.SHOTS, *papers.SHOTS]
