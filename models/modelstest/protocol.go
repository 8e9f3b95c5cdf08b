package modelstest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/windieos/windie/models"
)

// Protocol is a provider's way of speaking.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai"    // POST /chat/completions
	Anthropic Protocol = "anthropic" // POST /v1/messages
	Gemini    Protocol = "gemini"    // POST /v1beta/models/NAME:streamGenerateContent
)

// object is a JSON object.
type object = map[string]any

// frame returns a server-sent event, with a name where the protocol has them.
func frame(p Protocol, value object) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	if p == Anthropic {
		return fmt.Sprintf("event: %s\ndata: %s\n\n", value["type"], text)
	}
	return fmt.Sprintf("data: %s\n\n", text)
}

// frames returns the events of a reply, in order.
func frames(p Protocol, r Reply) []string {
	var values []object
	switch p {
	case OpenAI:
		values = openAI(r)
	case Anthropic:
		values = anthropic(r)
	case Gemini:
		values = gemini(r)
	}
	var out []string
	for _, value := range values {
		out = append(out, frame(p, value))
	}
	if p == OpenAI {
		out = append(out, "data: [DONE]\n\n")
	}
	return out
}

// halves cuts a text in two, as arguments come in pieces.
func halves(text string) []string { return []string{text[:len(text)/2], text[len(text)/2:]} }

// openAI returns a reply's chunks.
func openAI(r Reply) []object {
	chunk := func(delta object, reason any) object {
		return object{"id": "c1", "object": "chat.completion.chunk", "choices": []object{{"index": 0, "delta": delta, "finish_reason": reason}}}
	}
	out := []object{chunk(object{"role": "assistant", "content": ""}, nil)}
	for _, piece := range r.Thoughts {
		out = append(out, chunk(object{"reasoning_content": piece}, nil))
	}
	for _, piece := range r.Text {
		out = append(out, chunk(object{"content": piece}, nil))
	}
	for i, c := range r.Calls {
		out = append(out, chunk(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil))
		for _, piece := range halves(string(c.Arguments)) {
			out = append(out, chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}}, nil))
		}
	}
	reason := map[models.EndReason]string{models.Stop: "stop", models.ToolCalls: "tool_calls", models.Length: "length", models.Refused: "content_filter"}[r.end()]
	out = append(out, chunk(object{}, reason))
	if r.Usage != (models.Usage{}) {
		out = append(out, object{"id": "c1", "choices": []object{}, "usage": object{
			"prompt_tokens": r.Usage.Prompt(), "completion_tokens": r.Usage.Output + r.Usage.Reasoning, "total_tokens": r.Usage.Total(),
			"prompt_tokens_details":     object{"cached_tokens": r.Usage.CacheRead},
			"completion_tokens_details": object{"reasoning_tokens": r.Usage.Reasoning},
		}})
	}
	return out
}

// anthropic returns a reply's events.
func anthropic(r Reply) []object {
	out := []object{{"type": "message_start", "message": object{
		"id": "m1", "type": "message", "role": "assistant", "content": []object{},
		"usage": object{"input_tokens": r.Usage.Input, "cache_read_input_tokens": r.Usage.CacheRead, "cache_creation_input_tokens": r.Usage.CacheWrite, "output_tokens": 1},
	}}, {"type": "ping"}}
	index := 0
	block := func(start object, deltas ...object) {
		out = append(out, object{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			out = append(out, object{"type": "content_block_delta", "index": index, "delta": d})
		}
		out = append(out, object{"type": "content_block_stop", "index": index})
		index++
	}
	var deltas []object
	for _, piece := range r.Thoughts {
		deltas = append(deltas, object{"type": "thinking_delta", "thinking": piece})
	}
	if len(deltas) > 0 {
		block(object{"type": "thinking", "thinking": "", "signature": ""}, append(deltas, object{"type": "signature_delta", "signature": r.Signature})...)
	}
	deltas = nil
	for _, piece := range r.Text {
		deltas = append(deltas, object{"type": "text_delta", "text": piece})
	}
	if len(deltas) > 0 {
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range r.Calls {
		two := halves(string(c.Arguments))
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": two[0]}, object{"type": "input_json_delta", "partial_json": two[1]})
	}
	reason := map[models.EndReason]string{models.Stop: "end_turn", models.ToolCalls: "tool_use", models.Length: "max_tokens", models.Refused: "refusal"}[r.end()]
	return append(out,
		object{"type": "message_delta", "delta": object{"stop_reason": reason}, "usage": object{
			"output_tokens": r.Usage.Output + r.Usage.Reasoning, "output_tokens_details": object{"thinking_tokens": r.Usage.Reasoning},
		}},
		object{"type": "message_stop"})
}

// gemini returns a reply's chunks.
func gemini(r Reply) []object {
	chunk := func(part object) object {
		return object{"candidates": []object{{"index": 0, "content": object{"role": "model", "parts": []object{part}}}}}
	}
	var out []object
	for i, piece := range r.Thoughts {
		part := object{"text": piece, "thought": true}
		if i == len(r.Thoughts)-1 && r.Signature != "" {
			part["thoughtSignature"] = base64.StdEncoding.EncodeToString([]byte(r.Signature))
		}
		out = append(out, chunk(part))
	}
	for _, piece := range r.Text {
		out = append(out, chunk(object{"text": piece}))
	}
	for _, c := range r.Calls {
		call := object{"name": c.Name, "args": c.Arguments}
		if c.ID != "" {
			call["id"] = c.ID
		}
		part := object{"functionCall": call}
		if c.Signature != "" {
			part["thoughtSignature"] = c.Signature
		}
		out = append(out, chunk(part))
	}
	reason := map[models.EndReason]string{models.Stop: "STOP", models.ToolCalls: "STOP", models.Length: "MAX_TOKENS", models.Refused: "SAFETY"}[r.end()]
	last := object{"candidates": []object{{"index": 0, "content": object{"role": "model", "parts": []object{{"text": ""}}}, "finishReason": reason}}}
	if u := r.Usage; u != (models.Usage{}) {
		last["usageMetadata"] = object{
			"promptTokenCount": u.Prompt(), "cachedContentTokenCount": u.CacheRead,
			"candidatesTokenCount": u.Output, "thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Total(),
		}
	}
	return append(out, last)
}
