//go:build system

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/state/values"
)

// What plugins keep of a user goes with the user, whether a gateway runs or none does.
func TestErasureOfValues(t *testing.T) {
	t.Parallel()
	for name, beside := range map[string]bool{"without a gateway": false, "beside a gateway": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			variables := []string{"WINDIE_DATA_DIR=" + dir}
			user := func() string {
				out, _ := commandProcess(t, variables, "user", "create")
				return strings.TrimSpace(string(out))
			}
			ada, eve := user(), user()
			plantValues(t, variables, map[string]string{ada: "planted-of-ada", eve: "planted-of-eve"})
			if beside {
				hostWith(t, []any{"serve"}, variables...)
			}
			if out, _ := commandProcess(t, variables, "user", "delete", ada); !strings.Contains(string(out), "values") {
				t.Errorf("the command does not say how many values it removed:\n%s", out)
			}
			testkit.Eventually(t, "nothing of ada's is on the disk, and eve's is", func() ([]byte, bool) {
				file, err := os.ReadFile(filepath.Join(dir, databaseName))
				log, _ := os.ReadFile(filepath.Join(dir, databaseName+"-wal")) // gone with the last process
				content := append(file, log...)
				return nil, err == nil && !bytes.Contains(content, []byte("planted-of-ada")) && bytes.Contains(content, []byte("planted-of-eve"))
			})
		})
	}
}

// plantValues has a plugin keep a text for each user.
func plantValues(t *testing.T, variables []string, texts map[string]string) {
	t.Helper()
	c, err := loadWith(t, []string{"--mode", "hosted"}, variables, "")
	if err != nil {
		t.Fatal(err)
	}
	db, err := openDatabase(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for user, text := range texts {
		if err := values.Open(db).User("notes", user, 1<<20, 1<<24).Set(t.Context(), "note", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
