import json
import re
import unittest
import urllib.request

from windie import AgentClient, AsyncScreen, AsyncWindie, Screen, SyncAgentClient, Windie

from environment import HOSTED


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name)


class Coverage(unittest.TestCase):
    def test_each_operation_of_the_api_document_has_its_method(self) -> None:
        paths = json.load(urllib.request.urlopen(HOSTED + "/openapi.json"))["paths"]
        operations = [op for path, methods in paths.items() if not path.startswith("/openai/") for op in methods.values()]  # OpenAI's own clients call those
        self.assertGreater(len(operations), 80)
        for client, screen, agents in ((Windie(HOSTED), Screen, SyncAgentClient), (AsyncWindie(HOSTED), AsyncScreen, AgentClient)):
            for op in operations:
                group, _, name = ("." + snake(op["x-sdk"])).rpartition(".")
                group = group.strip(".")
                holder = agents if name == "wake_up" else screen if group == "screen" else getattr(client, group, None) if group else client
                self.assertTrue(callable(getattr(holder, name, None)), f"{type(client).__name__}: {op['operationId']}, {op['x-sdk']}")
