package database_test

import (
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/database"
)

func TestOpenTwice(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "windie.db")
	for range 2 {
		db, err := database.Open(t.Context(), database.Config{File: file})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
