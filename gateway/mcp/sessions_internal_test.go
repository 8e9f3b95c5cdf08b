package mcp

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Sessions whose calls do not end count against the limits, or a user could begin any number.
func TestEndingSessionsCount(t *testing.T) {
	t.Parallel()
	connect := func() *mcp.ServerSession {
		_, here := mcp.NewInMemoryTransports()
		session, err := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session
	}
	for _, tt := range []struct {
		name                 string
		open, ending, others int
		want                 error
	}{
		{"none", 0, 0, 0, nil},
		{"one fewer are ending", 1, maxMCPSessionsEach - 1, 0, nil},
		{"as many are ending", 1, maxMCPSessionsEach, 0, errTooManySessions},
		{"another user's are ending", 0, 0, maxMCPSessionsEach, nil},
		{"all of the user's are open", maxMCPSessionsEach, 0, 0, nil},
		{"the server has one fewer", maxMCPSessionsEach, 1, maxMCPSessions - maxMCPSessionsEach - 2, nil},
		{"the server is full, the user's oldest could end", maxMCPSessionsEach, 1, maxMCPSessions - maxMCPSessionsEach - 1, errTooManySessions},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sessions{open: map[string]*clientSession{}}
			have := func(n int, user string, ending bool) {
				for i := range n {
					s.open[fmt.Sprintf("%s %t %d", user, ending, i)] = &clientSession{user: user, ending: ending, since: time.Unix(int64(i+1), 0)}
				}
			}
			have(tt.open, "ada", false)
			have(tt.ending, "ada", true)
			have(tt.others, "bob", true)
			oldest := s.open["ada false 0"]
			if oldest != nil {
				oldest.ServerSession = connect()
			}
			if err := s.add("ada", "", connect()); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if oldest != nil && oldest.ending != (tt.want == nil && tt.open == maxMCPSessionsEach) {
				t.Errorf("the oldest is ending: %t", oldest.ending)
			}
		})
	}
}
