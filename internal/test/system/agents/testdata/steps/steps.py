"""What the programs of the clients in Python share: serve reads steps, each a line of JSON, has a client do them, and
prints what came of each as a line of JSON."""
import asyncio
import json
import os
import sys
import traceback
import urllib.request

out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what clients print goes to where complaints go


async def serve(client):
    while line := await asyncio.to_thread(sys.stdin.readline):
        step = json.loads(line)
        do = step.pop("do")
        try:
            if do == "about":
                answer = client.about
            else:
                answer = await getattr(client, do)(**step) or {}
        except BaseException as err:
            traceback.print_exc()
            answer = {"failed": f"{do}: {type(err).__name__}: {err}"}
        print(json.dumps(answer), file=out, flush=True)


async def reached(url):
    """Returns when the test says that a call has reached its tool."""
    await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=60).read())


async def leave(call, until):
    """Begins a call and leaves it when it has reached its tool."""
    task = asyncio.create_task(call)
    at = asyncio.create_task(reached(until))
    await asyncio.wait([task, at], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        raise RuntimeError(f"the call ended by itself: {task.exception() or task.result()}")
    task.cancel()
    await asyncio.wait([task], timeout=30)


def answer_of(result):
    """Returns what a result of the SDK says."""
    texts = [part.text for part in result.content if part.type == "text"]
    return {"text": "\n".join(texts), "images": sum(part.type == "image" for part in result.content)}
