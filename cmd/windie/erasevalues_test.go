//go:build system

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/wasmtools/kv"
)

// What plugins keep of a user goes with the user, whether a gateway has their store open, or none
// has, or the user was deleted where it is not.
func TestErasureOfValues(t *testing.T) {
	t.Parallel()
	for name, deletes := range map[string]func(t *testing.T, user string, variables []string){
		"without a gateway": func(t *testing.T, user string, variables []string) {
			out, _ := commandProcess(t, variables, "user", "delete", user)
			if !strings.Contains(string(out), "values") {
				t.Errorf("the command does not say how many values it removed:\n%s", out)
			}
		},
		"beside a gateway": func(t *testing.T, user string, variables []string) {
			hostWith(t, []any{"serve"}, variables...)
			commandProcess(t, variables, "user", "delete", user)
		},
		"before a gateway starts": func(t *testing.T, user string, variables []string) {
			c, err := loadWith(t, []string{"--mode", "hosted"}, variables, "")
			if err != nil {
				t.Fatal(err)
			}
			db, err := openDatabase(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if err := identity.Open(db).DeleteUser(t.Context(), user); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			hostWith(t, []any{"serve"}, variables...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			variables := []string{"WINDIE_DATA_DIR=" + dir}
			user := func() string {
				out, _ := commandProcess(t, variables, "user", "create")
				return strings.TrimSpace(string(out))
			}
			ada, eve := user(), user()
			file := filepath.Join(dir, "plugins.db")
			plantValues(t, file, map[string]string{ada: "planted-of-ada", eve: "planted-of-eve"})
			deletes(t, ada, variables)
			testkit.Eventually(t, "nothing of ada's is in the file, and eve's is", func() ([]byte, bool) {
				content, err := os.ReadFile(file)
				return nil, err == nil && !bytes.Contains(content, []byte("planted-of-ada")) && bytes.Contains(content, []byte("planted-of-eve"))
			})
		})
	}
}

// plantValues has a plugin keep a text for each user.
func plantValues(t *testing.T, file string, texts map[string]string) {
	t.Helper()
	store, err := kv.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	for user, text := range texts {
		if err := store.User("notes", user, 1<<20, 1<<24).Set(t.Context(), "note", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}
