"""Calls of a gateway's /openai/v1 by OpenAI's own Python client.

    python client.py BASE_URL ARTIFACT_ID PICTURE

Its model does as the last message says: see obedient in openai_test.go.
"""

import asyncio
import base64
import struct
import sys

import openai
from pydantic import BaseModel

url, artifact, picture = sys.argv[1:]
client = openai.OpenAI(base_url=url, api_key="anything", max_retries=0, timeout=60)
data_url = "data:image/png;base64," + base64.b64encode(open(picture, "rb").read()).decode()
weather = {"type": "function", "function": {"name": "get_weather", "description": "Weather.", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
calls = []


def call(check):
    calls.append(check)
    return check


def ask(text, **more):
    return client.chat.completions.create(model=more.pop("model", "obedient"), messages=[{"role": "user", "content": text}], **more)


def said(answer):
    return answer.choices[0].message.content


def chunks(text, **more):
    return list(ask(text, stream=True, **more))


def streamed(list_of_chunks):
    return "".join(c.choices[0].delta.content or "" for c in list_of_chunks if c.choices)


def refused(kind, work):
    try:
        work()
    except kind as e:
        return e
    raise AssertionError(f"{kind.__name__} was not raised")


@call
def models_are_listed():
    assert [m.id for m in client.models.list()] == ["default", "obedient", "counting"]


@call
def a_model_is_looked_up():
    assert client.models.retrieve("obedient").owned_by == "test"


@call
def the_default_model_is_looked_up():
    assert client.models.retrieve("default").id == "default"


@call
def a_model_that_is_not_there():
    e = refused(openai.NotFoundError, lambda: client.models.retrieve("nosuch"))
    assert e.code == "NOT_FOUND" and "nosuch" in str(e) and e.type == "invalid_request_error" and e.param == "model"


@call
def an_answer():
    a = ask("say Good morning.")
    assert said(a) == "Good morning." and a.choices[0].finish_reason == "stop" and a.object == "chat.completion" and a.model == "obedient"


@call
def its_usage():
    u = ask("say a b c").usage
    assert (u.prompt_tokens, u.completion_tokens, u.total_tokens) == (11, 5, 16)
    assert u.prompt_tokens_details.cached_tokens == 4 and u.completion_tokens_details.reasoning_tokens == 2


@call
def the_default_model():
    assert ask("say yes", model="default").model == "obedient"


@call
def a_stream():
    assert streamed(chunks("say one two three")) == "one two three"


@call
def the_end_of_a_stream():
    c = chunks("say x")
    assert c[0].choices[0].delta.role == "assistant" and c[-1].choices[0].finish_reason == "stop" and len({x.id for x in c}) == 1


@call
def the_usage_of_a_stream():
    c = chunks("say x", stream_options={"include_usage": True})
    assert c[-1].choices == [] and c[-1].usage.total_tokens == 16 and all(x.usage is None for x in c[:-1])


@call
def a_stream_that_is_left():
    with ask("long", stream=True) as stream:
        for c in stream:
            if c.choices[0].delta.content:
                break
    assert said(ask("left")) == "yes"


@call
def instructions():
    a = client.chat.completions.create(model="obedient", messages=[{"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Be kind."}, {"role": "user", "content": "system"}])
    assert said(a) == "Be brief.\n\nBe kind."


@call
def a_conversation():
    a = client.chat.completions.create(model="obedient", messages=[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "history"}])
    assert said(a) == "user assistant user"


@call
def parts_of_text():
    a = client.chat.completions.create(model="obedient", messages=[{"role": "user", "content": [{"type": "text", "text": "say "}, {"type": "text", "text": "parts"}]}])
    assert said(a) == "parts"


@call
def a_picture():
    a = client.chat.completions.create(model="obedient", messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": data_url}}, {"type": "text", "text": "picture"}]}])
    assert said(a) == "image/png"


@call
def a_picture_with_detail():
    a = client.chat.completions.create(model="obedient", messages=[{"role": "user", "content": [{"type": "text", "text": "picture"}, {"type": "image_url", "image_url": {"url": data_url, "detail": "low"}}]}])
    assert said(a) == "image/png"


@call
def an_artifact():
    a = client.chat.completions.create(model="obedient", messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "artifact:" + artifact}}, {"type": "text", "text": "picture"}]}])
    assert said(a) == "image/png"


