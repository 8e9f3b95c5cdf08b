"""instructor, in each mode for OpenAI's API."""

import instructor
import openai
from place import ASK, URL, Place, end, right

for mode in (instructor.Mode.TOOLS, instructor.Mode.TOOLS_STRICT, instructor.Mode.JSON, instructor.Mode.JSON_SCHEMA):
    client = instructor.from_openai(openai.OpenAI(base_url=URL, api_key="anything", max_retries=0), mode=mode)
    right(str(mode), client.chat.completions.create(model="default", messages=[{"role": "user", "content": ASK}], response_model=Place, max_retries=0))
end()
