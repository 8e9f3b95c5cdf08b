"""Prints a table with lines, as monitors of services draw them."""
import sys

STYLE = sys.argv[1] if len(sys.argv) > 1 else 'light'
LINES = {'light': '┌┬┐├┼┤└┴┘─│', 'double': '╔╦╗╠╬╣╚╩╝═║', 'heavy': '┏┳┓┣╋┫┗┻┛━┃', 'ascii': '+++++++++-|'}[STYLE]
ROWS = [('Service', 'State', 'CPU %', 'Memory', 'Uptime', 'Last message'),
        ('catalog', 'running', '2.4', '181 MiB', '12d 04h', 'index rebuilt in 3.1 s'),
        ('checkout', 'running', '17.9', '402 MiB', '12d 04h', '214 orders today'),
        ('mailer', 'degraded', '0.3', '64 MiB', '3h 12m', 'retry 4 of 10: timed out'),
        ('search', 'running', '8.0', '1.2 GiB', '2d 19h', 'shard 7 moved'),
        ('thumbnails', 'stopped', '0.0', '0 MiB', '-', 'exit status 137'),
        ('billing', 'running', '1.1', '97 MiB', '30d 01h', 'invoice 20931 sent'),
        ('gateway', 'running', '5.6', '233 MiB', '30d 01h', 'certificate valid 61 days')]
COLOURS = {'running': '\x1b[32m', 'degraded': '\x1b[33m', 'stopped': '\x1b[31m'}
widths = [max(len(row[i]) for row in ROWS) for i in range(6)]


def rule(left, middle, right):
    return left + middle.join(LINES[9] * (w + 2) for w in widths) + right


print(rule(*LINES[0:3]))
for n, row in enumerate(ROWS):
    parts = []
    for cell, width in zip(row, widths):
        colour = '\x1b[1m' if n == 0 else COLOURS.get(cell, '')
        parts.append(f' {colour}{cell}\x1b[0m{" " * (width - len(cell))} ')
    print(LINES[10] + LINES[10].join(parts) + LINES[10])
    if n < len(ROWS) - 1:
        print(rule(*LINES[3:6]))
print(rule(*LINES[6:9]))
print('\n\x1b[7m F1 \x1b[0m Help  \x1b[7m F3 \x1b[0m Filter  \x1b[7m F5 \x1b[0m Restart  \x1b[7m F10 \x1b[0m Quit')
