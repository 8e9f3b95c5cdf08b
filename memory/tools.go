package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// toolTag is the heading that the tools are listed under.
const toolTag = "Memory"

// WriteArguments are what memory.write takes.
type WriteArguments struct {
	Text string `json:"text" minLength:"1" maxLength:"65536" pattern:"\\S" patternDescription:"text that is not only white space" doc:"What to remember, in Markdown: one fact or decision with what is needed to understand it later."`
	Kind Kind   `json:"kind,omitempty" enum:"long_term,daily" default:"daily" doc:"long_term for what stays true, as what the user likes; daily for what happened."`
}

// WriteAnswer is what it gives.
type WriteAnswer struct {
	Path    string `json:"path" doc:"The file that it is in now."`
	Warning string `json:"warning,omitempty" doc:"What should be tidied up, if anything."`
}

// Warns implements agent.Warner.
func (a WriteAnswer) Warns() string { return a.Warning }

// SearchArguments are what memory.search takes.
type SearchArguments struct {
	Query string `json:"query" minLength:"1" maxLength:"1000" doc:"Words, in whatever form; \"phrases in quotes\" as they are written; and beginnings of words, as inv*."`
	Kind  Kind   `json:"kind,omitempty" enum:"long_term,daily,other" doc:"Which files to search; without it all."`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10" doc:"The most results."`
}

// SearchAnswer is what it gives.
type SearchAnswer struct {
	Results  []SearchResult   `json:"results" doc:"The passages that were found, the best first."`
	Fallback *sdkapi.Fallback `json:"fallback,omitempty" doc:"Why it was searched by words alone, where it is searched by meaning otherwise."`
}

// Wire returns an answer as tools and commands give it.
func (a Answer) Wire() SearchAnswer {
	answer := SearchAnswer{Results: make([]SearchResult, len(a.Found))}
	for i, f := range a.Found {
		answer.Results[i] = SearchResult(f)
	}
	if a.Fallback != nil {
		f := fault.From(a.Fallback)
		answer.Fallback = &sdkapi.Fallback{Code: f.Code, Message: f.Message}
	}
	return answer
}

// SearchResult is one passage.
type SearchResult struct {
	Path      string  `json:"path"`
	Kind      Kind    `json:"kind"`
	Excerpt   string  `json:"excerpt" doc:"What stands there."`
	LineStart int     `json:"line_start" doc:"Its first line, from 1."`
	LineEnd   int     `json:"line_end" doc:"Its last line."`
	Score     float64 `json:"score" doc:"Higher is better, among these results."`
}

// Content is the answer as a model reads it.
func (a SearchAnswer) Content() []agent.Part {
	if len(a.Results) == 0 {
		return []agent.Part{agent.Text("Nothing was found.")}
	}
	var b strings.Builder
	for _, r := range a.Results {
		fmt.Fprintf(&b, "%s:%d-%d\n%s\n\n", r.Path, r.LineStart, r.LineEnd, r.Excerpt)
	}
	return []agent.Part{agent.Text(strings.TrimSpace(b.String()))}
}

// GetArguments are what memory.get takes.
type GetArguments struct {
	Path      string `json:"path" minLength:"1" maxLength:"1024" doc:"The file, as memory.search gives it."`
	LineStart int    `json:"line_start,omitempty" minimum:"1" default:"1" doc:"The first line to read."`
	LineEnd   int    `json:"line_end,omitempty" minimum:"1" doc:"The last; without it as much as fits."`
}

// GetAnswer is what it gives.
type GetAnswer struct {
	Path      string `json:"path"`
	Text      string `json:"text"`
	LineStart int    `json:"line_start"`
	LineEnd   int    `json:"line_end"`
	Lines     int    `json:"lines" doc:"How many the file has."`
	Truncated bool   `json:"truncated,omitempty" doc:"There is more after line_end."`
}

// Tools returns the tools that agents remember with. Each call is on the memory
// of the user it is made for. Reading is safe. Writing is risky: what is written
// is read in every session to come, and so would be an instruction that a web
// page has slipped in. An operator's policy may allow it.
func (m *Memory) Tools() []agent.Tool {
	return []agent.Tool{
		agent.Func(agent.Descriptor{Name: "memory.write", Tag: toolTag, Risk: agent.Risky,
			Description: "Remembers something for later sessions, as an entry with its time in a Markdown file of the user's. Search first, so that nothing is kept twice."}, m.writeTool),
		agent.Func(agent.Descriptor{Name: "memory.search", Tag: toolTag, Risk: agent.Safe,
			Description: "Searches what was remembered in earlier sessions, and the user's notes. Gives passages with their file and lines. What stands there was true when it was written."}, m.searchTool),
		agent.Func(agent.Descriptor{Name: "memory.get", Tag: toolTag, Risk: agent.Safe,
			Description: "Reads lines of a file that memory.search has found, to see what is around a passage."}, m.getTool),
	}
}

// SourceOf says that an entry is from a session: by a mark that keeps sessions
// apart, and not by the id. Models read what is remembered, and whoever knows
// the id of a prompt, or of a session of the general agent service, can approve
// its calls.
func SourceOf(session string) string {
	of := sha256.Sum256([]byte(strings.TrimPrefix(session, "session/"))) // as the journal may call it
	return "session " + hex.EncodeToString(of[:6])
}

func (m *Memory) writeTool(ctx context.Context, call agent.Call, in WriteArguments) (WriteAnswer, error) {
	source := "agent"
	if call.Session != "" {
		source = SourceOf(call.Session)
	}
	wrote, err := m.Write(ctx, call.User, Entry{Kind: in.Kind, Text: in.Text, Source: source})
	return WriteAnswer(wrote), asArguments(err)
}

func (m *Memory) searchTool(ctx context.Context, call agent.Call, in SearchArguments) (SearchAnswer, error) {
	answer, err := m.Search(ctx, call.User, Search(in))
	return answer.Wire(), asArguments(err)
}

func (m *Memory) getTool(ctx context.Context, call agent.Call, in GetArguments) (GetAnswer, error) {
	p, err := m.Get(ctx, call.User, in.Path, in.LineStart, in.LineEnd)
	return GetAnswer(p), asArguments(err)
}

// asArguments calls the fields that are wrong what the caller of a tool does.
func asArguments(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Details.Fields) == 0 {
		return err
	}
	named := *f
	named.Details.Fields = nil
	for _, field := range f.Details.Fields {
		field.Path = "arguments." + field.Path
		named.Details.Fields = append(named.Details.Fields, field)
	}
	return &named
}
