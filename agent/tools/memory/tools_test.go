package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

func execute(t *testing.T, db *database.DB, statement string) error {
	t.Helper()
	return db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(statement).Exec(ctx)
		return err
	})
}

// TestTools writes, searches and reads as an agent does.
func TestTools(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{})
	registry := agent.NewRegistry()
	for _, tool := range n.Tools() {
		if err := registry.Register(tool); err != nil {
			t.Fatal(err)
		}
		if d := tool.Descriptor(); (d.Risk == agent.Risky) != (d.Name == "memory.write") {
			t.Errorf("%s is %s", d.Name, d.Risk)
		}
	}
	call := func(name, arguments string, out any) (agent.Result, error) {
		result, err := registry.Invoke(t.Context(), name, agent.Call{User: "ada", Session: "s1", Arguments: json.RawMessage(arguments)})
		if err == nil && out != nil {
			err = json.Unmarshal(result.Structured, out)
		}
		return result, err
	}
	var wrote memory.Written
	if _, err := call("memory.write", `{"text": "Ada likes tea.", "kind": "long_term"}`, &wrote); err != nil || wrote.Path != "memory/MEMORY.md" {
		t.Errorf("%+v, %v", wrote, err)
	}
	var found memory.SearchAnswer
	result, err := call("memory.search", `{"query": "teas"}`, &found)
	if err != nil || len(found.Results) != 1 || !strings.Contains(found.Results[0].Excerpt, "UTC · "+memory.SourceOf("s1")+"\nAda likes tea.") ||
		len(result.Content) != 1 || !strings.HasPrefix(result.Content[0].Text, "memory/MEMORY.md:3-4\n") {
		t.Errorf("%+v %+v, %v", found, result.Content, err)
	}
	var read memory.Passage
	if _, err := call("memory.get", `{"path": "memory/MEMORY.md", "line_start": 4, "line_end": 4}`, &read); err != nil || read.Text != "Ada likes tea.\n" || read.Lines != 4 {
		t.Errorf("%+v, %v", read, err)
	}
	for arguments, code := range map[string]sdkapi.Code{
		`{"path": "memory/none.md"}`:                                    sdkapi.MemoryNotFound,
		`{"path": "../bob/memory/MEMORY.md"}`:                           sdkapi.MemoryNotFound,
		`{"path": "memory/MEMORY.md", "line_start": 99}`:                sdkapi.RangeNotSatisfiable,
		`{"path": "memory/MEMORY.md", "line_start": 3, "line_end": 2}`:  sdkapi.ValidationError,
		`{"path": "memory/MEMORY.md", "line_start": 0, "line_end": 20}`: sdkapi.ValidationError,
	} {
		_, err := call("memory.get", arguments, nil)
		wantCode(t, arguments, err, code)
	}
	_, err = call("memory.search", `{"query": "!?"}`, nil)
	if f := fault.From(err); f == nil || f.Code != sdkapi.ValidationError || f.Details.Fields[0].Path != "arguments.query" {
		t.Errorf("%v", err)
	}
	_, err = registry.Invoke(t.Context(), "memory.write", agent.Call{Arguments: json.RawMessage(`{"text": "a"}`)})
	wantCode(t, "nobody", err, sdkapi.ValidationError)
	if result, err := call("memory.search", `{"query": "coffee"}`, nil); err != nil || result.Content[0].Text != "No match." || string(result.Structured) != `{"results":[]}` {
		t.Errorf("%+v, %v", result, err)
	}
}

// topics is an embedder that knows which words are of one topic.
type topics struct {
	words [][]string
	err   error
}

func (e *topics) Embed(_ context.Context, texts []string) ([][]float32, error) {
	list := make([][]float32, len(texts))
	for i, text := range texts {
		list[i] = make([]float32, len(e.words)+1)
		list[i][len(e.words)] = 0.1
		for j, of := range e.words {
			for _, word := range of {
				list[i][j] += float32(strings.Count(strings.ToLower(text), word))
			}
		}
	}
	return list, e.err
}

// TestMeaning finds what has other words, and goes on by words where the
// embedder fails.
func TestMeaning(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database.DB) {
		embedder := &topics{words: [][]string{{"car", "vehicle", "bicycle"}, {"meal", "dinner", "soup"}}}
		n := remember(t, db, memory.Options{Embedder: embedder, Space: "test"})
		n.put("ada/memory/a.md", "We bought a bicycle and another vehicle.")
		n.put("ada/memory/b.md", "Soup for dinner.")
		n.put("ada/memory/c.md", "The car is a vehicle.")
		n.put("bob/memory/a.md", "His car.")
		if got := n.paths("ada", "car"); got != "c.md:1-1 a.md:1-1" {
			t.Errorf("car: %q", got)
		}
		if got := n.paths("ada", "meal"); got != "b.md:1-1" {
			t.Errorf("meal: %q", got)
		}
		if err := n.Tidy(t.Context()); err != nil {
			t.Error(err)
		}
		embedder.err = errors.New("away")
		if got := n.paths("ada", "car"); got != "c.md:1-1" {
			t.Errorf("without the embedder: %q", got)
		}
		other := remember(t, db, memory.Options{Dir: n.dir, Embedder: &topics{words: [][]string{{"a"}, {"b"}, {"c"}}}, Space: "other"})
		if got := other.paths("ada", "soup"); !strings.HasPrefix(got, "b.md:1-1") {
			t.Errorf("another model: %q", got)
		}
	})
}
