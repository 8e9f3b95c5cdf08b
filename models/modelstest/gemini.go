package modelstest

import (
	"cmp"
	"encoding/base64"
	"strings"

	"github.com/windieos/windie/models"
)

// Gemini is the protocol of the Gemini API: POST /v1beta/models/NAME:streamGenerateContent. A
// server with this protocol never splits a call into pieces.
var Gemini = Protocol{
	Kind: "gemini",
	Asked: func(path string) bool {
		return strings.HasPrefix(path, "/v1beta/models/") && strings.HasSuffix(path, ":streamGenerateContent")
	},
	Reply:  gemini,
	Full:   "The input token count (9) exceeds the maximum number of tokens allowed (8).",
	Signed: func(sig string) string { return base64.StdEncoding.EncodeToString([]byte(sig)) },
	InPath: true,
	NoUser: true,
	Pieces: func(int) Pieces {
		return Pieces{
			Text:      geminiChunk(Object{"text": long}),
			Thought:   geminiChunk(Object{"text": long, "thought": true}),
			Arguments: geminiChunk(Object{"functionCall": Object{"name": "f", "args": Object{"a": longer}}}),
			Call:      geminiChunk(Object{"functionCall": Object{"name": "f", "args": Object{}}}),
		}
	},
}

// geminiChunk returns a chunk with one part of the answer.
func geminiChunk(part Object) Object {
	return Object{"candidates": []Object{{"index": 0, "content": Object{"role": "model", "parts": []Object{part}}}}}
}

// gemini returns the chunks of a reply.
func gemini(r Reply) []Object {
	var out []Object
	for i, piece := range r.Thoughts {
		part := Object{"text": piece, "thought": true}
		if i == len(r.Thoughts)-1 && r.Signature != "" {
			part["thoughtSignature"] = base64.StdEncoding.EncodeToString([]byte(r.Signature))
		}
		out = append(out, geminiChunk(part))
	}
	for _, piece := range r.Text {
		out = append(out, geminiChunk(Object{"text": piece}))
	}
	for _, c := range r.Calls {
		call := Object{"name": c.Name, "args": c.Arguments}
		if c.ID != "" {
			call["id"] = c.ID
		}
		part := Object{"functionCall": call}
		if c.Signature != "" {
			part["thoughtSignature"] = c.Signature
		}
		out = append(out, geminiChunk(part))
	}
	reason := cmp.Or(r.EndWord, map[models.EndReason]string{models.Stop: "STOP", models.ToolCalls: "STOP", models.Length: "MAX_TOKENS", models.Refused: "SAFETY"}[r.end()])
	last := Object{"candidates": []Object{{"index": 0, "content": Object{"role": "model", "parts": []Object{{"text": ""}}}, "finishReason": reason}}}
	if u := r.Usage; u != (models.Usage{}) {
		last["usageMetadata"] = Object{
			"promptTokenCount": u.Prompt(), "cachedContentTokenCount": u.CacheRead,
			"candidatesTokenCount": u.Output, "thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Total(),
		}
	}
	return append(out, last)
}
