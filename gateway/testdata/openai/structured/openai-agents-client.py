"""OpenAI's agents: output types and tools, whole and as a stream, with chat completions and with responses."""

import asyncio

import agents
import openai
from place import ASK, URL, Place, done, end, right


@agents.function_tool
def weather(city: str) -> str:
    """Weather."""
    return "sunny in " + city


async def streamed(agent, text):
    run = agents.Runner.run_streamed(agent, text)
    async for _ in run.stream_events():
        pass
    return run.final_output


async def whole(agent, text):
    return (await agents.Runner.run(agent, text)).final_output


async def main():
    agents.set_tracing_disabled(True)
    client = openai.AsyncOpenAI(base_url=URL, api_key="anything", max_retries=0)
    for kind in (agents.OpenAIChatCompletionsModel, agents.OpenAIResponsesModel):
        model = kind(model="default", openai_client=client)
        for ask in (whole, streamed):
            name = f"{kind.__name__}, {ask.__name__}"
            right(name, await ask(agents.Agent(name="a", model=model, output_type=Place), ASK))
            said = await ask(agents.Agent(name="a", model=model, tools=[weather]), 'call weather {"city":"Porto"}')
            assert said == "weather gave sunny in Porto", f"{name}: {said}"
            done.append(name)


asyncio.run(main())
end()
