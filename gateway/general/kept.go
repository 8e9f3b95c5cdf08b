package general

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// onKept describes a route about stored sessions or memory. A local gateway requires its key.
func (s *door) onKept(id, method, path, summary, description string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{tag}, Security: s.Core.AsksForKey(),
		Summary: summary, Description: description, Errors: append(errors, 403, 422, 503),
	}
}

// addKeptSessions adds the routes that list and delete stored sessions.
func (s *door) addKeptSessions() {
	gateway.RegisterJSON(s.Core, s.onKept("general-sessions", http.MethodGet, sdkapi.V1SessionsPath, "List sessions",
		"Lists the user's sessions that can continue, sorted by id."), s.listSessions)
	remove := s.onKept("general-session-delete", http.MethodDelete, sdkapi.V1SessionsPath+"/{sessionId}", "Delete a session",
		"Cancels the running turn, and deletes the session with all its content.", 404)
	remove.Security = nil // only the session's own client knows its id
	gateway.RegisterJSON(s.Core, remove, s.deleteSession)
}

type sessionPage struct {
	After string `query:"after" maxLength:"40" doc:"Value of \"next\" in the previous page."`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of items."`
}

// listSessions returns a page of the caller's sessions that have not expired. Next is empty on the last page.
func (s *door) listSessions(ctx context.Context, in *sessionPage) (*sdkapi.V1SessionList, error) {
	user, err := gateway.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	if in.After != "" && !sessionIDs.MatchString(in.After) {
		return nil, fault.New("gateway.v1", sdkapi.ValidationError, "invalid page cursor in the query parameter \"after\"; list again without this parameter").
			At("query.after", "expected the field next of the previous page")
	}
	out := sdkapi.V1SessionList{Sessions: []sdkapi.V1SessionSummary{}}
	prefix, after := session.GeneralOf(user), ""
	if in.After != "" {
		after = prefix + in.After
	}
	for {
		list, err := session.List(ctx, s.Journal, prefix, after, in.Limit+1)
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			after = one.ID
			if time.Since(one.Used) > s.sessionIdle {
				continue
			}
			if len(out.Sessions) == in.Limit {
				out.Next = out.Sessions[in.Limit-1].GeneralSessionID
				return &out, nil
			}
			out.Sessions = append(out.Sessions, sdkapi.V1SessionSummary{GeneralSessionID: strings.TrimPrefix(one.ID, prefix), UsedAt: one.Used})
		}
		if len(list) <= in.Limit {
			return &out, nil
		}
	}
}

type sessionNamed struct {
	ID string `path:"sessionId" maxLength:"256" doc:"Id of the session."`
}

// deleteSession cancels the running turn of a session and deletes it. An expired session is not found.
func (s *door) deleteSession(ctx context.Context, in *sessionNamed) (*sdkapi.Deleted, error) {
	user, id, _, err := s.find(ctx, in.ID)
	if err == nil {
		err = s.Sessions.Delete(ctx, id, user)
	}
	if err != nil {
		return nil, err
	}
	return &sdkapi.Deleted{Deleted: true, Removed: 1}, nil
}

// addKeptMemory adds the routes that list, edit and delete the files of a user's memory.
func (s *door) addKeptMemory() {
	gateway.RegisterJSON(s.Core, s.onKept("general-memory-files", http.MethodGet, sdkapi.V1MemoryFilesPath, "List memory files",
		"Lists the files of the user's memory, sorted by path.", 504), s.listMemory)
	gateway.RegisterJSON(s.Core, s.onKept("general-memory-file-delete", http.MethodDelete, sdkapi.V1MemoryFilesPath, "Delete a memory file",
		"Deletes one file of the memory. Searches no longer find the file.", 404, 504), s.deleteMemoryFile)
	edit := s.onKept("general-memory-edit", http.MethodPut, sdkapi.V1MemoryFilesPath, "Edit a memory file",
		"Replaces lines of a file. If the lines have changed since you read them, the response is 409.", 400, 404, 408, 409, 413, 415, 504, 507)
	edit.MaxBodyBytes, edit.BodyReadTimeout = maxEditBody+1, -1 // huma refuses a body of exactly the limit; the gateway watches progress
	gateway.RegisterJSON(s.Core, edit, s.editMemory)
	gateway.RegisterJSON(s.Core, s.onKept("general-memory-history", http.MethodGet, sdkapi.V1MemoryHistoryPath, "List changes of a memory file",
		"Returns the old and new text of each change, newest first. The history has the user's newest 200 changes, at most 4 MiB. A "+
			"deleted file has no history.", 404, 504), s.memoryHistory)
	gateway.RegisterJSON(s.Core, s.onKept("general-memory-delete", http.MethodDelete, sdkapi.V1MemoryPath, "Delete the memory",
		"Deletes all files of the user's memory.", 504), s.deleteMemory)
}

