package responses_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/responses"
)

// save stores a response whose only item is its id.
func save(t *testing.T, s *responses.Store, user, id, previous string, chain ...string) {
	t.Helper()
	item := json.RawMessage(fmt.Sprintf("%q", id))
	if err := s.Save(t.Context(), user, responses.Response{ID: id, Previous: previous, Body: json.RawMessage(`{"id":"` + id + `"}`), Items: []json.RawMessage{item}}, chain); err != nil {
		t.Fatal(err)
	}
}

// missing fails the test unless err is NOT_FOUND.
func missing(t *testing.T, err error) {
	t.Helper()
	if fault.CodeOf(err) != sdkapi.NotFound {
		t.Errorf("%v; want NOT_FOUND", err)
	}
}

// A chain has the items of all its responses, for its user alone, until one is deleted.
func TestHistory(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		s := responses.Open(databasetest.Open(t, cfg), responses.Options{})
		save(t, s, "ada", "a", "")
		save(t, s, "ada", "b", "a", "a")
		items, chain, err := s.History(t.Context(), "ada", "b")
		if err != nil || fmt.Sprintf("%s %s", items, chain) != `["a" "b"] [b a]` {
			t.Errorf("%s %s %v", items, chain, err)
		}
		_, err = s.Get(t.Context(), "eve", "b")
		missing(t, err)
		_, _, err = s.History(t.Context(), "eve", "b")
		missing(t, err)
		missing(t, s.Delete(t.Context(), "eve", "a"))
		if err := s.Delete(t.Context(), "ada", "a"); err != nil {
			t.Error(err)
		}
		_, _, err = s.History(t.Context(), "ada", "b")
		missing(t, err)
		if body, err := s.Get(t.Context(), "ada", "b"); err != nil || string(body) != `{"id":"b"}` {
			t.Errorf("%s %v", body, err)
		}
	})
}

// Beyond the limits, the least recently used response goes. The newest stays, however large.
func TestLimits(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		db := databasetest.Open(t, cfg)
		s := responses.Open(db, responses.Options{PerUser: 2})
		save(t, s, "ada", "a", "")
		save(t, s, "eve", "e", "")
		save(t, s, "ada", "b", "")
		save(t, s, "ada", "c", "a", "a") // which uses a
		_, err := s.Get(t.Context(), "ada", "b")
		missing(t, err)
		for user, id := range map[string]string{"ada": "a", "eve": "e"} {
			if _, err := s.Get(t.Context(), user, id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		small := responses.Open(db, responses.Options{Bytes: 100})
		big := responses.Response{ID: "big", Body: json.RawMessage(`"` + strings.Repeat("x", 200) + `"`)}
		if err := small.Save(t.Context(), "ada", big, nil); err != nil {
			t.Fatal(err)
		}
		_, err = s.Get(t.Context(), "ada", "c")
		missing(t, err)
		if _, err := s.Get(t.Context(), "ada", "big"); err != nil {
			t.Error(err)
		}
	})
}

// Erasure deletes one user's responses, and retention the unused ones.
func TestEraseAndPrune(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		s := responses.Open(databasetest.Open(t, cfg), responses.Options{})
		save(t, s, "ada", "a", "")
		save(t, s, "eve", "e", "")
		if n, err := s.EraseUser(t.Context(), "ada"); n != 1 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		for _, tt := range []struct {
			before time.Time
			dry    bool
			want   int64
		}{{time.Now().Add(-time.Hour), false, 0}, {time.Now().Add(time.Hour), true, 1}, {time.Now().Add(time.Hour), false, 1}, {time.Now().Add(time.Hour), false, 0}} {
			if n, err := s.Prune(t.Context(), tt.before, tt.dry); n != tt.want || err != nil {
				t.Errorf("%+v: %d %v", tt, n, err)
			}
		}
	})
}

// A chain that is too long is refused.
func TestMaxChain(t *testing.T) {
	t.Parallel()
	s := responses.Open(databasetest.Open(t, databasetest.InFile(t)), responses.Options{})
	previous := ""
	for i := range responses.MaxChain + 1 {
		id := fmt.Sprint(i)
		save(t, s, "ada", id, previous)
		previous = id
	}
	if _, chain, err := s.History(t.Context(), "ada", fmt.Sprint(responses.MaxChain-1)); err != nil || len(chain) != responses.MaxChain {
		t.Errorf("%d %v", len(chain), err)
	}
	if _, _, err := s.History(t.Context(), "ada", previous); fault.CodeOf(err) != sdkapi.ValidationError {
		t.Errorf("%v; want VALIDATION_ERROR", err)
	}
}
