package modelstest

import (
	"cmp"
	"fmt"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Anthropic is Anthropic's protocol: POST /v1/messages. The package anthropic ignores fields of the
// wrong type. After the fault WrongShape it therefore reports that the answer ended too early.
var Anthropic = Protocol{
	Kind:   "anthropic",
	Asked:  func(path string) bool { return path == "/v1/messages" },
	Reply:  anthropic,
	Named:  true,
	Full:   "prompt is too long: 9 tokens > 8 maximum",
	Codes:  map[Fault]sdkapi.Code{WrongShape: sdkapi.ModelUnavailable},
	Signed: func(sig string) string { return sig },
	Caches: true,
	Counts: true,
	Pieces: func(index int) Pieces {
		delta := func(d Object) Object { return Object{"type": "content_block_delta", "index": index, "delta": d} }
		return Pieces{
			Text:      delta(Object{"type": "text_delta", "text": long}),
			Thought:   delta(Object{"type": "thinking_delta", "thinking": long}),
			Arguments: delta(Object{"type": "input_json_delta", "partial_json": long}),
			Call: Object{"type": "content_block_start", "index": index, "content_block": Object{
				"type": "tool_use", "id": fmt.Sprint(index), "name": "f", "input": Object{},
			}},
		}
	},
}

// anthropic returns the events of a reply.
func anthropic(r Reply) []Object {
	out := []Object{{"type": "message_start", "message": Object{
		"id": "m1", "type": "message", "role": "assistant", "content": []Object{},
		"usage": Object{"input_tokens": r.Usage.Input, "cache_read_input_tokens": r.Usage.CacheRead, "cache_creation_input_tokens": r.Usage.CacheWrite, "output_tokens": 1},
	}}, {"type": "ping"}}
	index := 0
	block := func(start Object, deltas ...Object) {
		out = append(out, Object{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			out = append(out, Object{"type": "content_block_delta", "index": index, "delta": d})
		}
		out = append(out, Object{"type": "content_block_stop", "index": index})
		index++
	}
	deltas := func(kind string, pieces []string) (list []Object) {
		for _, piece := range pieces {
			list = append(list, Object{"type": kind + "_delta", kind: piece})
		}
		return list
	}
	if len(r.Thoughts) > 0 {
		block(Object{"type": "thinking", "thinking": "", "signature": ""},
			append(deltas("thinking", r.Thoughts), Object{"type": "signature_delta", "signature": r.Signature})...)
	}
	if len(r.Text) > 0 {
		block(Object{"type": "text", "text": ""}, deltas("text", r.Text)...)
	}
	for _, c := range r.Calls {
		two := halves(string(c.Arguments))
		block(Object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": Object{}},
			Object{"type": "input_json_delta", "partial_json": two[0]}, Object{"type": "input_json_delta", "partial_json": two[1]})
	}
	reason := cmp.Or(r.EndWord, map[models.EndReason]string{models.Stop: "end_turn", models.ToolCalls: "tool_use", models.Length: "max_tokens", models.Refused: "refusal"}[r.end()])
	return append(out,
		Object{"type": "message_delta", "delta": Object{"stop_reason": reason}, "usage": Object{
			"output_tokens": r.Usage.Output + r.Usage.Reasoning, "output_tokens_details": Object{"thinking_tokens": r.Usage.Reasoning},
		}},
		Object{"type": "message_stop"})
}
