//go:build system

package scrub_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/scrub"
	"github.com/windieos/windie/state/database"
)

// TestRate bounds how fast a round reads.
func TestRate(t *testing.T) {
	t.Parallel()
	store, db := stored(t, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	const rate = 600_000
	began := time.Now()
	found, err := scrub.Open(store, db, scrub.Options{Rate: rate}).Round(t.Context(), silent)
	if err != nil || found.Checked != many {
		t.Fatalf("%+v, %v", found, err)
	}
	least := time.Duration(float64(found.Bytes-artifacts.PieceSize) / rate * float64(time.Second)) // a piece may come at once
	if took := time.Since(began); took < least {
		t.Errorf("%d bytes took %v, want %v at least", found.Bytes, took, least)
	}
}
