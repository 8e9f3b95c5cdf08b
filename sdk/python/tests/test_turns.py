import asyncio
import json
import os
import tempfile
import threading
import unittest
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx2
from windie import AgentClient, APIError, AsyncWindie, ConnectionFailed, SyncAgentClient, Tool, ToolContext, ToolScreen, Windie, WindieError
from windie._shared import EventParser
from windie.tools import schema_of

from environment import APPROVAL_KEY, CARD, END, HOSTED, LOCAL, cut, fail, seen, someone

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
MANIFEST = {"version": 1, "tools": [{"name": "save_note", "schema": SCHEMA, "risk": "safe"}]}


async def until(check: Callable[[], bool]) -> None:
    for _ in range(600):
        if check():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not come to that within 30 s")


def said(events: list) -> list:
    return [e["data"]["content"] for e in events if e["event"] == "prompt.output" and e["data"]["type"] == "text"]


class Prompts(unittest.TestCase):
    def setUp(self) -> None:
        self.windie = Windie(LOCAL, user_id=someone(), approval_key=APPROVAL_KEY)
        self.addCleanup(self.windie.close)
        self.addCleanup(fail)

    def test_a_prompt_with_approvals_to_its_end(self) -> None:
        asked = []
        stream = self.windie.prompts.start("Keep three notes", on_approval=lambda a: asked.append(a["toolName"]) or True)
        result = stream.final()
        self.assertTrue(result.text.endswith(END))
        self.assertEqual(len(asked), 3)
        self.assertEqual(self.windie.prompts.get(stream.prompt_id)["status"], "completed")
        self.assertEqual(next(iter(self.windie.prompts.list()))["id"], stream.prompt_id)
        again = [e["event"] for e in self.windie.prompts.events(stream.prompt_id)]
        self.assertEqual((again[0], again[-1]), ("prompt.created", "prompt.completed"))
        self.windie.prompts.delete(stream.prompt_id)

    def hear(self, cut_at: int) -> list:
        events = []
        for event in self.windie.prompts.start("Keep three notes", on_approval=lambda _: True, deltas=True):
            events.append(event)
            if len(events) == cut_at:
                cut()
        return events

    def test_wherever_the_connection_breaks(self) -> None:
        whole = self.hear(0)
        for n in range(1, len(whole)):
            with self.subTest(n):
                events = self.hear(n)
                self.assertEqual(said(events), said(whole))
                ids = [e["id"] for e in events if e["event"] != "prompt.delta"]
                self.assertEqual(len(ids), len(set(ids)))

    def test_faults_on_the_way(self) -> None:
        fail({"path": "/api/prompt", "status": 502, "times": 1, "body": "<html>"})
        seen()
        self.windie.prompts.start("Keep three notes", on_approval=lambda _: True).final()
        first, second = [r for r in seen() if r["path"] == "/api/prompt"]
        self.assertEqual(first["key"], second["key"])
        self.assertEqual(len(self.windie.prompts.list().all()), 1)
        fail({"path": "/api/prompt", "chop": True})
        self.assertEqual(said(self.hear(0)), said(self.hear(0)))

    def test_bytes_of_events_however_they_are_cut(self) -> None:
        text = 'id: 1\r\nevent: a\r\ndata: {"x":\r\ndata: "ü"}\r\n\r\n: heartbeat\n\nid: 2\revent: b\rdata: {}\r\r'.encode()
        for size in range(1, len(text) + 1):
            parser = EventParser()
            events = [e for i in range(0, len(text), size) for e in parser.feed(text[i : i + size])] + list(parser.finish())
            self.assertEqual([(e.id, e.event, e.data) for e in events], [("1", "a", '{"x":\n"ü"}'), ("2", "b", "{}")], size)

    def test_cancel_and_decisions_elsewhere(self) -> None:
        stream = self.windie.prompts.start("Keep three notes")
        for event in stream:
            if event["event"] == "prompt.approval":
                break
        self.assertEqual(self.windie.prompts.get(stream.prompt_id)["status"], "waiting_for_approval")
        stream.cancel()
        with self.assertRaises(APIError) as canceled:
            self.windie.prompts.events(stream.prompt_id).final()
        self.assertEqual(canceled.exception.code, "CANCELED")
        for event in self.windie.prompts.start("Keep three notes"):
            if event["event"] == "prompt.approval":
                decision = event["data"]["decisionId"]
                self.assertEqual(self.windie.decisions.get(decision)["state"], "pending")
                self.assertIn(decision, [d["id"] for d in self.windie.decisions.list()])
                self.windie.decisions.approve(decision)

    def test_a_message_of_a_chat_that_is_sent_again_has_the_id_that_it_had(self) -> None:
        message: Any = {"parts": [{"type": "text", "text": "continue"}]}
        for stream in (True, False):
            ids: list[str] = []

            def lossy(request: httpx2.Request, ids: list[str] = ids, stream: bool = stream) -> httpx2.Response:
                ids.append(json.loads(request.content)["message"]["id"])
                if len(ids) % 2 == 1:
                    raise httpx2.ConnectError("the connection broke")
                if not stream:
                    return httpx2.Response(200, json={"assistant": message})
                return httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, content=iter([b'id: 1\nevent: assistant.final\ndata: {"text":"Done."}\n\n']))

            with Windie(LOCAL, http_client=httpx2.Client(transport=httpx2.MockTransport(lossy))) as windie:
                for _ in range(2):
                    if stream:
                        self.assertEqual([e["event"] for e in windie.general.chat("g", message)], ["assistant.final"])
                    else:
                        windie.general.say("g", message)
            self.assertEqual(ids, [ids[0], ids[0], ids[2], ids[2]])
            self.assertTrue(ids[0] and ids[2] and ids[0] != ids[2])

    def test_the_general_agent_wherever_the_connection_breaks(self) -> None:
        general = self.windie.general

        def talk(cut_at: int) -> int:
            session = general.open_session(tools=MANIFEST)["general_session_id"]
            runs, count, text = {}, 0, ""
            for event in general.chat(session, "Keep three notes"):
                count += 1
                if count == cut_at:
                    cut()
                if event["event"] == "tool.request" and not event["data"].get("answered"):
                    runs[event["data"]["id"]] = runs.get(event["data"]["id"], 0) + 1
                    general.tool_result(session, {"id": event["data"]["id"], "ok": True, "result": "kept"})
                if event["event"] == "assistant.final":
                    text = event["data"]["text"]
            self.assertTrue(text.endswith(END), text)
            self.assertEqual(list(runs.values()), [1, 1, 1])
            general.delete_session(session)
            return count

        for n in range(1, talk(0)):
            with self.subTest(n):
                talk(n)


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_screens_and_prompts(self) -> None:
        async with AsyncWindie(LOCAL, user_id=someone(), approval_key=APPROVAL_KEY) as windie:
            screen = windie.screen(CARD)
            seen()
            targets = await asyncio.gather(screen.resolve("Check out"), screen.resolve("Add to cart"))
            self.assertEqual([t.status for t in targets], ["found", "ambiguous"])
            self.assertEqual(len([r for r in seen() if r["path"] == "/api/artifacts/"]), 1)

            async def yes(_: object) -> bool:
                return True

            result = await windie.prompts.start("Keep three notes", on_approval=yes).final()
            self.assertTrue(result.text.endswith(END))
            self.assertEqual(len(await windie.prompts.list().all()), 1)

    async def test_the_example_of_the_reference(self) -> None:
        with tempfile.TemporaryDirectory() as workspace:
            Path(workspace, "my_project").mkdir()
            Path(workspace, "my_project", "tools.py").write_text(
                "from pathlib import Path\n\ndef save_note(text):\n    with open(Path(__file__).parent.parent / 'notes', 'a') as f:\n        f.write(text + '\\n')\n    return 'kept'\n"
            )
            sdk = AgentClient(base_url=LOCAL, user_id="dev-user")
            prompt = await sdk.get_system_prompt()
            tool_schemas = await sdk.get_tool_schemas()
            query_plan = await sdk.get_query_plan({"user_query_raw": "open file", "conversation_ref": "conv_sdk", "messages": []})
            agent = await sdk.wake_up(
                system_prompt="You are a concise coding agent.",
                workspace_path=workspace,
                tools=[{"name": "save_note", "module": "my_project.tools:save_note", "schema": SCHEMA}],
            )
            done = asyncio.Event()
            agent.on("streaming-complete", lambda _: done.set())
            message_id = await agent.query(text="Summarize the repo instructions.", conversation_ref="conv_python_sdk")
            await asyncio.wait_for(done.wait(), 30)
            self.assertTrue(prompt["system_prompt"] and tool_schemas["provider_tool_schemas"] and message_id)
            self.assertEqual(query_plan["query_message"]["type"], "query")
            self.assertEqual(sorted(Path(workspace, "notes").read_text().split()), sorted("note 1 note 2 note 3".split()))
            await agent.aclose()
            await sdk.aclose()

    async def test_wherever_the_connection_breaks_each_call_runs_once(self) -> None:
        async with AgentClient(LOCAL) as sdk:

            async def talk(cut_at: int) -> int:
                notes, count = [], 0

                def save_note(text: str) -> str:
                    notes.append(text)
                    return "kept"

                async with await sdk.wake_up(user_id=someone(), tools=[save_note]) as agent:

                    def heard(message: dict) -> None:
                        nonlocal count
                        if "conversation_ref" in message:
                            count += 1
                            if count == cut_at:
                                cut()

                    agent.on("*", heard)
                    answer = await asyncio.wait_for(agent.ask("Keep three notes"), 30)
                    self.assertTrue(answer.text.endswith(END))
                    self.assertEqual(sorted(notes), ["note 1", "note 2", "note 3"])
                return count

            for n in range(1, await talk(0)):
                with self.subTest(n):
                    await talk(n)

    async def test_a_call_that_is_asked_for_twice_runs_once(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            notes = []

            def save_note(text: str) -> None:
                notes.append(text)

            async with await sdk.wake_up(user_id=someone(), tools=[save_note]) as agent:
                hear = agent._hear
                agent._hear = lambda message: (hear(message), hear(message))
                self.assertTrue((await asyncio.wait_for(agent.ask("Keep three notes"), 30)).text.endswith(END))
            self.assertEqual(sorted(notes), ["note 1", "note 2", "note 3"])

    async def test_of_more_calls_than_may_run_at_once_the_others_are_refused_and_none_is_run_twice(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            runs: dict[str, int] = {}
            results, over = [], asyncio.Event()

            async def wait(context: ToolContext) -> str:
                runs[context.request_id] = runs.get(context.request_id, 0) + 1
                await over.wait()
                return "waited"

            async with await sdk.wake_up(user_id=someone(), tools=[{"name": "wait", "schema": {"type": "object"}, "function": wait}]) as agent:
                send = agent._ws.send_text

                async def noting(text: str) -> None:
                    results.append(json.loads(text)["payload"])
                    await send(text)

                def call(n: int) -> None:
                    asked = {"tool_name": "wait", "parameters": {}, "request_id": f"call {n}", "metadata": {"tool_call_id": str(n)}}
                    agent._hear({"type": "tool-call", "conversation_ref": "c", "payload": asked})

                agent._ws.send_text = noting
                for n in range(501):
                    call(n)
                await until(lambda: len(runs) == 500 and len(results) == 1)
                self.assertIn("500 calls already run at this client", results[0]["error"])
                for n in range(500):
                    call(n)
                over.set()
                await until(lambda: len(results) == 1001)
            self.assertEqual(set(runs.values()), {1})

    async def test_an_answer_is_sent_until_the_gateway_has_it_and_not_again(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            begun, late, ended, refused, results = asyncio.Event(), asyncio.Event(), asyncio.Event(), asyncio.Event(), []

            async def save_note(text: str) -> str:
                if text != "note 1":
                    begun.set()
                    await late.wait()
                return "kept"

            async with await sdk.wake_up(user_id=someone(), tools=[save_note]) as agent:
                agent.on("streaming-complete", lambda _: ended.set())
                agent.on("error", lambda e: e["payload"].get("code") == "DECISION_EXPIRED" and refused.set())
                turn = asyncio.create_task(agent.ask("Keep three notes"))
                await asyncio.wait_for(begun.wait(), 30)
                turn.cancel()
                await asyncio.wait_for(ended.wait(), 30)
                late.set()
                await asyncio.wait_for(refused.wait(), 30)
                before, begin = agent._ws, agent._begin

                async def noting(ws: Any, again: bool) -> None:
                    send = ws.send_text

                    async def noted(text: str) -> None:
                        results.append(json.loads(text)["type"])
                        await send(text)

                    ws.send_text = noted
                    await begin(ws, again)

                agent._begin = noting
                cut()
                await until(lambda: agent._ws is not None and agent._ws is not before)
                await asyncio.wait_for(agent.models(), 30)
            self.assertNotIn("tool-result", results)

    async def test_a_decision_that_is_lost_is_sent_again(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            decisions = []
            async with await sdk.wake_up(user_id=someone(), disabled_tools=["keyboard_control"], on_approval=lambda _: {"approved": False, "reason": "no"}) as agent:
                begin = agent._begin

                async def losing(ws: Any, again: bool) -> None:
                    send = ws.send_text

                    async def sent(text: str) -> None:
                        message = json.loads(text)
                        if message["type"] == "approval-decision":
                            decisions.append(message)
                            if len(decisions) == 1:
                                return cut()
                        await send(text)

                    ws.send_text = sent
                    await begin(ws, again)

                await losing(agent._ws, False)
                agent._begin = losing
                answer = await asyncio.wait_for(agent.ask("Keep three notes"), 30)
            self.assertTrue(answer.text)
            self.assertEqual(decisions[0], decisions[1])

    async def test_a_request_whose_answer_is_lost_is_made_again_and_ends_with_the_agent(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            lost = {"models-listed", "settings-updated"}
            agent = await sdk.wake_up(user_id=someone())
            hear = agent._hear

            def heard(message: dict) -> None:
                if message["type"] in lost:
                    lost.remove(message["type"])
                    cut()
                else:
                    hear(message)

            agent._hear = heard
            self.assertTrue(await asyncio.wait_for(agent.models(), 30))
            self.assertEqual(await asyncio.wait_for(agent.update_settings({"interaction_mode": "chat"}), 30), ["interaction_mode"])
            lost.add("models-listed")
            heard_of = asyncio.Event()
            agent.on("models-listed", lambda message: message["in_reply_to"] == id and heard_of.set())
            id = agent.send("list-models", {})
            await asyncio.wait_for(heard_of.wait(), 30)
            self.assertFalse(lost)
            waits = asyncio.create_task(agent.settings())
            await asyncio.sleep(0)
            await agent.aclose()
            with self.assertRaises(ConnectionFailed):
                await waits

    async def test_questions_settings_and_ends(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            asked = []

            def keyboard_control(action: str, text: str) -> str:
                raise AssertionError("it was denied")

            tool = {"name": "keyboard_control", "schema": {"type": "object"}, "risk": "risky", "function": keyboard_control}
            agent = await sdk.wake_up(user_id=someone(), tools=[tool], on_approval=lambda a: asked.append(a) or {"approved": False, "reason": "no"})
            await agent.ask("Keep three notes")
            self.assertTrue(asked and all(a.local for a in asked))
            self.assertEqual((await agent.settings())["interaction_mode"], "agent")
            self.assertEqual(await agent.update_settings({"interaction_mode": "chat"}), ["interaction_mode"])
            with self.assertRaises(APIError):
                await agent.update_settings({"selected_model_id": "none"})
            self.assertTrue(await agent.models())
            await agent.aclose()
            with self.assertRaises(ConnectionFailed):
                await agent.ask("anybody there?")
            with self.assertRaisesRegex(WindieError, "rejected these tools"):
                await sdk.wake_up(tools=[{"name": "not a name!", "schema": SCHEMA, "function": print}])

    async def test_canceling_ends_the_turn(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            begun, canceled = asyncio.Event(), asyncio.Event()

            async def save_note(text: str) -> None:
                begun.set()
                await asyncio.Event().wait()

            async with await sdk.wake_up(user_id=someone(), tools=[save_note]) as agent:
                agent.on("error", lambda e: e["payload"].get("reason") == "canceled" and canceled.set())
                turn = asyncio.create_task(agent.ask("Keep three notes"))
                await asyncio.wait_for(begun.wait(), 30)
                turn.cancel()
                await asyncio.wait_for(canceled.wait(), 30)

    async def test_a_question_that_waits_and_is_given_up_is_not_asked(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            begun, go_on, dropped, heard = asyncio.Event(), asyncio.Event(), asyncio.Event(), []

            async def save_note(text: str) -> str:
                begun.set()
                await go_on.wait()
                return "kept"

            async with await sdk.wake_up(user_id=someone(), tools=[save_note]) as agent:
                agent.on("*", lambda e: heard.append(json.dumps(e)))
                agent.on("error", lambda e: "before it began" in e["payload"]["message"] and dropped.set())
                first = asyncio.create_task(agent.ask("Keep three notes"))
                await asyncio.wait_for(begun.wait(), 30)
                second = asyncio.create_task(agent.ask("Pay the invoice", on_busy="queue"))
                await asyncio.sleep(0.3)  # or it would never have been sent
                second.cancel()
                await asyncio.wait_for(dropped.wait(), 30)
                go_on.set()
                self.assertTrue((await asyncio.wait_for(first, 30)).text.endswith(END))
                self.assertTrue((await asyncio.wait_for(agent.ask("Keep three notes", on_busy="queue"), 30)).text.endswith(END))
            self.assertFalse([m for m in heard if "Pay the invoice" in m])

    async def test_a_question_that_waits_gets_its_own_answer(self) -> None:
        for before in (False, True):
            with self.subTest(heard_before=before):
                await self.two_ask(before)

    async def two_ask(self, before: bool) -> None:
        """Has two agents of a user ask in one conversation at once: the second one heard it before, or comes to the first one's turn."""
        user, begun, go_on = someone(), asyncio.Event(), asyncio.Event()

        async def save_note(text: str) -> str:
            begun.set()
            await go_on.wait()
            return "kept"

        def noting(agent: Any) -> dict:
            asked = {}
            agent.on("user-message-full", lambda e: asked.update({e["turn_ref"]: e["payload"]["metadata"]["original_query"]}))
            return asked

        async with AgentClient(LOCAL) as sdk:
            async with await sdk.wake_up(user_id=user, tools=[save_note]) as ada, await sdk.wake_up(user_id=user, tools=[save_note]) as bob:
                adas, bobs = noting(ada), noting(bob)
                if before:
                    bob.rehydrate([], "shared")
                    await bob.models()  # the gateway has it
                first = asyncio.create_task(ada.ask("Keep ada's notes", conversation_ref="shared"))
                await asyncio.wait_for(begun.wait(), 30)
                second = asyncio.create_task(bob.ask("Keep bob's notes", conversation_ref="shared", on_busy="queue"))
                await until(lambda: len(bob._state.open) == 1)
                await bob.models()  # likewise
                go_on.set()
                self.assertEqual(adas[(await asyncio.wait_for(first, 30)).turn_ref], "Keep ada's notes")
                self.assertEqual(bobs[(await asyncio.wait_for(second, 30)).turn_ref], "Keep bob's notes")

    async def test_at_a_gateway_that_names_no_query_the_first_turn_is_taken_for_it(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            notes = []
            async with await sdk.wake_up(user_id=someone(), tools=[Tool("save_note", SCHEMA, function=lambda text: notes.append(text))]) as agent:
                hear = agent._hear
                agent._hear = lambda message: hear({name: value for name, value in message.items() if name != "query_ref"})
                agent.on("*", lambda e: self.assertNotIn("query_ref", e))
                self.assertTrue((await asyncio.wait_for(agent.ask("Keep three notes"), 30)).text.endswith(END))
            self.assertEqual(len(notes), 3)

    async def test_a_question_that_was_given_up_is_not_asked_on_the_next_connection(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            async with await sdk.wake_up(user_id=someone()) as agent:
                heard, lost, sent = [], [], []
                agent.on("*", lambda e: heard.append(json.dumps(e)))

                async def lose(text: str) -> None:
                    lost.append(json.loads(text)["type"])

                agent._ws.send_text = lose
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(agent.ask("Pay the invoice"), 0.3)
                await until(lambda: lost == ["query", "cancel"])
                begin = agent._begin

                async def note(ws: Any, again: bool) -> None:
                    send = ws.send_text
                    ws.send_text = lambda text: sent.append(json.loads(text)) or send(text)
                    await begin(ws, again)

                agent._begin = note
                cut()
                await asyncio.wait_for(agent.models(), 30)
                self.assertEqual([(m["type"], "query_id" in m["payload"]) for m in sent if m["type"] != "list-models"], [("cancel", True)])
            self.assertFalse([m for m in heard if "Pay the invoice" in m])

    async def test_tools_that_fail_or_show_the_screen(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            contexts, outputs = [], []

            def save_note(text: str, context: ToolContext) -> ToolScreen:
                contexts.append(context)
                if text == "note 1":
                    return ToolScreen(CARD, "look")
                raise OSError("the disk is full")

            async with await sdk.wake_up(user_id=someone(), tools=[save_note]) as agent:
                agent.on("tool-output", lambda e: outputs.append(e["payload"]))
                await agent.ask("Keep three notes")
            self.assertTrue(any(o.get("screenshot_ref") for o in outputs))
            self.assertTrue(any("disk is full" in (o["error"] or "") for o in outputs))
            self.assertEqual(contexts[0].tool_name, "save_note")

    async def test_an_output_that_is_no_json_is_an_error(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            values, outputs = [datetime.now(), float("nan"), "a name \udc80"], []

            def save_note(text: str) -> object:
                return values.pop(0) if values else None

            async with await sdk.wake_up(user_id=someone(), tools=[save_note]) as agent:
                agent.on("tool-output", lambda e: outputs.append(e["payload"]))
                for _ in range(2):  # a call behind one that failed is not made
                    self.assertTrue((await asyncio.wait_for(agent.ask("Keep three notes"), 30)).text)
            self.assertEqual(len([o for o in outputs if "the result of save_note cannot be encoded as JSON" in (o["error"] or "")]), 2, outputs)
            self.assertIn("a name ?", [o["output"] for o in outputs])

    async def test_an_approval_that_cannot_be_sent_is_a_no(self) -> None:
        async with AgentClient(LOCAL) as sdk:
            answers, sent = [{"approved": True, "input": {"at": datetime.now()}}, {"input": {}}], []
            async with await sdk.wake_up(user_id=someone(), on_approval=lambda _: answers.pop(0)) as agent:
                send = agent._send
                agent._send = lambda kind, payload, id=None: send(kind, payload, id) and sent.append((kind, payload["approved"]))
                for _ in range(3):  # at the last the program has nothing to say, and raises
                    await agent._approve({"tool_name": "x", "parameters": {}, "reason": "", "request_id": "r"}, None)
            self.assertEqual(sent, [("approval-decision", False)] * 3)

    async def test_a_hosted_gateway(self) -> None:
        async with AgentClient(HOSTED) as nobody:
            made = await nobody.register("Linux")
            with self.assertRaisesRegex(APIError, "AUTH_REQUIRED"):
                await nobody.wake_up()
        notes = []
        async with AgentClient(HOSTED, user_id=made["user_id"], token=made["install_token"]) as sdk:

            def save_note(text: str) -> None:
                notes.append(text)

            async with await sdk.wake_up(tools=[save_note]) as agent:
                self.assertTrue((await agent.ask("Keep three notes")).text.endswith(END))
        self.assertEqual(len(notes), 3)


class Synchronous(unittest.TestCase):
    def test_an_agent_without_an_event_loop(self) -> None:
        notes, heard = [], threading.Event()
        with SyncAgentClient(LOCAL, user_id=someone()) as sdk:
            self.assertTrue(sdk.get_system_prompt()["system_prompt"])
            self.assertTrue(sdk.get_tool_schemas())
            self.assertTrue(sdk.get_query_plan({"user_query_raw": "x", "conversation_ref": "c"}))

            def save_note(text: str) -> None:
                notes.append(text)

            with sdk.wake_up(tools=[save_note]) as agent:
                agent.on("tool-output", lambda _: heard.set())
                self.assertTrue(agent.ask("Keep three notes").text.endswith(END))
                self.assertEqual(agent.settings()["interaction_mode"], "agent")
                self.assertTrue(agent.query("once more"))
        self.assertTrue(heard.wait(10))
        self.assertIn("note 3", notes)

    def test_schemas_of_functions(self) -> None:
        def function(
            text: str, count: int = 3, mode: Literal["a", "b"] = "a", names: list[str] | None = None, more: dict[str, float] | None = None,
            where: Annotated[float, "in pixels"] = 0.5, context: ToolContext | None = None, own: ToolContext = None,  # type: ignore
        ) -> None: ...  # fmt: skip

        schema = schema_of(function)
        self.assertEqual(schema["required"], ["text"])
        self.assertEqual(schema["properties"]["names"], {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]})
        self.assertEqual(schema["properties"]["mode"], {"enum": ["a", "b"], "default": "a"})
        self.assertEqual(schema["properties"]["where"], {"type": "number", "description": "in pixels", "default": 0.5})
        self.assertNotIn("own", schema["properties"])
        with self.assertRaises(TypeError):
            schema_of(lambda *args: None)


os.environ.pop("WINDIE_URL", None)

if __name__ == "__main__":
    unittest.main()
