//go:build system

package terminal_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

func TestMain(m *testing.M) { rig.Main(m) }

// onData runs a command on a data folder.
func onData(t *testing.T, data string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaint rig.Output
	code = rig.Run(t.Context(), args, []string{"WINDIE_DATA_DIR=" + data, "HOME=" + data}, nil, &out, &complaint)
	return code, out.String(), complaint.String()
}

// approval is a call that waits, as `windie approvals --json` prints it.
type approval struct {
	sdkapi.Decision

	UserID   string `json:"user_id"`
	Protocol string `json:"protocol"`
}

// questioned returns a data folder in which calls over MCP wait, under these ids
// with these arguments, and its journal.
func questioned(t *testing.T, user string, arguments map[string]string) (data string, log *sqljournal.Journal) {
	t.Helper()
	data = t.TempDir()
	db, err := database.Open(t.Context(), database.Config{File: filepath.Join(data, "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	log, err = sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = log.Close()
		_ = db.Close()
	})
	for _, id := range slices.Sorted(func(yield func(string) bool) {
		for id := range arguments {
			if !yield(id) {
				return
			}
		}
	}) {
		request := fmt.Sprintf(`{"tool":"files.write","arguments":%s,"why":"the tool can change something"}`, arguments[id])
		_, err := log.Open(t.Context(), journal.Decision{
			ID: "approval_" + id, Stream: "decisions/" + user, User: user, Kind: session.Approval, Digest: "d", Request: json.RawMessage(request),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return data, log
}

// askAgent sends what an agent without the key can.
func askAgent(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sdkapi.UserHeader, sdkapi.LocalUser)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// memoryOf returns what is remembered in a data folder.
func memoryOf(t *testing.T, data string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join(data, "memory"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		raw, err := os.ReadFile(path)
		all.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
