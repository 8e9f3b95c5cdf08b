import io
import logging
import os
import socket
import stat
import tempfile
import unittest
from pathlib import Path

import numpy
from PIL import Image

from windie import AmbiguousMatch, APIError, CallTimeout, ConnectionFailed, NoMatch, TokenFile, ValidationError, Windie

from environment import APPROVAL_KEY, CARD, HOSTED, LOCAL, OPERATOR, RUNS_KEY, fail, seen, someone

FIND = "/api/sdk/ocr/find-text"


def busy(code: str, **more: object) -> dict:
    return {"body": '{"error":{"code":"%s","message":"not now","details":{}}}' % code} | more


class Screens(unittest.TestCase):
    def setUp(self) -> None:
        self.windie = Windie(LOCAL, user_id=someone(), approval_key=APPROVAL_KEY)
        self.addCleanup(self.windie.close)
        self.addCleanup(fail)

    def test_a_screen_is_uploaded_once_whatever_it_comes_as(self) -> None:
        picture = Image.open(CARD).convert("RGB")
        grey = numpy.asarray(picture.convert("L"))
        for source in (CARD, Path(CARD), Path(CARD).read_bytes(), open(CARD, "rb"), picture, numpy.asarray(picture), grey):
            seen()
            screen = self.windie.screen(source)
            target = screen.resolve("Check out")
            self.assertTrue(target, type(source))
            self.assertGreater(target.point[0], 0)
            self.assertEqual(len(screen.find("Add to cart")), 2)
            uploads = [r for r in seen() if r["path"] == "/api/artifacts/"]
            self.assertEqual(len(uploads), 1)
            self.assertFalse(uploads[0]["key"], "a screen does without")
            if isinstance(source, io.IOBase):
                source.close()
        for wrong in (3, numpy.zeros((2, 2)), numpy.zeros((2, 2, 2), "uint8")):
            with self.assertRaises(TypeError):
                self.windie.screen(wrong).read()

    def test_ambiguity_is_a_value_with_candidates(self) -> None:
        screen = self.windie.screen(CARD)
        twice = screen.resolve("Add to cart")
        self.assertEqual((twice.status, bool(twice), len(twice.candidates)), ("ambiguous", False, 2))
        with self.assertRaises(AmbiguousMatch):
            twice.point
        second = screen.resolve("Add to cart", occurrence=2)
        self.assertEqual(second.target["center"], twice.candidates[1]["center"])
        missing = screen.resolve("Nowhere to be seen")
        self.assertEqual(missing.status, "missing")
        with self.assertRaises(NoMatch):
            missing.target
        self.assertEqual(screen.candidate(twice.candidates[0]["candidate_id"])["text"], "Add to cart")

    def test_everything_else_that_a_screen_answers(self) -> None:
        screen = self.windie.screen(CARD)
        self.assertEqual(len(screen.read()), 3)
        self.assertTrue(screen.candidates("Chekc out"))
        self.assertTrue(screen.locate("the text Check out"))
        self.assertGreaterEqual(len(screen.locate_all("the text Add to cart")), 2)
        self.assertTrue(screen.elements())
        self.assertEqual(screen.describe()["image"]["width"], 360)
        center = screen.find("Check out")[0]["center"]
        self.assertEqual(screen.at(center["x"], center["y"])["row"]["text"], "Check out")
        self.assertEqual(screen.inspect("Check out")["resolved_match"]["text"], "Check out")
        self.assertTrue(screen.diff(self.windie.screen(CARD))["same"])
        overlay = screen.overlay("Add to cart")
        self.assertEqual(overlay.info["annotation_count"], 2)
        self.assertIn("image/png", overlay._repr_mimebundle_())
        self.assertEqual(screen.overlay(points=[center]).info["annotation_count"], 1)
        again = self.windie.screen(artifact_id=screen.artifact_id())
        self.assertEqual(len(again.find("Check out")), 1)
        self.windie.artifacts.delete(screen.artifact_id())
        self.assertEqual(len(screen.find("Check out")), 1, "it is uploaded again")

    def test_what_does_no_harm_is_tried_again(self) -> None:
        screen = self.windie.screen(CARD)
        screen.artifact_id()
        for fault, calls in (
            (busy("OVERLOADED", path=FIND, status=503, times=2), 3),
            (busy("RATE_LIMITED", path=FIND, status=429, times=1, header={"Retry-After": "0"}), 2),
            ({"path": FIND, "status": 502, "times": 1, "body": "<html>Bad Gateway</html>"}, 2),
            ({"path": FIND, "times": 1, "lose": True}, 2),
        ):
            with self.subTest(fault):
                fail(fault)
                seen()
                self.assertEqual(len(screen.find("Check out")), 1)
                self.assertEqual(len(seen()), calls)
        fail(busy("BUDGET_EXCEEDED", path=FIND, status=429))
        with self.assertRaises(APIError) as refused:
            screen.find("Check out")
        self.assertEqual(refused.exception.code, "BUDGET_EXCEEDED")
        fail({"path": FIND, "status": 502, "body": "<html>Bad Gateway</html>"})
        with self.assertRaisesRegex(APIError, "is that of a Windie gateway"):
            screen.find("Check out")
        fail({"path": FIND, "status": 200, "times": 1, "body": '{"matches":[{"text":"a","script":"klingon","more":{}}],"more":true}'})
        self.assertEqual(screen.find("Check out")[0]["script"], "klingon", "what a newer gateway says is handed on")

    def test_a_call_of_a_tool_whose_answer_is_lost_is_made_once(self) -> None:
        fail({"path": "/api/tools/shell.exec/invoke", "times": 1, "lose": True})
        seen()
        self.windie.tools.invoke("shell.exec", {"command": "once"})
        first, second = seen()
        self.assertTrue(first["key"])
        self.assertEqual(first["key"], second["key"])
        fail(busy("OVERLOADED", path="/api/install/register", status=503))
        with self.assertRaises(APIError):
            self.windie.register("Linux")
        self.assertEqual(len(seen()), 1, "it makes a secret, and takes no key")

    def test_a_change_of_memory_whose_answer_is_lost_is_made_once(self) -> None:
        path = self.windie.memory.write("The bin goes out on Tuesdays", target="long_term")["path"]
        fail({"path": "/v1/memory/files", "times": 1, "lose": True})
        seen()
        with self.assertRaises(ConnectionFailed):
            self.windie.memory.edit(path, "", "added once\n")
        self.assertEqual(len(seen()), 1)
        self.assertEqual(self.windie.memory.get(path)["text"].count("added once"), 1)

    def test_errors(self) -> None:
        with self.assertRaises(ValidationError) as wrong:
            self.windie.screen(CARD).find("")
        self.assertEqual(wrong.exception.fields[0]["path"], "body.text")
        self.assertTrue(wrong.exception.request_id)
        with self.assertRaises(ConnectionFailed):
            Windie("http://127.0.0.1:9", max_retries=0).health()
        with self.assertRaises(ValueError):
            Windie("gateway")
        entries = []
        patient = Windie(LOCAL, token="a secret", logger=entries.append)
        with socket.create_server(("127.0.0.1", 0)) as silent, self.assertRaises(CallTimeout):
            Windie(f"http://127.0.0.1:{silent.getsockname()[1]}", logger=entries.append, token="a secret").health(timeout=0.05, max_retries=0)
        self.assertTrue(entries)
        self.assertNotIn("a secret", repr(entries) + repr(patient._transport.settings))

    def test_a_token_is_made_once_and_kept_in_a_file_of_its_owner(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = TokenFile(Path(folder) / "token")
            with Windie(HOSTED) as one, Windie(HOSTED) as two:
                token = one.ensure_registered(store, "Linux")
                self.assertEqual(stat.S_IMODE(os.stat(store.path).st_mode), 0o600)
                shot = one.artifacts.upload(CARD)
                self.assertEqual(two.ensure_registered(store), token)
                self.assertEqual(int(two.artifacts.describe(shot["artifact_id"])["content-length"]), shot["size_bytes"])
            with self.assertRaises(APIError) as refused:
                Windie(HOSTED, token="another").capabilities()
            self.assertEqual(refused.exception.code, "AUTH_REQUIRED")


class Routes(unittest.TestCase):
    def setUp(self) -> None:
        self.user = someone()
        self.windie = Windie(LOCAL, user_id=self.user, approval_key=APPROVAL_KEY, runs_key=RUNS_KEY)
        self.addCleanup(self.windie.close)

    def test_artifacts_and_tools(self) -> None:
        windie = self.windie
        shot = windie.artifacts.upload(CARD, filename="card.png")
        self.assertEqual(windie.artifacts.download(shot["artifact_id"]), Path(CARD).read_bytes())
        self.assertEqual(len(windie.artifacts.download(shot["artifact_id"], headers={"Range": "bytes=0-9"})), 10)
        self.assertTrue(windie.artifacts.delete(shot["artifact_id"])["deleted"])
        with self.assertRaises(APIError) as missing:
            windie.artifacts.describe(shot["artifact_id"])
        self.assertEqual((missing.exception.code, missing.exception.status), ("NOT_FOUND", 404))
        tool = windie.tools.list()[0]
        self.assertEqual(windie.tools.get(tool["id"])["id"], tool["id"])

    def test_a_deletion_whose_answer_is_lost_is_one(self) -> None:
        self.addCleanup(fail)
        shot = self.windie.artifacts.upload(CARD)
        fail({"path": f"/api/artifacts/{shot['artifact_id']}", "times": 1, "lose": True})
        self.assertTrue(self.windie.artifacts.delete(shot["artifact_id"])["deleted"])
        fail()
        with self.assertRaisesRegex(APIError, "ARTIFACT_NOT_FOUND"):
            self.windie.artifacts.delete(shot["artifact_id"])

    def test_conversations_page_by_page(self) -> None:
        ids = {self.windie.conversations.create() for _ in range(3)}
        pages = self.windie.conversations.list(limit=2)
        items, after = pages.page()
        self.assertEqual((len(items), len(pages.page(after)[0])), (2, 1))
        self.assertEqual({c["id"] for c in pages}, ids)
        one = ids.pop()
        self.assertEqual(self.windie.conversations.get(one)["prompts"], [])
        self.windie.conversations.delete(one)

    def test_memory_texts_and_models(self) -> None:
        windie = self.windie
        path = windie.memory.write("The door code is four digits", target="long_term")["path"]
        self.assertTrue(any(r["path"] == path for r in windie.memory.search("door")))
        self.assertIn("door code", windie.memory.get(path)["text"])
        self.assertTrue(windie.memory.files())
        windie.memory.delete_file(path)
        windie.memory.delete_all()
        self.assertTrue(windie.embeddings.create("aab")["embedding"])
        self.assertEqual(windie.embeddings.health()["status"], "healthy")
        self.assertEqual(windie.semantic.health()["status"], "healthy")
        self.assertTrue(windie.semantic.title(self.user, "I forgot my password", "Reset it")["title"])
        self.assertTrue(windie.semantic.summarize(["user: hello"], self.user)["success"])
        self.assertTrue(windie.agent.models()["models"])
        name = windie.agent.tool_schemas()["provider_tool_schemas"][0]["name"]
        self.assertTrue(windie.agent.tool_capabilities(name)["capability"])
        self.assertTrue(windie.agent.prompt_preview({"user_query_raw": "open file"})["prompt_messages"])

    def test_runs(self) -> None:
        runs, workspace = self.windie.runs, someone()
        run = runs.create(workspace, "a", "do it")["run"]["run_id"]
        lease = runs.heartbeat({"workspace_id": workspace, "worker_id": "w", "session_id": "s", "user_id": "u", "status": "ready"})["assigned_run"]["lease_epoch"]
        runs.dispatched(run, "w", "t", user_id="u", lease_epoch=lease)
        event = {"event_type": "tool-call", "source": "worker-stream", "payload": {}, "worker_seq": 1, "worker_id": "w", "lease_epoch": lease}
        self.assertEqual([runs.relay(run, event)["duplicate"] for _ in range(2)], [False, True])
        runs.control(run, "pause")
        self.assertEqual(len(runs.list(workspace_id=workspace).all()), 1)
        self.assertEqual(runs.workers(workspace_id=workspace)[0]["worker_id"], "w")
        self.assertEqual(runs.stop_all(workspace_id=workspace)["stopped_run_ids"], [run])
        heard = [e["event_type"] for e in runs.follow(run)]
        self.assertEqual((heard[-1], heard.count("tool-call")), ("run-ended", 1))
        self.assertEqual(len(runs.events(run, limit=2)["events"]), 2)
        self.assertEqual(runs.get(run)["status"], "stopped")

    def test_the_gateway_itself(self) -> None:
        self.assertTrue(self.windie.health()["healthy"])
        self.assertTrue(self.windie.ready()["healthy"])
        self.assertIn("tools", self.windie.capabilities()["plugins"])
        self.assertEqual(self.windie.check_version()["sdk"], "0.0.0")
        self.assertTrue(self.windie.usage())
        self.assertEqual(self.windie.mcp_url, LOCAL + "/mcp")
        with Windie(LOCAL, token=OPERATOR) as operator:
            self.assertIsInstance(operator.plugins.list(), list)
            self.assertIn("windie_", operator.metrics())
            operator.audit.list(limit=3).all()
            self.assertEqual(operator.operator.settings()[0]["key"], "listen")
            self.assertEqual(operator.operator.mcp_servers(), [])
            user = operator.operator.create_user()["user_id"]
            token = operator.operator.create_token(user, "Plan 9")
            self.assertTrue(token["install_token"])
            operator.operator.set_budget(user, tokens=5)
            self.assertIsInstance(operator.operator.users(limit=1).all(), list)
            self.assertEqual(operator.operator.user(user)["user"]["usage"]["tokens"]["limit"], 5)
            operator.operator.revoke_install(token["install_id"])
            self.assertGreater(operator.operator.history()["periods"][-1]["requests"], 0)
            self.assertEqual(operator.operator.kept()[0]["kind"], "prompts")
            self.assertEqual(operator.operator.prune({"prompts": 1}, dry_run=True), {"removed": False, "kinds": {"prompts": 0}})


logging.disable()

if __name__ == "__main__":
    unittest.main()
