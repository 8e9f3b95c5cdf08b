"""Writes the synchronous client, whose methods are those of the asynchronous one: python scripts/make_sync.py [--check]"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "windie"
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


def main() -> None:
    stale: list[str] = []
    for file in sorted((SOURCE / "_async").glob("*.py")):
        to, text = SOURCE / "_sync" / file.name, made(file.read_text())
        if not to.exists() or to.read_text() != text:
            stale.append(str(to))
            if "--check" not in sys.argv:
                to.parent.mkdir(exist_ok=True)
                to.write_text(text)
    if stale and "--check" in sys.argv:
        sys.exit(f"not what the asynchronous client says; run python scripts/make_sync.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
