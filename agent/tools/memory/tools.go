package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/sdkapi"
)

// toolTag is the heading that the tools are listed under.
const toolTag = "Memory"

// WriteArguments are the arguments of memory.write.
type WriteArguments struct {
	Text string `json:"text" minLength:"1" maxLength:"65536" pattern:"\\S" patternDescription:"text that is not only white space" doc:"One fact or decision in Markdown, with the context to understand it later."`
	Kind Kind   `json:"kind,omitempty" enum:"long_term,daily" default:"daily" doc:"long_term for lasting facts, such as preferences; daily for events."`
}

// Warns implements agent.Warner.
func (w Written) Warns() string { return w.Warning }

// SearchAnswer is the result of memory.search.
type SearchAnswer struct {
	Results  []SearchResult   `json:"results" doc:"Passages, best first."`
	Fallback *sdkapi.Fallback `json:"fallback,omitempty" doc:"Why the search compared only words, not meanings."`
}

// Wire converts an answer to the form for tools and commands.
func (a Answer) Wire() SearchAnswer {
	answer := SearchAnswer{Results: append([]SearchResult{}, a.Found...)} // an empty list in JSON, not null
	if a.Fallback != nil {
		f := fault.From(a.Fallback)
		answer.Fallback = &sdkapi.Fallback{Code: f.Code, Message: f.Message}
	}
	return answer
}

// Content implements agent.Contenter.
func (a SearchAnswer) Content() []agent.Part {
	if len(a.Results) == 0 {
		return []agent.Part{agent.Text("No match.")}
	}
	var b strings.Builder
	for _, r := range a.Results {
		fmt.Fprintf(&b, "%s:%d-%d\n%s\n\n", r.Path, r.LineStart, r.LineEnd, r.Excerpt)
	}
	return []agent.Part{agent.Text(strings.TrimSpace(b.String()))}
}

// GetArguments are the arguments of memory.get.
type GetArguments struct {
	Path      string `json:"path" minLength:"1" maxLength:"1024" doc:"Path of the file, from a result of memory.search."`
	LineStart int    `json:"line_start,omitempty" minimum:"1" default:"1"`
	LineEnd   int    `json:"line_end,omitempty" minimum:"1" doc:"Last line to read (default: as many lines as fit)."`
}

// Tools returns the agents' tools for the user's memory: memory.write, memory.search and
// memory.get. Writing is risky, because a web page may cause the model to write a text that later
// sessions read. An operator's policy may allow writing without asking the user.
func (m *Memory) Tools() []agent.Tool {
	return []agent.Tool{
		agent.Func(agent.Descriptor{Name: "memory.write", Tag: toolTag, Risk: agent.Risky,
			Description: "Save a fact or decision for later sessions, in the user's Markdown files. Search first: do not save it twice."}, m.writeTool),
		agent.Func(agent.Descriptor{Name: "memory.search", Tag: toolTag, Risk: agent.Safe,
			Description: "Search the memory of earlier sessions and the user's notes. Returns passages with file and lines. A passage may be out of date."}, m.searchTool),
		agent.Func(agent.Descriptor{Name: "memory.get", Tag: toolTag, Risk: agent.Safe,
			Description: "Read more lines of a file that memory.search returned."}, m.getTool),
	}
}

// SourceOf returns the value of Entry.Source for entries that come from a session. Different
// sessions have different values, but a value does not reveal the session's id: a model that knows
// the id could approve the session's calls.
func SourceOf(session string) string {
	return "session " + hashid.Of(strings.TrimPrefix(session, "session/"), 6) // the journal calls it session/ and the id
}

// writeTool writes an entry for the caller. Its source is the session, or "agent" without one.
func (m *Memory) writeTool(ctx context.Context, call agent.Call, in WriteArguments) (Written, error) {
	source := "agent"
	if call.Session != "" {
		source = SourceOf(call.Session)
	}
	wrote, err := m.Write(ctx, call.User, Entry{Kind: in.Kind, Text: in.Text, Source: source})
	return wrote, asArguments(err)
}

// searchTool searches the caller's memory. An embedder's failure is a Fallback, not an error.
func (m *Memory) searchTool(ctx context.Context, call agent.Call, in Search) (SearchAnswer, error) {
	answer, err := m.Search(ctx, call.User, in)
	return answer.Wire(), asArguments(err)
}

// getTool reads a passage of the caller's memory.
func (m *Memory) getTool(ctx context.Context, call agent.Call, in GetArguments) (Passage, error) {
	p, err := m.Get(ctx, call.User, in.Path, in.LineStart, in.LineEnd)
	return p, asArguments(err)
}

// asArguments returns err with "arguments." before the paths of its invalid fields.
func asArguments(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Details.Fields) == 0 {
		return err
	}
	named := *f
	named.Details.Fields = slices.Clone(f.Details.Fields)
	for i := range named.Details.Fields {
		named.Details.Fields[i].Path = "arguments." + named.Details.Fields[i].Path
	}
	return &named
}
