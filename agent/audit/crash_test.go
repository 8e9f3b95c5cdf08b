//go:build system

package audit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/state/database"
)

// Of what a process brought that was killed, what the log had written is there.
func TestCrash(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "windie.db")
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), "AUDIT_TEST_CRASH="+file)
	out, err := child.CombinedOutput()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); err == nil || !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("%v %s", err, out)
	}
	db, err := database.Open(t.Context(), database.Config{File: file})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := list(t, db, audit.Query{User: "flushed"}); len(got) != crashAfter {
		t.Errorf("%d are there", len(got))
	}
	t.Logf("of %d others there are %d", crashAfter, len(list(t, db, audit.Query{User: "late"})))
}
