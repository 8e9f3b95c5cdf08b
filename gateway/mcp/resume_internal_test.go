package mcp

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity"
)

// A session that is in memory ends once the database is found to have it no longer, as its client has ended it at another
// gateway. A session that was never kept stays.
func TestSessionsEndedElsewhere(t *testing.T) {
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ids := identity.Open(db)
	const id, user = "", "ada" // the id of one that is not over HTTP
	m := &server{door: &door{identity: ids}, sdk: mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)}
	_, here := mcp.NewInMemoryTransports()
	session, err := m.sdk.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if err := m.sessions.add(user, "", session); err != nil {
		t.Fatal(err)
	}
	if err := m.goOn(t.Context(), id, user); err != nil {
		t.Errorf("never kept: %v", err)
	}
	if err := ids.KeepMCPSession(t.Context(), identity.MCPSession{ID: id, User: user, Start: []byte("{}")}, time.Hour); err != nil {
		t.Fatal(err)
	}
	m.sessions.kept(id)
	if err := m.goOn(t.Context(), id, user); err != nil {
		t.Errorf("kept: %v", err)
	}
	if m.sessions.due(id, time.Hour) {
		t.Error("the database is asked again at once")
	}
	if err := ids.EndMCPSession(t.Context(), id, user); err != nil {
		t.Fatal(err)
	}
	if err := m.goOn(t.Context(), id, user); fault.CodeOf(err) != sdkapi.SessionNotFound {
		t.Errorf("ended elsewhere: %v", err)
	}
}
