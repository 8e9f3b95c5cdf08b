package wasmtools

import (
	"encoding/json"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools/abi"
)

// resultOf makes a guest's answer, which was parsed, the result of a tool.
func resultOf(a *abi.Answer) agent.Result {
	r := agent.Result{Structured: a.StructuredContent, Checked: true, IsError: a.IsError}
	for _, c := range a.Content {
		switch {
		case c.Type == "image":
			r.Content = append(r.Content, agent.Image(c.MimeType, c.Data))
		case c.Type == "resource" && len(c.Resource) > 0:
			r.Content = append(r.Content, agent.JSON(c.Resource))
		default:
			r.Content = append(r.Content, agent.Text(c.Text))
		}
	}
	return r
}

// marshalAnswer writes the result of a tool as a guest's answer.
func marshalAnswer(r agent.Result) (json.RawMessage, error) {
	a := abi.Answer{StructuredContent: r.Structured, IsError: r.IsError}
	for _, p := range r.Content {
		switch p.Kind {
		case agent.ImagePart:
			a.Content = append(a.Content, abi.Content{Type: "image", Data: p.Data, MimeType: p.MediaType})
		case agent.JSONPart:
			a.Content = append(a.Content, abi.Content{Type: "resource", Resource: p.JSON})
		default:
			a.Content = append(a.Content, abi.Content{Type: "text", Text: p.Text})
		}
	}
	return json.Marshal(a)
}
