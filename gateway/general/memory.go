package general

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// maxMemoryBody is the maximum size of a write's body, in bytes. It allows for JSON escapes.
const maxMemoryBody = 6*memory.MaxEntry + 4<<10

// addMemory adds the routes with which a client writes, searches and reads a user's memory.
func (s *door) addMemory() {
	about := func(id, method, path, summary, description string, errors ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: method, Path: path, Tags: []string{tag}, Summary: summary, Description: description,
			Errors: append(errors, 403, 422, 503, 504),
		}
	}
	write := about("general-memory-write", http.MethodPost, sdkapi.V1MemoryWritePath, "Write to the memory",
		"Adds an entry to the user's memory, and returns when it is on disk. The caller must ask the user first.", 400, 404, 408, 413, 415, 507)
	write.MaxBodyBytes, write.BodyReadTimeout = maxMemoryBody+1, -1
	gateway.RegisterJSON(s.Core, write, s.writeMemory)
	gateway.RegisterJSON(s.Core, about("general-memory-search", http.MethodGet, sdkapi.V1MemorySearchPath, "Search the memory",
		"Finds passages of the user's memory. The query can have words in any form, `\"phrases in quotes\"`, and beginnings of words such as "+
			"`inv*`."), s.searchMemory)
	gateway.RegisterJSON(s.Core, about("general-memory-get", http.MethodGet, sdkapi.V1MemoryGetPath, "Read lines of a memory file",
		"Returns lines of a file of the memory, at most 2,000 lines and 64 KiB.", 404, 413, 416), s.readMemory)
}

// remember counts a memory request against its user's limits. It returns the user and a context
// with the request's timeout. The caller must call stop.
func (s *door) remember(ctx context.Context) (user string, within context.Context, stop func(), err error) {
	user, err = gateway.CallerOf(ctx)
	if err == nil {
		err = gateway.RequestOf(ctx).Quota.TakeCall()
	}
	if err != nil {
		return "", nil, nil, err
	}
	ctx, left := gateway.UntilClientLeaves(ctx)
	ctx, cancel := context.WithTimeout(ctx, s.toolTimeout)
	return user, ctx, func() { cancel(); left() }, nil
}

// memoryFault replaces the memory's field names in err with the client's. names holds pairs of
// the memory's name and the client's.
func memoryFault(err error, in string, names ...string) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	for i := 0; i < len(names); i += 2 {
		f = f.Renamed(names[i], in+"."+names[i+1])
	}
	return f
}

// writeMemory adds an entry to the caller's memory. If the body names a session, a warning of the
// memory goes to that session too.
func (s *door) writeMemory(ctx context.Context, in *gateway.Body[sdkapi.V1MemoryWrite]) (*sdkapi.V1MemoryWritten, error) {
	entry := memory.Entry{Kind: memory.Kind(in.Body.Target), Text: in.Body.Content, Source: "client"}
	session := ""
	if general := in.Body.GeneralSessionID; general != "" {
		_, id, _, err := s.find(ctx, general)
		if err != nil {
			return nil, err
		}
		session = id
		entry.Source = memory.SourceOf(id)
	}
	user, within, stop, err := s.remember(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	wrote, err := s.memory.Write(within, user, entry)
	if err != nil {
		return nil, memoryFault(err, "body", "kind", "target", "text", "content")
	}
	if wrote.Warning != "" && session != "" { // the entry is stored even if the warning is not delivered
		if err := s.Sessions.Warn(within, session, user, wrote.Warning); err != nil {
			s.Core.Log.Warn("cannot send a warning to the session", slog.String("session", session), slog.Any("err", err))
		}
	}
	return (*sdkapi.V1MemoryWritten)(&wrote), nil
}

type searchInput struct {
	Query string `query:"q" required:"true" minLength:"1" maxLength:"1000" doc:"Text to search for."`
	Kind  string `query:"kind" enum:"long_term,daily,other" doc:"Kind of files to search (default all)."`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"10" doc:"Maximum number of results."`
}

// searchMemory returns the passages of the caller's memory that match a query, the best first.
func (s *door) searchMemory(ctx context.Context, in *searchInput) (*sdkapi.V1MemoryResults, error) {
	user, within, stop, err := s.remember(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	found, err := s.memory.Search(within, user, memory.Search{Query: in.Query, Kind: memory.Kind(in.Kind), Limit: in.Limit})
	if err != nil {
		return nil, memoryFault(err, "query", "query", "q", "kind", "kind", "limit", "limit")
	}
	told := found.Wire()
	out := sdkapi.V1MemoryResults{Results: make([]sdkapi.V1MemoryResult, len(told.Results)), Fallback: told.Fallback}
	for i, r := range told.Results {
		out.Results[i] = sdkapi.V1MemoryResult{
			Path: r.Path, Kind: string(r.Kind), Excerpt: r.Excerpt, LineStart: r.LineStart, LineEnd: r.LineEnd, Score: r.Score,
		}
	}
	return &out, nil
}

type readInput struct {
	Path      string `query:"path" required:"true" minLength:"1" maxLength:"1024" doc:"Path of the file, from a search result." example:"memory/2026-02-11.md"`
	LineStart int    `query:"line_start" minimum:"1" default:"1" doc:"Number of the first line to read."`
	LineEnd   int    `query:"line_end" minimum:"1" doc:"Number of the last line to read (default: as many lines as fit)."`
}

// readMemory returns lines of a file of the caller's memory.
func (s *door) readMemory(ctx context.Context, in *readInput) (*sdkapi.V1MemoryPassage, error) {
	user, within, stop, err := s.remember(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	passage, err := s.memory.Get(within, user, in.Path, in.LineStart, in.LineEnd)
	if err != nil {
		return nil, memoryFault(err, "query", "line_start", "line_start")
	}
	return (*sdkapi.V1MemoryPassage)(&passage), nil
}
