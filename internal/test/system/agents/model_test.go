//go:build system

package agents_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// scriptMark stands in a prompt before the script that the model plays.
const scriptMark = "SCRIPT:"

// script is what a model does in one conversation. A prompt has it as JSON, so a model needs no state: it makes the calls
// one after the other, each when the client has brought the answer of the one before.
type script struct {
	ID    string
	Calls []scripted
}

// scripted is one call of a script.
type scripted struct {
	Tool      string
	Arguments json.RawMessage
	Pause     bool // the test does something before this call
}

// prompt returns what a user says to have the script played.
func (s script) prompt() string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return "Do it. " + scriptMark + string(raw)
}

// answer is what a client got of a call: what its model reads, where it has one.
type answer struct {
	Text   string
	Images int
}

// scriptedModel is a model that plays the scripts of its prompts.
type scriptedModel struct {
	URL string

	mu      sync.Mutex
	offered map[string][]string // names of tools, by the script's id
	heard   map[string][]answer // of the script's calls so far, by its id
	pauses  map[string]func()   // by the script's id; each runs once
}

// startModel starts a server of the model that speaks a protocol.
func startModel(t *testing.T, protocol modelstest.Protocol) *scriptedModel {
	t.Helper()
	m := &scriptedModel{offered: map[string][]string{}, heard: map[string][]answer{}, pauses: map[string]func(){}}
	m.URL = modelstest.ServeBy(t, protocol, m.reply).URL
	return m
}

// reply returns what the model says next in a conversation.
func (m *scriptedModel) reply(asked modelstest.Asked) modelstest.Reply {
	var body map[string]any
	if err := json.Unmarshal([]byte(asked.Body), &body); err != nil {
		return modelstest.Reply{Fault: modelstest.Broken}
	}
	s, names, answers := scriptIn(body), namesIn(body["tools"]), answersIn(body)
	if s.ID == "" || len(names) == 0 { // a title, a summary and the like
		return modelstest.Reply{Text: []string{"Fine."}}
	}
	m.mu.Lock()
	m.offered[s.ID], m.heard[s.ID] = names, answers
	var pause func()
	if n := len(answers); n < len(s.Calls) && s.Calls[n].Pause {
		pause = m.pauses[s.ID]
		delete(m.pauses, s.ID)
	}
	m.mu.Unlock()
	if pause != nil {
		pause()
	}
	if len(answers) >= len(s.Calls) {
		return modelstest.Reply{Text: []string{"Done."}, Usage: models.Usage{Input: 1, Output: 1}}
	}
	next := s.Calls[len(answers)]
	for _, name := range names {
		if isTool(name, next.Tool) {
			id := fmt.Sprintf("call_%s_%d", s.ID, len(answers))
			return modelstest.Reply{Calls: []models.Call{{ID: id, Name: name, Arguments: next.Arguments}}, Usage: models.Usage{Input: 1, Output: 1}}
		}
	}
	return modelstest.Reply{Text: []string{"There is no tool " + next.Tool}}
}

// of returns what the model was offered and has heard in the conversation of a script.
func (m *scriptedModel) of(id string) (offered []string, heard []answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.offered[id], m.heard[id]
}

// pause sets what the test does in the conversation of a script.
func (m *scriptedModel) pause(id string, do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pauses[id] = do
}

// scriptIn returns the last script in a request.
func scriptIn(value any) (s script) {
	walk(value, func(value any) bool {
		if text, ok := value.(string); ok {
			if _, after, found := strings.Cut(text, scriptMark); found {
				var one script
				if json.NewDecoder(strings.NewReader(after)).Decode(&one) == nil {
					s = one
				}
			}
		}
		return true
	})
	return s
}

// isTool reports whether a client has given a tool of the gateway a name, which may have the server's before it.
func isTool(name, tool string) bool {
	return name == tool || strings.HasSuffix(name, "_"+tool) || strings.HasSuffix(name, namespaceEnd+tool)
}

// namesIn returns the names in a request's list of tools, whose form depends on the protocol.
func namesIn(tools any) (names []string) {
	walk(tools, func(value any) bool {
		tool, _ := value.(map[string]any)
		name, named := tool["name"].(string)
		if group, is := tool["tools"]; named && is {
			for _, one := range namesIn(group) {
				names = append(names, name+namespaceEnd+one)
			}
			return false
		}
		if named {
			names = append(names, name)
		}
		return !named
	})
	return names
}

// answersIn returns what the tools have answered, in a request of any of the protocols.
func answersIn(body any) (answers []answer) {
	walk(body, func(value any) bool {
		object, _ := value.(map[string]any)
		if isPicture(object) && len(answers) > 0 { // some clients have pictures after the answer, or in the next message
			answers[len(answers)-1].Images++
			return false
		}
		_, gemini := object["functionResponse"]
		if !gemini && object["role"] != "tool" && object["type"] != "tool_result" && object["type"] != "function_call_output" {
			return true
		}
		var a answer
		walk(object, func(value any) bool {
			switch value := value.(type) {
			case string:
				a.Text += value + "\n"
			case map[string]any:
				if isPicture(value) {
					a.Images++
					return false
				}
			}
			return true
		})
		answers = append(answers, a)
		return false
	})
	return answers
}

// isPicture reports whether a part of a message is a picture.
func isPicture(part map[string]any) bool {
	kind, _ := part["type"].(string)
	_, inline := part["inlineData"]
	return inline || kind == "image" || kind == "image_url" || kind == "input_image"
}

// walk visits a value of JSON and all in it, lists in order, and leaves out what is in a value for which visit returns false.
func walk(value any, visit func(any) bool) {
	if !visit(value) {
		return
	}
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			walk(v, visit)
		}
	case map[string]any:
		for _, v := range value {
			walk(v, visit)
		}
	}
}
