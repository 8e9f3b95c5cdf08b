"""
Asks an agent that has a tool of this program, and asks you before it does what can change something.

    python agent.py "Keep three notes"
"""

import getpass
import json
import sys

from windie import Approval, SyncAgentClient, Tool

if len(sys.argv) != 2:
    print('usage: python agent.py QUESTION, for example: python agent.py "Keep three notes"', file=sys.stderr)
    sys.exit(2)

notes: list[str] = []


def keep(text: str) -> str:
    notes.append(text)
    return f"kept as number {len(notes)}"


def approve(approval: Approval) -> bool:
    print(f"{approval.tool_name} {json.dumps(approval.parameters)}? {approval.reason} [yes] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == "yes"


schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
save_note = Tool(name="save_note", schema=schema, function=keep, description="Stores a note for the user.", risk="risky")  # so that approve is asked
with SyncAgentClient(user_id=getpass.getuser()) as sdk:
    agent = sdk.wake_up(tools=[save_note], on_approval=approve)
    print(agent.ask(sys.argv[1]).text)
    agent.close()
for note in notes:
    print("-", note)
