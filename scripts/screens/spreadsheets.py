"""The screens of spreadsheets."""

from pathlib import Path

from calc import calc
from sheets import sheet
from shots import Shot

SAMPLES = Path(__file__).parent / 'samples'


def shot(name, table, more_of_sheet=None, keys=(), **more):
    files = {'table.fods': sheet((SAMPLES / table).read_text(), 'Table', **(more_of_sheet or {}))}
    command = ['localc', '--norestore', '--nologo', 'HOME/table.fods']
    return Shot(name, 'spreadsheet', calc, command, files=files, keys=['Escape', 'ctrl+Down', 'Down', *keys], **{'width': 1100, 'height': 760, **more})


LINED = {'border': '0.75pt solid #000000', 'head': '#ffe9a8', 'ink': '#000000'}

SHOTS = [
    shot('calc-budget', 'budget.csv'),
    shot('calc-budget-lines', 'budget.csv', LINED, family='Noto Sans', width=1000, height=640),
    shot('calc-budget-2x', 'budget.csv', dpr=2, width=900, height=600, family='Cantarell', points=11),
    shot('calc-harbours', 'harbours.csv', {'head': '#22313f', 'ink': '#ffffff'}, width=1200, height=800),
    shot('calc-harbours-de', 'harbours.csv', LINED, locale='de_DE', width=1100, height=700),
    shot('calc-harbours-dark', 'harbours.csv', {'head': '#ffffff'}, theme='dark', width=1000, height=700),
    shot('calc-harbours-contrast', 'harbours.csv', LINED, theme='contrast', points=11, width=1100, height=760),
]
