"""LangChain's with_structured_output, with chat completions and with responses."""

from langchain_openai import ChatOpenAI
from place import ASK, URL, Place, end, right

for responses in (False, True):
    for method in ("function_calling", "json_mode", "json_schema"):
        model = ChatOpenAI(model="default", base_url=URL, api_key="anything", use_responses_api=responses, max_retries=0)
        right(f"{method}, responses {responses}", model.with_structured_output(Place, method=method).invoke(ASK))
end()
