"""Writes the synchronous client, whose methods are those of the asynchronous one, when the package is built."""

from __future__ import annotations

import re
from pathlib import Path

WORDS = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\(await (ask\(\))\)", r"\1"),
    (r"\bawait ", ""),
    (r"\basyncio\.Lock\b", "threading.Lock"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"^import asyncio$", "import threading\nimport time"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\baclosing\b", "closing"),
    (r"\bhttpx2\.AsyncClient\b", "httpx2.Client"),
    (r"\bAsync(Iterator|Generator)\b", r"\1"),
    (r"\bAwaitable\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\]]*\])*\])*)\]", r"\1"),
    (r"(?<=, )Awaitable, |\bAwaitable, ", ""),
    (r"\b__aiter__\b", "__iter__"),
    (r"\b__aenter__\b", "__enter__"),
    (r"\b__aexit__\b", "__exit__"),
    (r"\b(aread|aclose|aiter_raw|aiter_bytes)\b", lambda m: m[1][1:] if m[1] != "aclose" else "close"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b(a|_a)(upload|follow|resolution)\b", lambda m: m[1][:-1] + m[2]),
    (r"\ban asynchronous\b", "a synchronous"),
    (r"\basynchronous\b", "synchronous"),
]


def made(text: str) -> str:
    for pattern, to in WORDS:
        text = re.sub(pattern, to, text, flags=re.MULTILINE)
    for module in ("threading", "time"):
        if f"{module}." not in text.replace(f"import {module}", ""):
            text = text.replace(f"import {module}\n", "")
    head, rest = text.split('"""\n', 1) if text.startswith('"""') else ("", text)
    return f'{head}\n\nMade by scripts/make_sync.py of the asynchronous client: do not edit.\n"""\n{rest}' if head else text


def write(source: Path, to: Path) -> None:
    """Writes the twin of each module of a folder."""
    to.mkdir(exist_ok=True)
    for file in source.glob("*.py"):
        (to / file.name).write_text(made(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
