package modelstest

import (
	"cmp"
	"fmt"

	"github.com/windieos/windie/models"
)

// OpenAI is the protocol of chat completions: POST /chat/completions.
var OpenAI = Protocol{
	Kind:  "openai",
	Asked: func(path string) bool { return path == "/chat/completions" },
	Reply: openAI,
	Last:  "data: [DONE]\n\n",
	Full:  "This model's maximum context length is 8 tokens.",
	Pieces: func(index int) Pieces {
		piece := func(delta Object) Object { return Object{"choices": []Object{{"delta": delta}}} }
		call := func(c Object) Object { return piece(Object{"tool_calls": []Object{c}}) }
		return Pieces{
			Text:      piece(Object{"content": long}),
			Thought:   piece(Object{"reasoning_content": long}),
			Arguments: call(Object{"index": index, "function": Object{"name": "f", "arguments": long}}),
			More:      call(Object{"index": index, "function": Object{"arguments": long}}),
			Call:      call(Object{"index": index, "id": fmt.Sprint(index), "function": Object{"name": "f"}}),
		}
	},
}

// openAI returns the chunks of a reply.
func openAI(r Reply) []Object {
	chunk := func(delta Object, reason any) Object {
		return Object{"id": "c1", "object": "chat.completion.chunk", "choices": []Object{{"index": 0, "delta": delta, "finish_reason": reason}}}
	}
	out := []Object{chunk(Object{"role": "assistant", "content": ""}, nil)}
	for _, piece := range r.Thoughts {
		out = append(out, chunk(Object{"reasoning_content": piece}, nil))
	}
	for _, piece := range r.Text {
		out = append(out, chunk(Object{"content": piece}, nil))
	}
	for i, c := range r.Calls {
		out = append(out, chunk(Object{"tool_calls": []Object{{"index": i, "id": c.ID, "type": "function", "function": Object{"name": c.Name, "arguments": ""}}}}, nil))
		for _, piece := range halves(string(c.Arguments)) {
			out = append(out, chunk(Object{"tool_calls": []Object{{"index": i, "function": Object{"arguments": piece}}}}, nil))
		}
	}
	reason := cmp.Or(r.EndWord, map[models.EndReason]string{models.Stop: "stop", models.ToolCalls: "tool_calls", models.Length: "length", models.Refused: "content_filter"}[r.end()])
	out = append(out, chunk(Object{}, reason))
	if r.Usage != (models.Usage{}) {
		out = append(out, Object{"id": "c1", "choices": []Object{}, "usage": Object{
			"prompt_tokens": r.Usage.Prompt(), "completion_tokens": r.Usage.Output + r.Usage.Reasoning, "total_tokens": r.Usage.Total(),
			"prompt_tokens_details":     Object{"cached_tokens": r.Usage.CacheRead},
			"completion_tokens_details": Object{"reasoning_tokens": r.Usage.Reasoning},
		}})
	}
	return out
}
