package doorstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// Offers asks the gateway which tools it offers the model in a conversation. It returns the argument names of each
// tool, by the tool's name.
func (p *Peer) Offers() map[string]string {
	p.T.Helper()
	p.Send("query", `{"text":"what tools are there","conversation_ref":"c1"}`)
	offered := map[string]string{}
	for _, m := range p.Until("streaming-complete") {
		var told struct {
			ToolSchemas []struct {
				Function struct {
					Name       string
					Parameters struct{ Properties map[string]json.RawMessage }
				}
			} `json:"tool_schemas"`
		}
		if m.Type != sdkapi.WSToolSchemas {
			continue
		}
		if err := json.Unmarshal(m.Payload, &told); err != nil {
			p.T.Fatal(err)
		}
		for _, s := range told.ToolSchemas {
			offered[s.Function.Name] = strings.Join(slices.Sorted(maps.Keys(s.Function.Parameters.Properties)), " ")
		}
	}
	return offered
}

// LastSaid sends a query about a screenshot. It returns the output of the turn's tools and the agent's answer. The
// test fails if the gateway calls a tool of the client.
func (p *Peer) LastSaid(text, shot string) (output, said string) {
	p.T.Helper()
	p.Send("query", fmt.Sprintf(`{"text":%q,"conversation_ref":"c1","screenshot_ref":%q}`, text, shot))
	for _, m := range p.Until("streaming-complete") {
		switch m.Type {
		case sdkapi.WSToolCall, sdkapi.WSToolBundle:
			p.T.Errorf("the client is called: %s", m.Payload)
		case sdkapi.WSToolOutput:
			output = string(m.Payload)
		case sdkapi.WSAssistantMessageFull:
			said = string(m.Payload)
		}
	}
	return output, said
}