// listMemory returns the files of the caller's memory, without their content.
func (s *door) listMemory(ctx context.Context, _ *struct{}) (*sdkapi.V1MemoryFiles, error) {
	user, within, stop, err := s.remember(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	files, err := s.memory.Files(within, user)
	if err != nil {
		return nil, err
	}
	out := sdkapi.V1MemoryFiles{Files: make([]sdkapi.V1MemoryFile, len(files))}
	for i, f := range files {
		out.Files[i] = sdkapi.V1MemoryFile{Path: f.Path, Kind: string(f.Kind), SizeBytes: f.Size, ModifiedAt: f.Modified}
	}
	return &out, nil
}

type memoryFile struct {
	Path string `query:"path" required:"true" minLength:"1" maxLength:"1024" doc:"Path of the file, from the list." example:"memory/2026-02-11.md"`
}

// deleteMemoryFile deletes one file of the caller's memory.
func (s *door) deleteMemoryFile(ctx context.Context, in *memoryFile) (*sdkapi.Deleted, error) {
	user, within, stop, err := s.remember(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	if err := s.memory.Delete(within, user, in.Path); err != nil {
		return nil, err
	}
	return &sdkapi.Deleted{Deleted: true, Removed: 1}, nil
}

// deleteMemory deletes the caller's whole memory, and returns the number of deleted files.
func (s *door) deleteMemory(ctx context.Context, _ *struct{}) (*sdkapi.Deleted, error) {
	user, within, stop, err := s.remember(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	removed, err := s.memory.EraseUser(within, user)
	if err != nil {
		return nil, err
	}
	return &sdkapi.Deleted{Deleted: true, Removed: removed}, nil
}

type memoryChanges struct {
	Path  string `query:"path" required:"true" minLength:"1" maxLength:"1024" doc:"Path of the file, from the list." example:"memory/MEMORY.md"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Maximum number of items."`
}

// memoryHistory returns the changes of a file of the caller's memory, newest first.
func (s *door) memoryHistory(ctx context.Context, in *memoryChanges) (*sdkapi.V1MemoryHistory, error) {
	user, within, stop, err := s.remember(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	list, err := s.memory.Changes(within, user, in.Path, in.Limit)
	if err != nil {
		return nil, err
	}
	out := sdkapi.V1MemoryHistory{Changes: make([]sdkapi.V1MemoryChange, len(list))}
	for i, c := range list {
		out.Changes[i] = sdkapi.V1MemoryChange{ChangedAt: c.At, By: c.By, LineStart: c.LineStart, Was: c.Was, Text: c.Text}
	}
	return &out, nil
}

// changerOf returns the source of a change of the memory: a person at the console or a client.
func changerOf(ctx context.Context) string {
	if gateway.RequestOf(ctx).Visit != nil {
		return "console"
	}
	return "client"
}

// maxEditBody is the maximum size of a change's body, in bytes. It allows for JSON escapes.
const maxEditBody = 2*6*memory.MaxPassage + 16<<10

// editMemory replaces lines of a file of the caller's memory. Without a line number it begins at line 1.
func (s *door) editMemory(ctx context.Context, in *struct{ Body sdkapi.V1MemoryEdit }) (*sdkapi.V1MemoryWritten, error) {
	user, within, stop, err := s.remember(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	wrote, err := s.memory.Change(within, user, in.Body.Path, memory.Edit{LineStart: max(in.Body.LineStart, 1), Was: in.Body.Was, Text: in.Body.Text, By: changerOf(ctx)})
	if err != nil {
		return nil, err
	}
	return &sdkapi.V1MemoryWritten{Path: wrote.Path, Warning: wrote.Warning}, nil
}
