"""A remote tool host: a session, a message of the user's, the tools it runs itself, and the end of the answer.

Of a connection that breaks the document says nothing. As the session is the server's, this client opens its stream
again, begins with the hello, and says again what it said last: the user's message, or a result. What it showed of the
answer before, it does not keep. A call that comes a second time gets the result of the first, and is not run again.
"""

import wire

NOTE = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class ToolHost(wire.Conversation):
    def __init__(self, options, cut):
        super().__init__(options, cut)
        self.session = None
        self.last = None
        self.results = {}  # by toolCallId: the message that answers it

    def hold(self):
        delay = 0.1
        while not self.ended:
            before = len(self.heard)
            try:
                self.connect()
                while not self.ended:
                    self.take(self.socket.receive())
            except wire.Dropped:
                delay = 0.1 if len(self.heard) > before else delay * 2
                self.deadline.sleep(delay)

    def connect(self):
        """Makes the session once, opens its stream, and says again what it said."""
        if self.session is None:
            self.deadline.waiting_for = "the session"
            status, answer = wire.call(self.options, self.deadline, "POST", "/api/agent/sessions", {})
            if status != 200:
                raise wire.Refused(f"POST /api/agent/sessions answered {status}: {answer}")
            self.session = answer["sessionId"]
            self.last = {"type": "user.message", "sessionId": self.session, "content": self.options.text}
        self.pieces = ""
        self.socket = wire.WebSocket(self.options, f"/api/agent/sessions/{self.session}/stream", self.deadline)
        tools = [{"name": name, "description": f"{name} of this machine", "parameters": NOTE} for name in ("save_note", "send_note")]
        self.socket.send({"type": "hello", "clientVersion": "1.0.0", "toolManifest": tools, "workspaceRoot": "/home/user/docs"})
        self.deadline.waiting_for = "session.created after the hello"
        while not self.take(self.socket.receive()):
            pass
        self.socket.send(self.last)

    def take(self, message):
        """Takes a message of the server's, and reports whether it answers the hello."""
        kind = message["type"]
        if kind == "heartbeat":
            return False
        cut = self.received(kind, self.socket.connection)
        if message["sessionId"] != self.session:
            raise wire.Refused(f"{kind} is of another session")
        if kind == "error":
            self.deadline.waiting_for += f": {message['message']}"
        elif kind == "assistant.delta":
            self.pieces += message["content"]
        elif kind == "tool.call":
            self.last = self.call(message)
        elif kind == "assistant.done":
            self.ended, self.answer = True, self.pieces  # the document has no other place for it
        if cut and not self.ended:
            raise wire.Dropped("cut")
        if kind == "tool.call":
            self.socket.send(self.last)
        return kind == "session.created"

    def call(self, message):
        """Returns the result of a call. "Client must echo toolCallId in tool.result"."""
        id = message["toolCallId"]
        if id not in self.results:
            self.results[id] = {"type": "tool.result", "sessionId": self.session, "toolCallId": id, "output": self.run(id, message["name"])}
        return self.results[id]


if __name__ == "__main__":
    wire.main(ToolHost)
