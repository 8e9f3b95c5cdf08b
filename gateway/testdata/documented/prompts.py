"""A client for prompts: a conversation, a prompt as a stream, an approval, and the completion.

No documented route gives a lost stream back. What a client is told for a reconnection is `conversation.get`, so this one
makes a conversation first, and after a drop reads it until the prompt is done. What a prompt has in there tells the
output schema of the tool, which GET /api/tools lists.
"""

import wire


class Prompt(wire.Conversation):
    def __init__(self, options, cut):
        super().__init__(options, cut)
        self.conversation = self.prompt = None
        self.approved = set()

    def hold(self):
        self.deadline.waiting_for = "conversation.create"
        self.conversation = self.invoke("conversation.create", {})["id"]
        try:
            self.stream()
        except wire.Dropped:
            self.follow()

    def stream(self):
        self.deadline.waiting_for = "the stream of the prompt"
        response = wire.request(self.options, self.deadline, "POST", "/api/prompt", self.headers(),
                                {"input": self.options.text, "conversationId": self.conversation})
        if response.status != 200:
            raise wire.Refused(f"POST /api/prompt answered {response.status}: {response.json()}")
        for event, data in response.events():
            cut = self.received(event, response.connection)
            self.take(event, data)
            if self.ended:
                return
            if cut:
                raise wire.Dropped("cut")
        raise wire.Dropped("the stream ended before prompt.completed")

    def take(self, event, data):
        if event == "prompt.created":
            self.prompt = data["promptId"]
        elif event == "prompt.output":
            self.output(data)
        elif event == "prompt.approval":
            self.approve(data["toolCallId"])
        elif event == "prompt.completed":
            self.ended = True
        elif event == "error":
            raise wire.Refused(f"error: {data}")

    def output(self, entry):
        if entry["type"] == "text":
            self.pieces += entry["content"]
            self.answer = entry["content"]

    def follow(self):
        """Reads the conversation until the prompt is done, and approves what waits."""
        self.deadline.waiting_for = "the prompt in conversation.get"
        while not self.ended:
            prompts = self.invoke("conversation.get", {"conversationId": self.conversation})["prompts"]
            for prompt in prompts:
                if self.prompt in (None, prompt["id"]):
                    self.read(prompt)
            if not self.ended:
                self.deadline.sleep(0.2)

    def read(self, prompt):
        self.prompt, self.pieces = prompt["id"], ""
        self.deadline.waiting_for = f"the end of prompt {prompt['id']}, which is {prompt['status']}"
        for entry in prompt["output"]:
            self.output(entry)
        if prompt["status"] == "waiting_for_approval":
            for approval in prompt["approvals"]:
                self.approve(approval["toolCallId"])
        if prompt["status"] in ("failed", "canceled"):
            raise wire.Refused(f"the prompt failed: {prompt}")
        self.ended = prompt["status"] == "completed"

    def approve(self, call):
        """Approves a call once. The tool runs in the service: an approval is what this client counts as a run."""
        if call in self.approved:
            return
        status, answer = wire.call(self.options, self.deadline, "POST", f"/api/prompts/{self.prompt}/approve",
                                   self.headers(), {"toolCallId": call})
        if status != 200:
            raise wire.Refused(f"the approval of {call} answered {status}: {answer}")
        self.approved.add(call)
        self.run(call, "approve")

    def invoke(self, tool, input):
        status, answer = wire.call(self.options, self.deadline, "POST", f"/api/tools/{tool}/invoke",
                                   self.headers(), input)
        if status != 200:
            raise wire.Refused(f"{tool} answered {status}: {answer}")
        return answer["result"]

    def headers(self):
        return {"X-User-Id": self.options.user}


if __name__ == "__main__":
    wire.main(Prompt)
