"""What the client adds to uploading a screen and asking about it by bare HTTP, as the medians of both in turns."""

import json
import os
import statistics
import time
from pathlib import Path

import httpx2
from windie import Windie

from environment import CARD, someone

URL, USER = os.environ["WINDIE_TEST_DIRECT"], someone()
PICTURE = Path(CARD).read_bytes()
http = httpx2.Client(headers={"X-User-Id": USER})
client = Windie(URL, user_id=USER)


def bare() -> float:
    artifact = http.post(URL + "/api/artifacts/", files={"file": ("file", PICTURE)}).json()["artifact_id"]
    return http.post(URL + "/api/sdk/ocr/resolve-text", json={"image": {"artifact_id": artifact}, "text": "Check out"}).json()["match"]["center"]["x"]


def by_client() -> float:
    return client.screen(PICTURE).resolve("Check out").point[0]


times: dict[str, list[float]] = {"bare": [], "client": []}
for i in range(220):
    pair = [("bare", bare), ("client", by_client)]
    for name, run in reversed(pair) if i % 2 else pair:
        began = time.perf_counter()
        assert run() > 0, name
        if i >= 20:
            times[name].append((time.perf_counter() - began) * 1000)
print(json.dumps({name: statistics.median(of) for name, of in times.items()}))
