import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from windie import ConnectionFailed, LocalRuntime, SyncAgentClient, Tool, WindieError

from environment import LOCAL, someone

STATE = {"WINDIE_DATA_DIR": tempfile.mkdtemp()}


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class LocalRuntimes(unittest.TestCase):
    def setUp(self) -> None:
        self.dir = Path(tempfile.mkdtemp())

    def test_what_is_no_message_is_passed_over(self) -> None:
        (self.dir / "note.txt").write_text("hello")
        command = self.dir / "windie.sh"
        command.write_text('#!/bin/sh\necho "[INFO] hello"\necho 1\nexec "$WINDIE_BIN" "$@"\n')
        command.chmod(0o755)
        with LocalRuntime(command=str(command), dir=self.dir, env=STATE) as runtime:
            self.assertIn("hello", runtime.call("file_read", {"path": "note.txt"}))

    def test_the_tools_of_the_machine(self) -> None:
        (self.dir / "note.txt").write_text("hello")
        asked: list[str] = []

        def approve(message: str) -> bool:
            asked.append(message)
            return len(asked) == 1

        with LocalRuntime(dir=self.dir, env=STATE, on_approval=approve) as runtime:
            risks = {tool.name: tool.risk for tool in runtime.tools}
            self.assertEqual((risks["file_read"], risks["file_write"]), ("safe", "risky"))
            self.assertFalse([name for name in risks if name.startswith(("ocr_", "memory_"))])
            self.assertIn("hello", runtime.call("file_read", {"path": "note.txt"}))
            runtime.call("file_write", {"path": "new.txt", "text": "kept"})
            self.assertEqual((self.dir / "new.txt").read_text(), "kept")
            with self.assertRaisesRegex(WindieError, "denied"):
                runtime.call("file_write", {"path": "other.txt", "text": "no"})
            self.assertEqual(len(asked), 2)
            self.assertRegex(asked[0], "file.write.*new.txt")
            with self.assertRaises(WindieError):
                runtime.call("file_read", {"path": "missing"})
        with self.assertRaises(ConnectionFailed):
            runtime.call("file_read", {"path": "note.txt"})

    def test_an_agent_uses_a_tool_of_the_machine(self) -> None:
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
        with LocalRuntime(dir=self.dir, env=STATE, on_approval=lambda message: True) as runtime, SyncAgentClient(LOCAL) as sdk:
            write = next(tool for tool in runtime.tools if tool.name == "file_write").function
            save = Tool(name="save_note", schema=schema, function=lambda text: write(path=f"{text}.txt", text=text))
            agent = sdk.wake_up(user_id=someone(), tools=[*runtime.tools, save])
            agent.ask("Keep three notes")
            agent.close()
        for name in ("note 1", "note 2", "note 3"):
            self.assertEqual((self.dir / f"{name}.txt").read_text(), name)

    def test_a_program_that_is_missing_or_is_another_one(self) -> None:
        with self.assertRaisesRegex(WindieError, "no program '/nowhere/windie'.*PATH.*WINDIE_BIN"):
            LocalRuntime(command="/nowhere/windie")
        with self.assertRaisesRegex(ConnectionFailed, "(?s)has ended.*no-such-flag"):
            LocalRuntime(env=STATE, args=["--no-such-flag"])

    def test_the_program_ends_with_its_owner_also_when_that_is_killed(self) -> None:
        script = f"import time, windie; r = windie.LocalRuntime(env={STATE!r}); print(r._program.pid, flush=True); time.sleep(600)"
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as owner:
            pid = int(owner.stdout.readline())
            self.assertTrue(alive(pid))
            owner.send_signal(signal.SIGKILL)
        until = time.monotonic() + 10
        while alive(pid) and time.monotonic() < until:
            time.sleep(0.05)
        self.assertFalse(alive(pid))
