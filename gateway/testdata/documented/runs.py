#!/usr/bin/env python3
"""Client of the hosted "runs" control plane: a dashboard and a worker.

    python3 -B runs.py dashboard --key KEY --workspace W [options] BASE_URL
    python3 -B runs.py worker --key KEY --workspace W --worker-id ID [options] BASE_URL

Results go to stdout (JSON lines), remarks to stderr.  Standard library only.
"""
import argparse
import http.client
import json
import signal
import sys
import time
import uuid
from urllib.parse import quote, urlencode, urlsplit

KEY_HEADER = "x-windie-runs-key"
WORKER_SOURCE = "worker-stream"
REQUEST_TIMEOUT_S = 5.0
RETRY_S = 0.5

# The document names the field "status" but none of its values, so every
# ordinary word for "this will not go on" counts as ended.
ENDED_STATUSES = frozenset(
    "stopped completed complete failed cancelled canceled finished succeeded "
    "success done error errored aborted terminated ended expired timed_out "
    "timeout killed closed rejected".split())


def out(record):
    sys.stdout.write(json.dumps(record, ensure_ascii=True) + "\n")
    sys.stdout.flush()


def note(text):
    sys.stderr.write("runs.py: %s\n" % text)
    sys.stderr.flush()


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def as_dict(value):
    return value if isinstance(value, dict) else {}


def dicts_in(value):
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def norm(status):
    return status.strip().lower().replace("-", "_") if isinstance(status, str) else None


def run_state_of(body):
    """The run state, either {"run": {...}} (as on creation) or the bare object."""
    body = as_dict(body)
    return body["run"] if isinstance(body.get("run"), dict) else body


# --------------------------------------------------------------------- HTTP

class Unreachable(Exception):
    """No usable answer: connection error, time-out, 5xx.  Worth trying again.

    maybe_done: the server may have carried the request out all the same.
    """

    def __init__(self, text, maybe_done):
        super().__init__(text)
        self.maybe_done = maybe_done


class Refused(Exception):
    """The server understood and said no (4xx, or anything else that is not 2xx)."""

    def __init__(self, status, text):
        super().__init__("HTTP %d %s" % (status, text))
        self.status = status


class Api:
    def __init__(self, base_url, key):
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("BASE_URL must look like http://host:port")
        self.https = parts.scheme == "https"
        self.host, self.port = parts.hostname, parts.port
        self.prefix = parts.path.rstrip("/")
        self.key = key

    def call(self, method, path, body=None, timeout=REQUEST_TIMEOUT_S):
        """Decoded JSON of a 2xx answer (None where it is not JSON)."""
        cls = http.client.HTTPSConnection if self.https else http.client.HTTPConnection
        conn = cls(self.host, self.port, timeout=max(timeout, 0.1))
        headers = {KEY_HEADER: self.key.encode("utf-8"),
                   "Accept": "application/json", "Connection": "close"}
        data = None
        if body is not None:
            data = json.dumps(body).encode("utf-8")
            headers["Content-Type"] = "application/json"
        connected = False
        try:
            conn.connect()
            connected = True
            conn.request(method, self.prefix + path, body=data, headers=headers)
            answer = conn.getresponse()
            status, raw = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as exc:
            raise Unreachable("%s %s: %s: %s" % (method, path, type(exc).__name__, exc),
                              connected) from None
        finally:
            conn.close()
        text = raw.decode("utf-8", "replace")
        if status >= 500:
            raise Unreachable("%s %s: HTTP %d %s" % (method, path, status, text[:200]), True)
        if not 200 <= status < 300:
            raise Refused(status, "%s %s: %s" % (method, path, text[:300]))
        try:
            return json.loads(text)
        except ValueError:
            return None

    @staticmethod
    def run_path(run_id, tail=""):
        return "/api/runs/" + quote(run_id, safe="") + tail


# ---------------------------------------------------------------- dashboard

class GiveUp(Exception):
    pass


