"""How pictures and what is known of them are written."""

import json
import subprocess


def line(value):
    """A value on one line, numbers with two decimals at most."""
    def short(v):
        if isinstance(v, float):
            return int(v) if v == int(v) else round(v, 2)
        if isinstance(v, dict):
            return {k: short(x) for k, x in v.items()}
        return [short(x) for x in v] if isinstance(v, (list, tuple)) else v
    return json.dumps(short(value), ensure_ascii=False, separators=(',', ':'))


def lines(items):
    return '[\n' + ',\n'.join(map(line, items)) + '\n]' if items else '[]'


def compress(file):
    subprocess.run(['optipng', '-quiet', '-o2', '-strip', 'all', str(file)], check=True)