@call
def a_picture_from_elsewhere():
    e = refused(openai.UnprocessableEntityError, lambda: client.chat.completions.create(model="obedient", messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.com/x.png"}}]}]))
    assert "body.messages[0].content[0].image_url.url" in str(e)


@call
def a_call():
    a = ask('call get_weather {"city":"Porto"}', tools=[weather])
    c = a.choices[0].message.tool_calls[0]
    assert a.choices[0].finish_reason == "tool_calls" and c.function.name == "get_weather" and c.function.arguments == '{"city":"Porto"}' and said(a) is None


@call
def a_call_in_a_stream():
    found = [x for c in chunks('call get_weather {"city":"Porto"}', tools=[weather]) if c.choices for x in c.choices[0].delta.tool_calls or []]
    assert len(found) == 1 and found[0].index == 0 and found[0].function.name == "get_weather"


@call
def the_result_of_a_call():
    messages = [{"role": "user", "content": 'call get_weather {"city":"Porto"}'}]
    first = client.chat.completions.create(model="obedient", messages=messages, tools=[weather]).choices[0].message
    messages += [first, {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "sunny"}]
    assert said(client.chat.completions.create(model="obedient", messages=messages, tools=[weather])) == "get_weather gave sunny"


@call
def a_result_of_no_call():
    refused(openai.UnprocessableEntityError, lambda: client.chat.completions.create(model="obedient", messages=[{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "nosuch", "content": "x"}]))


@call
def no_calls_are_wanted():
    assert said(ask("tools", tools=[weather], tool_choice="none")) == ""


@call
def calls_are_wanted():
    c = ask('json {"city":"Porto"}', tools=[weather], tool_choice="required").choices[0].message.tool_calls[0]
    assert c.function.name == "get_weather" and c.function.arguments == '{"city":"Porto"}'


@call
def one_tool_is_wanted():
    other = {"type": "function", "function": {"name": "other", "parameters": {"type": "object"}}}
    c = ask('json {"city":"Porto"}', tools=[other, weather], tool_choice={"type": "function", "function": {"name": "get_weather"}}).choices[0].message.tool_calls[0]
    assert c.function.name == "get_weather"


@call
def calls_are_wanted_in_vain():
    e = refused(openai.InternalServerError, lambda: ask("say no", tools=[weather], tool_choice="required"))
    assert e.status_code == 502 and e.code == "MODEL_ANSWER_INVALID"


@call
def tools_of_the_gateway():
    assert said(ask('call time_now {}')) == "time_now gave 10:00 AM"


@call
def tools_of_the_gateway_in_a_stream():
    assert streamed(chunks('call time_now {}')) == "time_now gave 10:00 AM"


@call
def a_text_that_ends_it():
    a = ask("say one two three four", stop=" three")
    assert said(a) == "one two" and a.choices[0].finish_reason == "stop"


@call
def a_text_that_ends_a_stream():
    assert streamed(chunks("say one two three four", stop=["four", "e tw"])) == "on"


@call
def a_bound():
    a = ask("say one two three", max_completion_tokens=2)
    assert said(a) == "one two" and a.choices[0].finish_reason == "length"


@call
def an_older_bound():
    assert said(ask("say one two three", max_tokens=1)) == "one"


@call
def temperatures():
    assert said(ask("steady", temperature=0)) == "true" and said(ask("steady", temperature=0.7)) == "false"


@call
def fields_of_a_provider():
    assert said(ask("say x", user="ada", seed=1, top_p=0.5, presence_penalty=0.1, parallel_tool_calls=False, extra_body={"anything": None, "stop": None})) == "x"


@call
def several_answers():
    refused(openai.UnprocessableEntityError, lambda: ask("x", n=2))


@call
def older_fields():
    e = refused(openai.UnprocessableEntityError, lambda: ask("x", functions=[{"name": "f"}]))
    assert e.param == "functions" and e.code == "VALIDATION_ERROR"


class Place(BaseModel):
    city: str


porto = [{"role": "user", "content": 'json {"city":"Porto"}'}]


@call
def an_object_as_the_answer():
    assert said(ask('json {"city":"Porto"}', response_format={"type": "json_object"})) == '{"city":"Porto"}'


@call
def a_schema_for_the_answer():
    a = client.chat.completions.parse(model="obedient", messages=porto, response_format=Place)
    assert a.choices[0].message.parsed.city == "Porto"


@call
def a_schema_for_a_stream():
    with client.chat.completions.stream(model="obedient", messages=porto, response_format=Place) as stream:
        assert stream.get_final_completion().choices[0].message.parsed.city == "Porto"


@call
def an_answer_that_does_not_match():
    e = refused(openai.InternalServerError, lambda: client.chat.completions.parse(model="obedient", messages=[{"role": "user", "content": "say no"}], response_format=Place))
    assert e.code == "MODEL_ANSWER_INVALID"


@call
def a_response():
    r = client.responses.create(model="obedient", input="say Good morning.", instructions="Be kind.")
    assert r.output_text == "Good morning." and r.status == "completed" and r.usage.total_tokens == 16


@call
def a_response_in_a_stream():
    with client.responses.stream(model="obedient", input="say one two") as stream:
        kinds = [e.type for e in stream]
        assert stream.get_final_response().output_text == "one two"
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed"


@call
def a_schema_for_a_response():
    assert client.responses.parse(model="obedient", input=porto, text_format=Place).output_parsed.city == "Porto"


@call
def a_response_that_continues():
    first = client.responses.create(model="obedient", input="say one")
    assert client.responses.create(model="obedient", input="history", previous_response_id=first.id).output_text == "user assistant user"
    assert client.responses.retrieve(first.id).output_text == "one"
    client.responses.delete(first.id)
    assert refused(openai.NotFoundError, lambda: client.responses.retrieve(first.id)).code == "NOT_FOUND"


@call
def a_call_in_a_response():
    tool = {"type": "function", "name": "get_weather", "parameters": weather["function"]["parameters"]}
    first = client.responses.create(model="obedient", input=porto, tools=[tool], tool_choice="required")
    c = first.output[0]
    assert c.type == "function_call" and c.arguments == '{"city":"Porto"}'
    result = {"type": "function_call_output", "call_id": c.call_id, "output": "sunny"}
    assert client.responses.create(model="obedient", input=[result], previous_response_id=first.id).output_text == "get_weather gave sunny"


@call
def a_response_that_fails():
    e = refused(openai.InternalServerError, lambda: client.responses.create(model="obedient", input="away"))
    assert e.code == "MODEL_UNAVAILABLE" and e.type == "server_error"
    kinds = [x.type for x in client.responses.create(model="obedient", input="away", stream=True)]
    assert kinds[-2:] == ["error", "response.failed"], kinds


@call
def a_provider_that_is_away():
    e = refused(openai.InternalServerError, lambda: ask("away"))
    assert e.status_code == 503 and e.code == "MODEL_UNAVAILABLE"


@call
def a_provider_that_is_away_in_a_stream():
    e = refused(openai.APIError, lambda: chunks("away"))
    assert "MODEL_UNAVAILABLE" in str(e.body) or e.code == "MODEL_UNAVAILABLE"


@call
def vectors():
    v = client.embeddings.create(model="counting", input=["a", "bb"])
    assert [len(x.embedding) for x in v.data] == [3, 3] and v.data[1].index == 1 and v.usage.prompt_tokens > 0


@call
def vectors_as_numbers():
    v = client.embeddings.create(model="default", input="a", encoding_format="float")
    raw = client.embeddings.with_raw_response.create(model="default", input="a", encoding_format="base64").http_response.json()
    packed = base64.b64decode(raw["data"][0]["embedding"])
    assert list(struct.unpack("<3f", packed)) == v.data[0].embedding


@call
def speech():
    sound = client.audio.speech.create(model="any", voice="alloy", input="Good morning.", response_format="wav").read()
    assert sound[:4] == b"RIFF"
    refused(openai.UnprocessableEntityError, lambda: client.audio.speech.create(model="any", voice="alloy", input="x", response_format="mp3"))


@call
def text_of_speech():
    sound = client.audio.speech.create(model="any", voice="alloy", input="Good morning.", response_format="wav").read()
    assert client.audio.transcriptions.create(model="whisper-1", file=("x.wav", sound), language="en").text == "Open the settings."
    assert client.audio.transcriptions.create(model="whisper-1", file=("x.wav", sound), response_format="text").strip() == "Open the settings."


@call
def at_once_without_threads():
    async def all_of_them():
        async with openai.AsyncOpenAI(base_url=url, api_key="anything", max_retries=0) as c:
            answers = await asyncio.gather(*(c.chat.completions.create(model="obedient", messages=[{"role": "user", "content": f"say {i}"}]) for i in range(8)))
            return [said(a) for a in answers]

    assert asyncio.run(all_of_them()) == [str(i) for i in range(8)]


for check in calls:
    try:
        check()
    except Exception as e:
        raise SystemExit(f"{check.__name__}: {type(e).__name__}: {e}") from e
print(f"{len(calls)} calls")