class Dashboard:
    def __init__(self, api, args):
        self.api, self.args = api, args
        self.deadline = time.monotonic() + args.deadline
        self.run_id = None
        self.status = None
        self.cursor = 0
        self.last_seq = None
        self.seen = set()
        self.in_order = True
        self.events = 0
        self.worker_events = 0
        self.todo = ["pause", "set-control-mode", "resume", "stop"]
        self.control_not_before = 0.0
        self.paused_at = None
        self.stop_accepted = False
        self.statuses_before_stop = set()
        self.odd_status_since = None

    def left(self):
        return self.deadline - time.monotonic()

    def call(self, method, path, body=None):
        if self.left() <= 0:
            raise GiveUp("deadline")
        return self.api.call(method, path, body, min(REQUEST_TIMEOUT_S, self.left()))

    def nap(self, seconds):
        time.sleep(max(0.0, min(seconds, self.left())))

    def main(self):
        ended, reason = False, None
        try:
            self.create()
            while not ended:
                if self.left() <= 0:
                    raise GiveUp("deadline")
                try:
                    # State first, events after: once the state says "ended",
                    # the events read afterwards include all up to the end.
                    ended = self.refresh_state()
                    self.read_events()
                    if not ended:
                        self.control()
                except Unreachable as exc:
                    ended = False
                    note("trying again: %s" % exc)
                    self.nap(RETRY_S)
                    continue
                if not ended:
                    self.nap(self.args.poll_period)
        except GiveUp as exc:
            reason = str(exc)
        except Refused as exc:
            reason = str(exc)
        last = {"ended": ended and reason is None, "status": self.status,
                "events": self.events, "seqs_in_order": self.in_order}
        if reason is not None:
            last["reason"] = reason
        out(last)
        return 0 if last["ended"] else 1

    def create(self):
        request = {
            "workspace_id": self.args.workspace,
            "agent_id": self.args.agent_id,
            "query": self.args.query,
            "requested_by": self.args.requested_by,
            "files": [],
            "metadata": {},
        }
        while True:
            try:
                body = as_dict(self.call("POST", "/api/runs/", request))
                break
            except Unreachable as exc:
                # Creation has no idempotency key; a second try after a lost
                # answer may meet the workspace cap (409), which is reported.
                note("trying again: %s" % exc)
                self.nap(RETRY_S)
        run = run_state_of(body)
        run_id = run.get("run_id")
        if not isinstance(run_id, str) or not run_id:
            raise GiveUp("creation answered without a run_id")
        self.run_id = run_id
        self.status = run.get("status")
        sys.stdout.write(run_id + "\n")
        sys.stdout.flush()
        for event in dicts_in(body.get("events")):
            self.take(event)
        self.cursor = self.last_seq or 0

    def take(self, event):
        seq = event.get("seq")
        if is_int(seq):
            if seq in self.seen:
                return
            self.seen.add(seq)
            if self.last_seq is not None and seq < self.last_seq:
                self.in_order = False
            self.last_seq = seq if self.last_seq is None else max(seq, self.last_seq)
        else:
            self.in_order = False
        self.events += 1
        if event.get("source") == WORKER_SOURCE:
            self.worker_events += 1
        out(event)

    def read_events(self):
        """Read on from the cursor until a page brings nothing new."""
        while True:
            query = urlencode({"after_seq": self.cursor, "limit": 200})
            body = as_dict(self.call("GET", Api.run_path(self.run_id, "/events?" + query)))
            page = dicts_in(body.get("events"))
            for event in page:
                self.take(event)
            following = body.get("next_after_seq")
            if not is_int(following):
                following = max([e["seq"] for e in page if is_int(e.get("seq"))],
                                default=self.cursor)
            if not page or following <= self.cursor:
                self.cursor = max(self.cursor, following)
                return
            self.cursor = following

    def refresh_state(self):
        run = run_state_of(self.call("GET", Api.run_path(self.run_id)))
        if "status" in run:
            self.status = run["status"]
        status = norm(self.status)
        if status in ENDED_STATUSES:
            return True
        if not self.stop_accepted:
            self.statuses_before_stop.add(status)
            return False
        # A word not known here, new since our stop, not a passing state
        # ("stopping"), and lasting: take it as the end too.
        if (status is None or status in self.statuses_before_stop
                or status.endswith("ing") or "request" in status):
            self.odd_status_since = None
            return False
        if self.odd_status_since is None:
            self.odd_status_since = time.monotonic()
        return time.monotonic() - self.odd_status_since >= 3.0

    def due(self):
        if not self.todo or time.monotonic() < self.control_not_before:
            return None
        step, args = self.todo[0], self.args
        if step == "pause":
            if self.worker_events >= args.pause_after:
                return "pause"
            if self.worker_events >= args.stop_after:    # stop comes before pause
                self.todo = ["stop"]
                return "stop"
            return None
        if step == "set-control-mode":
            return step
        if step == "resume":
            # Workers fetch commands by heartbeat: let the pause reach one.
            if time.monotonic() - self.paused_at >= args.pause_seconds:
                return step
            return None
        return step if self.worker_events >= args.stop_after else None

    def control(self):
        while True:
            action = self.due()
            if action is None:
                return
            request = {"action": action, "requested_by": self.args.requested_by}
            if action == "set-control-mode":
                request["control_mode"] = "shared_control"
            try:
                self.call("POST", Api.run_path(self.run_id, "/control"), request)
                note("control %s accepted" % action)
                if action == "stop":
                    self.stop_accepted = True
            except Refused as exc:
                # Perhaps the run ended by itself: the state will tell.
                note("control %s refused: %s" % (action, exc))
                if action == "stop":
                    self.control_not_before = time.monotonic() + 1.0
                    return
            if action == "pause":
                self.paused_at = time.monotonic()
            self.todo.pop(0)


