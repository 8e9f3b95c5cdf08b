"""A desktop client for /ws: a query, the tools it runs itself, one by one and in a bundle, and the end of the stream.

Of a new connection the document says only that there is one, and that it begins with the handshake. As what it said last
may not have arrived, this client says that again, under the same id: a result, or the query. With `--again query` it
always says the query again. A call that comes a second time gets the result of the first, and is not run again.
"""

import uuid

import wire

NOTE = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class Desktop(wire.Conversation):
    RECONNECTIONS = 5  # "Max reconnection attempts: 5"

    def __init__(self, options, cut):
        super().__init__(options, cut)
        self.query = self.envelope("query", {"text": options.text, "conversation_ref": f"conv-{uuid.uuid4()}"})
        self.last = self.query  # what it said last
        self.results = {}  # by request or bundle: the message that answers it

    @staticmethod
    def envelope(kind, payload):
        return {"id": str(uuid.uuid4()), "type": kind, "payload": payload}

    def hold(self):
        attempts, delay = 0, 0.1
        while not self.ended:
            before = len(self.heard)
            try:
                self.connect()
                while not self.ended:
                    self.take(self.socket.receive())
            except wire.Dropped:
                attempts, delay = (1, 0.1) if len(self.heard) > before else (attempts + 1, delay * 2)
                if attempts > self.RECONNECTIONS:
                    raise
                self.deadline.sleep(delay)

    def connect(self):
        """Connects, shakes hands, and says again what it said."""
        self.socket = wire.WebSocket(self.options, "/ws", self.deadline)
        tools = [{"name": name, "description": f"{name} of this desktop", "execution_target": "local_runtime",
                  "schema": NOTE, "argument_resolution": "passthrough"} for name in ("save_note", "send_note")]
        self.socket.send({"type": "handshake", "user_id": self.options.user, "agent_definition": {
            "version": 1,
            "tools": {"mode": "default_plus_client", "client_manifest": {"version": 1, "tools": tools}}}})
        self.deadline.waiting_for = "the client-tool-manifest after the handshake"
        self.take(self.socket.receive())
        self.socket.send(self.query if self.options.again == "query" else self.last)

    def take(self, message):
        kind, payload = message["type"], message["payload"]
        cut = self.received(kind, self.socket.connection)
        if kind == "client-tool-manifest" and payload["rejected"]:
            raise wire.Refused(f"tools of the manifest were rejected: {payload['rejected']}")
        if kind == "error":
            self.deadline.waiting_for += f": {payload['message']}"
        elif kind == "streaming-response":
            self.pieces += payload["text"]
        elif kind == "streaming-complete":
            self.ended, self.answer = True, payload.get("final_response")
        elif kind == "tool-call":
            self.last = self.call(payload)
        elif kind == "tool-bundle":
            self.last = self.bundle(payload)
        if cut and not self.ended:
            raise wire.Dropped("cut")
        if kind in ("tool-call", "tool-bundle"):
            self.socket.send(self.last)

    def call(self, payload):
        """Returns the answer to a tool-call. A call that comes a second time gets the answer of the first."""
        id = payload["request_id"]
        if id not in self.results:
            output = self.run(id, payload["tool_name"])
            self.results[id] = self.envelope("tool-result", {
                "request_id": id, "success": True, "data": {"output": output}, "error": None})
        return self.results[id]

    def bundle(self, payload):
        id = payload["bundle_id"]
        if id not in self.results:
            steps = [{"tool": tool["name"], "status": "ok", "output": self.run(f"{id}/{n}", tool["name"])}
                     for n, tool in enumerate(payload["tools"])]
            self.results[id] = self.envelope("tool-bundle-result", {
                "bundle_id": id, "status": "success", "step_results": steps, "error": None})
        return self.results[id]


if __name__ == "__main__":
    wire.main(Desktop)
