//go:build system

package agents_test

import (
	"strings"

	"github.com/windieos/windie/models/modelstest"
)

// namespaceEnd stands between the name of a group of tools and that of a tool, which the protocol has in two fields.
const namespaceEnd = "."

// responses is OpenAI's protocol of responses, as far as scripts need it: POST /responses.
var responses = modelstest.Protocol{
	Kind:  "responses",
	Asked: func(path string) bool { return strings.HasSuffix(path, "/responses") },
	Named: true,
	Reply: func(r modelstest.Reply) []modelstest.Object {
		var items []modelstest.Object
		for _, text := range r.Text {
			items = append(items, modelstest.Object{"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": []modelstest.Object{{"type": "output_text", "text": text, "annotations": []any{}}}})
		}
		for _, c := range r.Calls {
			item := modelstest.Object{"type": "function_call", "id": "f" + c.ID, "call_id": c.ID, "name": c.Name, "arguments": string(c.Arguments), "status": "completed"}
			if group, name, grouped := strings.Cut(c.Name, namespaceEnd); grouped {
				item["namespace"], item["name"] = group, name
			}
			items = append(items, item)
		}
		whole := func(status string, output []modelstest.Object) modelstest.Object {
			return modelstest.Object{"id": "r1", "object": "response", "created_at": 1, "status": status, "model": "m", "output": output, "tools": []any{}, "tool_choice": "auto", "parallel_tool_calls": false}
		}
		out := []modelstest.Object{{"type": "response.created", "sequence_number": 0, "response": whole("in_progress", []modelstest.Object{})}}
		for i, item := range items {
			out = append(out,
				modelstest.Object{"type": "response.output_item.added", "sequence_number": 2*i + 1, "output_index": i, "item": item},
				modelstest.Object{"type": "response.output_item.done", "sequence_number": 2*i + 2, "output_index": i, "item": item})
		}
		done := whole("completed", items)
		done["usage"] = modelstest.Object{"input_tokens": 1, "input_tokens_details": modelstest.Object{"cached_tokens": 0}, "output_tokens": 1, "output_tokens_details": modelstest.Object{"reasoning_tokens": 0}, "total_tokens": 2}
		return append(out, modelstest.Object{"type": "response.completed", "sequence_number": 2*len(items) + 1, "response": done})
	},
}