# ------------------------------------------------------------------- worker

class Held:
    """The run this worker holds."""

    def __init__(self, assigned):
        self.run_id = assigned["run_id"]
        ref = assigned.get("conversation_ref")
        self.conversation_ref = ref if isinstance(ref, str) and ref else "run-" + self.run_id
        self.turn_ref = "turn-" + str(uuid.uuid4())
        self.query = assigned.get("query")
        self.control_mode = assigned.get("control_mode")
        self.dispatched = False
        self.paused = False
        self.paused_word_seen = False
        self.n = 1                    # the next event's running number
        self.next_at = 0.0            # next dispatch attempt or next event


class Worker:
    def __init__(self, api, args):
        self.api, self.args = api, args
        tag = args.worker_id
        self.vm_id = args.vm_id or "vm-" + tag
        self.user_id = args.user_id or "vm-user-" + tag
        self.session_id = "session-" + str(uuid.uuid4())
        self.busy_word = "busy"
        self.held = None
        self.waiting = None           # a run assigned while another is held
        self.finished = set()         # stopped here: never taken again
        self.not_before = {}          # given up: not taken again until then
        self.commands_done = set()
        self.next_heartbeat = 0.0
        self.check_state = False
        self.heartbeat_ok = None

    def main(self):
        out({"did": "started", "worker_id": self.args.worker_id,
             "workspace_id": self.args.workspace})
        while True:
            now = time.monotonic()
            if now >= self.next_heartbeat:
                self.next_heartbeat = now + self.args.heartbeat_period
                self.heartbeat()
            held = self.held
            if held is not None and not held.paused and time.monotonic() >= held.next_at:
                if held.dispatched:
                    self.relay_next(held)
                else:
                    self.dispatch(held)
            wake = self.next_heartbeat
            if self.held is not None and not self.held.paused:
                wake = min(wake, self.held.next_at)
            time.sleep(max(0.0, wake - time.monotonic()))

    # -- heartbeat

    def heartbeat(self):
        request = {
            "workspace_id": self.args.workspace,
            "worker_id": self.args.worker_id,
            "vm_id": self.vm_id,
            "user_id": self.user_id,
            "session_id": self.session_id,
            "status": "ready" if self.held is None else self.busy_word,
            "metadata": {},
        }
        try:
            body = as_dict(self.api.call("POST", "/api/runs/workers/heartbeat", request))
        except Unreachable as exc:
            self.heartbeat_state(False, str(exc))
            # Commands handed out in an answer that never came may be gone.
            self.check_state = self.check_state or exc.maybe_done
            return
        except Refused as exc:
            if request["status"] != "ready" and exc.status in (400, 422):
                note("status %r refused, using 'ready' throughout" % request["status"])
                self.busy_word = "ready"
                self.next_heartbeat = 0.0
                return
            self.heartbeat_state(False, str(exc))
            return
        self.heartbeat_state(True, None)
        held_before = self.held
        self.offered(as_dict(body.get("assigned_run")))
        commands = body.get("control_commands")
        for command in commands if isinstance(commands, list) else []:
            self.obey(command, held_before)
        if self.held is None and self.waiting is not None:
            assigned, self.waiting = self.waiting, None
            self.take(assigned)
        if self.check_state and self.held is not None:
            self.reconcile(self.held)
        self.check_state = False

    def heartbeat_state(self, ok, why):
        """Print changes only, not every beat."""
        if ok != self.heartbeat_ok:
            self.heartbeat_ok = ok
            out({"did": "heartbeat", "ok": ok} if ok else
                {"did": "heartbeat", "ok": ok, "error": why})

    # -- taking and leaving runs

    def offered(self, assigned):
        run_id = assigned.get("run_id")
        if not isinstance(run_id, str) or not run_id or run_id in self.finished:
            return
        if self.held is not None:
            if self.held.run_id != run_id:
                self.waiting = assigned
            return
        if time.monotonic() < self.not_before.get(run_id, 0.0):
            return
        self.take(assigned)

    def take(self, assigned):
        self.held = Held(assigned)
        out({"did": "assigned", "run_id": self.held.run_id, "query": self.held.query,
             "control_mode": self.held.control_mode})

    def leave(self, did, **more):
        out(dict({"did": did, "run_id": self.held.run_id}, **more))
        self.held = None
        self.next_heartbeat = 0.0     # say "ready" at once
        out({"did": "ready"})

    def give_up(self, exc):
        self.not_before[self.held.run_id] = time.monotonic() + 5.0
        self.leave("gave-up", status=exc.status, error=str(exc))

    # -- commands

    def obey(self, command, held_before):
        # A command's shape is not documented; the control request's is.
        if isinstance(command, str):
            command = {"action": command}
        command = as_dict(command)
        inner = as_dict(command.get("payload"))
        action = next((a for a in (command.get("action"), inner.get("action"),
                                   command.get("command"), command.get("type"))
                       if isinstance(a, str)), None)
        action = action.strip().lower().replace("_", "-") if action else None
        run_id = command.get("run_id") or inner.get("run_id")
        mark = command.get("command_id") or command.get("id")
        if isinstance(mark, (str, int)) and mark != run_id:
            if mark in self.commands_done:
                return                # delivered twice
            self.commands_done.add(mark)
        # Without a run_id a command can only mean the run held when it came.
        held = self.held if run_id or self.held is held_before else None
        if held is None or (run_id and run_id != held.run_id):
            if action == "stop" and isinstance(run_id, str):
                self.finished.add(run_id)
                if self.waiting is not None and self.waiting.get("run_id") == run_id:
                    self.waiting = None
            # e.g. the stop of a run already given up after a refused event
            out({"did": "command", "action": action, "run_id": run_id, "held": False})
            return
        record = {"did": "command", "action": action, "run_id": held.run_id}
        if action == "pause":
            out(record)
            held.paused = True
            self.reconcile(held, learn=True)
        elif action == "resume":
            out(record)
            held.paused = False
        elif action == "stop":
            out(record)
            self.finished.add(held.run_id)
            self.leave("stopped")
        elif action == "set-control-mode":
            mode = command.get("control_mode") or inner.get("control_mode")
            if isinstance(mode, str):
                held.control_mode = mode
            out(dict(record, control_mode=mode))
        else:
            out({"did": "ignored-command", "action": action, "run_id": run_id})

    def reconcile(self, held, learn=False):
        """Compare with the run's state, where a command may have been lost.

        learn: only note whether the state shows a pause as such; without that
        seen once, a state that shows none is no ground for resuming.
        """
        try:
            run = run_state_of(self.api.call("GET", Api.run_path(held.run_id)))
        except (Unreachable, Refused) as exc:
            note("run state not read: %s" % exc)
            return
        status = norm(run.get("status"))
        if status is None:
            return
        shows_pause = "pause" in status
        held.paused_word_seen = held.paused_word_seen or shows_pause
        if learn:
            return
        if status in ENDED_STATUSES:
            self.finished.add(held.run_id)
            self.leave("run-ended", status=status)
        elif shows_pause and not held.paused:
            held.paused = True
            out({"did": "caught-up", "action": "pause", "run_id": held.run_id})
        elif held.paused and not shows_pause and held.paused_word_seen:
            held.paused = False
            out({"did": "caught-up", "action": "resume", "run_id": held.run_id})

    # -- dispatch and relay

    def dispatch(self, held):
        try:
            self.api.call("POST", Api.run_path(held.run_id, "/worker-dispatched"), {
                "worker_id": self.args.worker_id,
                "user_id": self.user_id,
                "turn_ref": held.turn_ref,
                "conversation_ref": held.conversation_ref,
            })
        except Unreachable as exc:
            self.retry_later(held, exc)
            return
        except Refused as exc:
            self.give_up(exc)
            return
        held.dispatched = True
        held.next_at = time.monotonic() + self.args.relay_period
        out({"did": "dispatched", "run_id": held.run_id, "turn_ref": held.turn_ref})

    def relay_next(self, held):
        """One event; odd numbers are calls, each even one the output of the call before."""
        started = time.monotonic()
        is_call = held.n % 2 == 1
        content = {"n": held.n, "tool_name": "demo-tool",
                   "tool_call_id": "call-%d" % ((held.n + 1) // 2)}
        if is_call:
            content["arguments"] = {"step": (held.n + 1) // 2}
        else:
            content["output"] = "ok"
        event_type = "tool-call" if is_call else "tool-output"
        try:
            self.api.call("POST", Api.run_path(held.run_id, "/events"), {
                "event_type": event_type,
                "source": WORKER_SOURCE,
                "payload": {
                    "payload": content,
                    "conversation_ref": held.conversation_ref,
                    "turn_ref": held.turn_ref,
                },
            })
        except Unreachable as exc:
            self.retry_later(held, exc)       # the same number again
            return
        except Refused as exc:
            self.give_up(exc)
            return
        out({"did": "relayed", "n": held.n, "event_type": event_type, "run_id": held.run_id})
        held.n += 1
        # The output follows its call at once, the next call a period later.
        held.next_at = started if is_call else started + self.args.relay_period

    @staticmethod
    def retry_later(held, exc):
        held.next_at = time.monotonic() + RETRY_S
        out({"did": "retrying", "run_id": held.run_id, "error": str(exc)})


# --------------------------------------------------------------------- main

def terminated(signum, frame):
    raise SystemExit(0)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    roles = parser.add_subparsers(dest="role", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--key", required=True, help="shared key")
    common.add_argument("--workspace", default="workspace-demo")
    common.add_argument("base_url", metavar="BASE_URL")

    p = roles.add_parser("dashboard", parents=[common])
    p.add_argument("--agent-id", default="agent-alpha")
    p.add_argument("--query", default="apply this internship job for me")
    p.add_argument("--requested-by", default="user_123")
    p.add_argument("--pause-after", type=int, default=3, metavar="N")
    p.add_argument("--stop-after", type=int, default=12, metavar="M")
    p.add_argument("--pause-seconds", type=float, default=2.0,
                   help="how long the pause lasts before resume is sent")
    p.add_argument("--deadline", type=float, default=120.0)
    p.add_argument("--poll-period", type=float, default=0.3)

    p = roles.add_parser("worker", parents=[common])
    p.add_argument("--worker-id", required=True)
    p.add_argument("--vm-id")
    p.add_argument("--user-id")
    p.add_argument("--heartbeat-period", type=float, default=1.0)
    p.add_argument("--relay-period", type=float, default=0.2)

    args = parser.parse_args(argv)
    try:
        api = Api(args.base_url, args.key)
    except ValueError as exc:
        parser.error(str(exc))
    if args.role == "dashboard":
        try:
            return Dashboard(api, args).main()
        except KeyboardInterrupt:
            return 130
    signal.signal(signal.SIGTERM, terminated)
    signal.signal(signal.SIGINT, terminated)
    try:
        Worker(api, args).main()
    finally:
        out({"did": "exited"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
