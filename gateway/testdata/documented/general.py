"""A desktop client for /v1: a session, a chat as a stream, the tools it runs itself, and the final text."""

import uuid

import wire


class General(wire.Conversation):
    def __init__(self, options, cut):
        super().__init__(options, cut)
        self.session = None
        self.id = str(uuid.uuid4())  # of the message, beyond the document: a cut may be just behind the end, of which the service cannot know
        self.results = {}    # by call: the result of the run
        self.accepted = set()  # calls whose result the service has

    def hold(self):
        delay = 1  # "reconnect automatically after a 1-second delay", then 1s, 2s, 4s, capped at 30s
        while not self.ended:
            before = len(self.heard)
            try:
                self.chat()
            except wire.Dropped:
                delay = 1 if len(self.heard) > before else min(delay * 2, 30)
                self.deadline.sleep(delay)

    def chat(self):
        """Sends the user's message; after a drop, again: "the client re-sends the last user message"."""
        if self.session is None:
            self.deadline.waiting_for = "the session"
            self.session = self.post("/v1/sessions", {"jarvis_session_id": f"j-{uuid.uuid4()}"})["general_session_id"]
        self.pieces = ""  # "to replay the turn": it is told from its beginning
        self.deadline.waiting_for = "the stream of the chat"
        response = wire.request(self.options, self.deadline, "POST", "/v1/chat", {}, {
            "general_session_id": self.session, "mode": "general", "stream": True,
            "message": {"id": self.id, "parts": [{"type": "text", "text": self.options.text}]}})
        if response.status != 200:
            raise wire.Refused(f"POST /v1/chat answered {response.status}: {response.json()}")
        for event, data in response.events():
            cut = self.received(event, response.connection)
            self.take(event, data)
            if self.ended:
                return
            if cut:
                raise wire.Dropped("cut")
        raise wire.Dropped("the stream ended before assistant.final")

    def take(self, event, data):
        if event == "assistant.delta":
            self.pieces += data["text"]
        elif event == "assistant.final":
            self.ended, self.answer = True, data["text"]
        elif event == "tool.request":
            self.request(data)
        elif event == "error":
            raise wire.Refused(f"error: {data}")

    def request(self, call):
        """Runs a call and posts its result. A call that comes a second time gets the result of the first."""
        id = call["id"]
        if id not in self.results:
            if call["risk"] == "forbidden":
                self.results[id] = {"id": id, "ok": False, "result": None, "error": "denied"}
            else:
                self.results[id] = {"id": id, "ok": True, "result": self.run(id, call["name"]), "error": None}
        if id not in self.accepted:
            answer = self.post("/v1/tools/result", {"general_session_id": self.session, "tool_result": self.results[id]})
            if answer.get("accepted") is not True:
                raise wire.Refused(f"the result of {id} was not accepted: {answer}")
            self.accepted.add(id)

    def post(self, path, body):
        status, answer = wire.call(self.options, self.deadline, "POST", path, {}, body)
        if not 200 <= status < 300:
            raise wire.Refused(f"POST {path} answered {status}: {answer}")
        return answer


if __name__ == "__main__":
    wire.main(General)
