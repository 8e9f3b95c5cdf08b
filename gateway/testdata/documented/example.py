from windie import AgentSdkClient

sdk = AgentSdkClient(
    backend_url="https://api.windieos.com",
    default_user_id="dev-user",
)

prompt = await sdk.get_system_prompt()
tool_schemas = await sdk.get_tool_schemas()
query_plan = await sdk.get_query_plan(
    {
        "user_query_raw": "open file",
        "conversation_ref": "conv_sdk",
        "messages": [],
    }
)

agent = await sdk.wake_up(
    system_prompt="You are a concise coding agent.",
    workspace_path="/Users/me/project",
    tools=[
        {
            "name": "save_note",
            "module": "my_project.tools:save_note",
            "schema": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": False,
            },
        }
    ],
)
message_id = await agent.query(
    text="Summarize the repo instructions.",
    conversation_ref="conv_python_sdk",
)
