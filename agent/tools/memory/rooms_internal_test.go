package memory

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/state/database"
)

// A room that a caller has stays the room of its folder, however many others are used meanwhile.
// Rooms that nobody has are forgotten.
func TestRoomsInUse(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	m, err := Open(db, Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	held := m.room("ada")
	leave, err := held.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxRooms {
		m.room(fmt.Sprint("other", i))
	}
	if again := m.room("ada"); again != held {
		t.Error("the folder has a second room: its callers would not wait for the first")
	}
	leave()
	for i := range 2 * maxRooms {
		m.room(fmt.Sprint("more", i))
	}
	runtime.KeepAlive(held)
	testkit.Eventually(t, "rooms that nobody has are forgotten", func() (int, bool) {
		runtime.GC()
		n := 0
		m.alive.Range(func(any, any) bool { n++; return true })
		return n, n == maxRooms
	})
}
