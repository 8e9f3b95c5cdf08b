"""pydantic-ai's output types, with chat completions and with responses."""

from place import ASK, URL, Place, end, right
from pydantic_ai import Agent, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

for kind in (OpenAIChatModel, OpenAIResponsesModel):
    model = kind("default", provider=OpenAIProvider(base_url=URL, api_key="anything"))
    for output in (Place, ToolOutput(Place), NativeOutput(Place)):
        right(f"{kind.__name__}, {output!r}", Agent(model, output_type=output).run_sync(ASK).output)
end()
