//go:build system

package owned_test

import (
	"testing"
	"time"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// TestExpiry checks that no view shows an expired artifact, with or without a cached row, although
// its content still exists.
func TestExpiry(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), new(links)
	s := owned.Open(inner, db, owned.Options{TTL: time.Second})
	put := mustPut(t, s.For("ada"), "brief.png")
	if left := time.Until(put.ExpiresAt); left > 2*time.Second || put.ExpiresAt.Nanosecond() != 0 || put.ExpiresAt.Location() != time.UTC {
		t.Errorf("it expires at %v, in %v", put.ExpiresAt, left)
	}
	info, err := s.For("ada").Stat(t.Context(), "brief.png")
	if time.Now().Before(put.ExpiresAt) && (err != nil || info != put) {
		t.Errorf("Stat: %+v, %v; Put had returned %+v", info, err, put)
	}
	time.Sleep(time.Until(put.ExpiresAt))
	for _, s := range []*owned.Store{s, owned.Open(inner, db, owned.Options{})} {
		for _, owner := range []string{"", "ada"} {
			for call, err := range attempts(t, s.For(owner), "brief.png") {
				if fault.CodeOf(err) != sdkapi.ArtifactNotFound {
					t.Errorf("%s by %q of what has expired: %v", call, owner, err)
				}
			}
		}
	}
	if _, err := inner.Stat(t.Context(), "brief.png"); err != nil {
		t.Errorf("the janitor was here: %v", err)
	}
}

// TestUnkeptExpires checks that an artifact whose mark is cleared gets its old expiry back, even if
// its upload took long.
func TestUnkeptExpires(t *testing.T) {
	t.Parallel()
	s := owned.Open(slowStore{files(t, t.TempDir()), 1100 * time.Millisecond}, openDatabase(t), owned.Options{TTL: time.Hour})
	mustPut(t, s.For("ada"), "long1.png")
	before, err := s.For("ada").Stat(t.Context(), "long1.png")
	if err != nil {
		t.Fatal(err)
	}
	list := s.For("ada").(artifacts.Lister)
	for _, kept := range []bool{true, false} {
		after, err := list.Keep(t.Context(), "long1.png", kept)
		if err != nil || !kept && !after.ExpiresAt.Equal(before.ExpiresAt) {
			t.Errorf("kept %t: it expires at %v, before at %v: %v", kept, after.ExpiresAt, before.ExpiresAt, err)
		}
	}
}

// TestKeptElsewhere checks that a gateway with a cached row sees marks that another gateway has set
// or cleared.
func TestKeptElsewhere(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), new(storetest.Memory)
	opts := owned.Options{TTL: 2 * time.Second}
	one, two := owned.Open(inner, db, opts).For("ada"), owned.Open(inner, db, opts).For("ada")
	put := mustPut(t, one, "kept1.png")
	if info, err := two.(artifacts.Lister).Keep(t.Context(), "kept1.png", true); err != nil || !info.ExpiresAt.IsZero() {
		t.Errorf("Keep: %+v, %v", info, err)
	}
	time.Sleep(time.Until(put.ExpiresAt) + time.Millisecond)
	if info, err := one.Stat(t.Context(), "kept1.png"); err != nil || !info.ExpiresAt.IsZero() {
		t.Errorf("Stat on another gateway: %+v, %v", info, err)
	}
	if _, err := two.(artifacts.Lister).Keep(t.Context(), "kept1.png", false); fault.CodeOf(err) != sdkapi.ArtifactNotFound {
		t.Errorf("Keep of what would have expired: %v", err)
	}
	testkit.Eventually(t, "one hears that it is kept no longer", func() (sdkapi.Code, bool) {
		_, err := one.Stat(t.Context(), "kept1.png")
		return fault.CodeOf(err), fault.CodeOf(err) == sdkapi.ArtifactNotFound
	})
}

// TestViewsRememberForLong checks that views use old cached rows until the database responds again.
// Artifacts that expire meanwhile must be missing.
func TestViewsRememberForLong(t *testing.T) {
	t.Parallel()
	db, inner := openDatabase(t), new(storetest.Memory)
	s := owned.Open(inner, db, owned.Options{})
	mustPut(t, s.For("ada"), "known.png")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.Throughout(t, 2100*time.Millisecond, "it is remembered beyond owned.askAgain", func() (error, bool) {
		_, err := s.For("ada").Stat(t.Context(), "known.png")
		return err, err == nil
	})
	wantMissing(t, s.For("bob"), "known.png")
}
