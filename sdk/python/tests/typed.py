"""What a program that uses the client looks like to a type checker; it is not run."""

from __future__ import annotations

from windie import AgentClient, AsyncWindie, Windie


def synchronous() -> None:
    with Windie(user_id="ada") as windie:
        target = windie.screen("shot.png").resolve("Check out")
        if target:
            x, y = target.point
            print(x + y, target.target["text"])
        for candidate in target.candidates:
            print(candidate.get("distinction", {}).get("occurrence"))
        for event in windie.prompts.start("hello", on_approval=lambda approval: approval["toolName"] == "web.search"):
            if event["event"] == "prompt.output" and event["data"]["type"] == "tool":
                print(event["data"]["function"])
        for conversation in windie.conversations.list():
            print(conversation["updatedAt"])


def save_note(text: str) -> str:
    """Keeps a note."""
    return text


async def asynchronous() -> None:
    async with AsyncWindie() as windie:
        rows = await windie.screen(b"...").find("Check out", timeout=5.0)
        print(rows[0]["center"]["x"])
    async with AgentClient(user_id="ada") as sdk, await sdk.wake_up(tools=[save_note]) as agent:
        answer = await agent.ask("hello")
        print(answer.text.upper())
