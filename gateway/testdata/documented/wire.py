"""What the three clients share: TCP, HTTP/1.1, server-sent events and WebSocket (RFC 6455), by hand.

A client gives `main` a function that holds one conversation. `main` holds one for each cut that the command line
lists, side by side, and prints one JSON line for each.
"""

import argparse
import base64
import concurrent.futures
import hashlib
import json
import os
import socket
import struct
import sys
import time
import urllib.parse


class Dropped(Exception):
    """The connection is gone, by the service's doing or by ours. A client connects again."""


class Refused(Exception):
    """The service answered, and said no. No client gets further by trying again."""


class Late(Exception):
    """The deadline passed. The message says what the client waited for."""


class Deadline:
    """The time a conversation has, and what it waits for now."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.end = time.monotonic() + seconds
        self.waiting_for = "the start"

    def left(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise self.late()
        return left

    def late(self):
        return Late(f"{self.seconds} s passed while the client waited for {self.waiting_for}")

    def sleep(self, seconds):
        time.sleep(min(seconds, self.left()))
        self.left()


class Connection:
    """A TCP connection that reads by line and by length, and that can be dropped as a crash drops it."""

    def __init__(self, url, deadline):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "ws"):
            raise Refused(f"{url}: these clients speak http:// and ws://")
        self.host, self.deadline, self.buffer = parts.netloc, deadline, b""
        try:
            self.socket = socket.create_connection((parts.hostname, parts.port), timeout=deadline.left())
        except OSError as why:
            raise Dropped(f"connect to {url}: {why}") from why
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        self.socket.settimeout(self.deadline.left())
        try:
            self.socket.sendall(data)
        except TimeoutError:
            raise self.deadline.late() from None
        except OSError as why:
            raise Dropped(f"send: {why}") from why

    def _receive(self):
        self.socket.settimeout(self.deadline.left())
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            raise self.deadline.late() from None
        except OSError as why:
            raise Dropped(f"receive: {why}") from why
        if not data:
            raise Dropped("the service ended the connection")
        self.buffer += data

    def take(self, length):
        while len(self.buffer) < length:
            self._receive()
        data, self.buffer = self.buffer[:length], self.buffer[length:]
        return data

    def line(self):
        while b"\n" not in self.buffer:
            self._receive()
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.rstrip(b"\r").decode()

    def rest(self):
        """Returns what has come, and waits for more when nothing has. The end of the connection is the end."""
        if not self.buffer:
            try:
                self._receive()
            except Dropped:
                return b""
        data, self.buffer = self.buffer, b""
        return data

    def close(self):
        self.socket.close()

    def reset(self):
        """Drops the connection with RST: what is under way in either direction is lost."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class Response:
    """The answer to a request: its status, its headers, and its body as it comes."""

    def __init__(self, connection):
        self.connection = connection
        self.status = int(connection.line().split(" ", 2)[1])
        self.headers = {}
        while line := connection.line():
            name, value = line.split(":", 1)
            self.headers[name.strip().lower()] = value.strip()

    def pieces(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            while size := int(self.connection.line().split(";")[0], 16):
                yield self.connection.take(size)
                self.connection.line()
            while self.connection.line():
                pass
        elif "content-length" in self.headers:
            yield self.connection.take(int(self.headers["content-length"]))
        else:
            while data := self.connection.rest():
                yield data

    def json(self):
        body = b"".join(self.pieces())
        return json.loads(body) if body else None

    def events(self):
        """Yields (event, data) of a text/event-stream; comments, such as heartbeats, are passed over."""
        text, event, data = b"", "message", []
        for piece in self.pieces():
            text += piece
            while b"\n" in text:
                line, text = text.split(b"\n", 1)
                field, _, value = line.rstrip(b"\r").decode().partition(":")
                value = value.removeprefix(" ")
                if field == "event":
                    event = value
                elif field == "data":
                    data.append(value)
                elif field == "" and value == "" and data:
                    yield event, json.loads("\n".join(data))
                    event, data = "message", []


def request(options, deadline, method, path, headers, body=None):
    """Sends one request on a connection of its own and returns the response once its headers are here."""
    connection = Connection(options.url, deadline)
    lines = [f"{method} {path} HTTP/1.1", f"Host: {connection.host}", "Connection: close"]
    if options.token:
        lines.append(f"Authorization: Bearer {options.token}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    data = b"" if body is None else json.dumps(body).encode()
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
    connection.send("\r\n".join(lines + ["", ""]).encode() + data)
    return Response(connection)


def call(options, deadline, method, path, headers, body=None):
    """Sends one request and returns (status, JSON body) of the whole response."""
    response = request(options, deadline, method, path, headers, body)
    try:
        return response.status, response.json()
    finally:
        response.connection.close()


class WebSocket:
    """The client's side of RFC 6455, with JSON in text messages."""

    TEXT, CLOSE, PING, PONG = 1, 8, 9, 10

    def __init__(self, options, path, deadline):
        self.connection = Connection(options.url, deadline)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {self.connection.host}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        if options.token:
            lines.append(f"Authorization: Bearer {options.token}")
        self.connection.send("\r\n".join(lines + ["", ""]).encode())
        response = Response(self.connection)
        if response.status != 101:
            raise Refused(f"{path} answered {response.status}: {response.json()}")
        accept = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        if response.headers.get("sec-websocket-accept") != base64.b64encode(accept).decode():
            raise Refused(f"{path} answered with a Sec-WebSocket-Accept that does not fit the key")

    def send(self, message):
        self._frame(self.TEXT, json.dumps(message).encode())

    def _frame(self, code, data):
        length, mask = len(data), os.urandom(4)
        if length < 126:
            head = struct.pack("!BB", 0x80 | code, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | code, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | code, 0x80 | 127, length)
        self.connection.send(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        """Returns the next message; pings are answered on the way."""
        message = b""
        while True:
            first, second = self.connection.take(2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack("!H", self.connection.take(2))
            elif length == 127:
                length, = struct.unpack("!Q", self.connection.take(8))
            data, code = self.connection.take(length), first & 0x0F
            if code == self.PING:
                self._frame(self.PONG, data)
            elif code == self.CLOSE:
                number = struct.unpack("!H", data[:2])[0] if len(data) >= 2 else 1005
                why = f"the service closed the socket with {number}: {data[2:].decode()}"
                raise Refused(why) if number == 1008 else Dropped(why)
            elif code != self.PONG:
                message += data
                if first & 0x80:
                    return json.loads(message)


class Conversation:
    """What every conversation keeps: its deadline, the events it received, the calls it ran, and its cut."""

    def __init__(self, options, cut):
        self.options, self.cut = options, cut
        self.deadline = Deadline(options.deadline)
        self.heard = []     # the events that it received so far
        self.dropped_at = None  # the event after which this client dropped its connection
        self.runs = {}      # by call: how often this client ran it
        self.pieces = ""    # the answer as it came in pieces
        self.answer = None  # the answer as the end of the conversation told it
        self.ended = False

    def received(self, event, connection):
        """Notes an event, and drops the connection where the conversation is to be cut. Says whether it did.

        The client does what the event asks for all the same, and goes on by another connection; or, with --lose, it has
        lost the event too.
        """
        self.heard.append(event)
        self.deadline.waiting_for = f"what follows event {len(self.heard)}, {event}"
        if self.cut not in (len(self.heard), event) or self.dropped_at:
            return False
        connection.reset()
        self.dropped_at = event
        if self.options.lose:
            raise Dropped("cut")
        return True

    def run(self, call, name):
        """Runs a tool: here it only counts, and returns the output."""
        self.runs[call] = self.runs.get(call, 0) + 1
        return f"{name} is done"

    def report(self, error=None):
        return {"ended": self.ended, "answer": self.answer, "pieces": self.pieces, "events": len(self.heard), "heard": self.heard,
                "runs": self.runs, "cut_at": self.cut, "cut_after": self.dropped_at, "error": error}


def main(kind):
    """Holds a conversation of this kind for each cut, side by side, and prints what each came to."""
    parser = argparse.ArgumentParser(description=sys.modules[kind.__module__].__doc__)
    parser.add_argument("url", help="the service, such as http://127.0.0.1:8765")
    parser.add_argument("--token", help="the install token, towards a hosted service")
    parser.add_argument("--user", default="user-123", help="the user's id")
    parser.add_argument("--text", default="Save my note.", help="what the user says")
    parser.add_argument("--deadline", type=float, default=120, help="seconds that a conversation has")
    parser.add_argument("--cut", type=lambda list: [int(n) if n.isdigit() else n for n in list.split(",")], default=[None],
                        help="drop the connection after the event of this number, or the first of this name; several, as in "
                        "1,2,tool-call, hold one conversation each")
    parser.add_argument("--lose", action="store_true", help="do not act on the event after which the connection is dropped")
    parser.add_argument("--again", choices=["last", "query"], default="last",
                        help="what a client of /ws says on a new connection: what it said last, or its query")
    options = parser.parse_args()

    def hold(cut):
        conversation = kind(options, cut)
        try:
            conversation.hold()
        except (Dropped, Refused, Late, KeyError) as why:
            return conversation.report(f"{type(why).__name__.lower()}: {why}")
        return conversation.report()

    with concurrent.futures.ThreadPoolExecutor(len(options.cut)) as pool:
        reports = list(pool.map(hold, options.cut))
    for report in reports:
        print(json.dumps(report))
    sys.exit(0 if all(report["ended"] for report in reports) else 1)
