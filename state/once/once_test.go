package once_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/once"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onBoth runs a test on an empty database of each kind, with keys as opts say.
func onBoth(t *testing.T, opts once.Options, run func(t *testing.T, keys *once.Keys)) {
	t.Helper()
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) { run(t, once.Open(databasetest.Open(t, cfg), opts)) })
}

var key = once.Key{User: "ada", Route: "upload", Name: "k1"}

func wantCode(t *testing.T, what string, err error, want sdkapi.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("%s: got %q (%v), want %q", what, got, err, want)
	}
}

// claimed claims a key, and fails unless the caller is the first.
func claimed(t *testing.T, keys *once.Keys, key once.Key, digest string) once.Claim {
	t.Helper()
	c, err := keys.Claim(t.Context(), key, digest, false)
	if err != nil || !c.First || c.Answer != nil || len(c.Nonce) != 26 {
		t.Fatalf("Claim: %+v, %v; want to be the first", c, err)
	}
	return c
}

// The first request is done, and the others get its answer; until then, and with
// another digest, they get no answer. Keys of other users and routes are
// different keys.
func TestClaim(t *testing.T) {
	onBoth(t, once.Options{}, func(t *testing.T, keys *once.Keys) {
		c := claimed(t, keys, key, "d1")
		_, err := keys.Claim(t.Context(), key, "d1", true)
		wantCode(t, "while it runs", err, sdkapi.KeyInUse)
		answer := once.Answer{Status: 201, Header: map[string]string{"Location": "/a"}, Body: []byte(`{"a":"é"}`)}
		if err := keys.Keep(t.Context(), c, "d1", answer); err != nil {
			t.Fatal(err)
		}
		for _, digest := range []string{"d1", ""} {
			again, err := keys.Claim(t.Context(), key, digest, false)
			if err != nil || again.First || again.Answer == nil || again.Answer.Status != 201 || again.Answer.Header["Location"] != "/a" ||
				string(again.Answer.Body) != string(answer.Body) || again.Nonce != c.Nonce || again.Digest != "d1" {
				t.Errorf("again, with the digest %q: %+v, %v", digest, again, err)
			}
		}
		_, err = keys.Claim(t.Context(), key, "d2", false)
		wantCode(t, "another request", err, sdkapi.KeyReused)
		for _, other := range []once.Key{{User: "bob", Route: "upload", Name: "k1"}, {User: "ada", Route: "tool", Name: "k1"}, {User: "ada", Route: "upload", Name: "K1"}, {Route: "upload", Name: "k1"}} {
			claimed(t, keys, other, "d2")
		}
	})
}

// A request that was not done leaves its key free.
func TestRelease(t *testing.T) {
	onBoth(t, once.Options{}, func(t *testing.T, keys *once.Keys) {
		c := claimed(t, keys, key, "d1")
		if err := keys.Release(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		second := claimed(t, keys, key, "d2")
		if err := keys.Keep(t.Context(), c, "d1", once.Answer{Status: 200}); err != nil { // too late: it is not its own any longer
			t.Fatal(err)
		}
		_, err := keys.Claim(t.Context(), key, "d2", false)
		wantCode(t, "the second one's key", err, sdkapi.KeyInUse)
		if err := keys.Release(t.Context(), second); err != nil {
			t.Fatal(err)
		}
	})
}

// Of many who come at once, one is the first.
func TestClaimAtOnce(t *testing.T) {
	onBoth(t, once.Options{}, func(t *testing.T, keys *once.Keys) {
		var all sync.WaitGroup
		var mu sync.Mutex
		firsts := 0
		nonces := map[string]bool{}
		for range 20 {
			all.Go(func() {
				c, err := keys.Claim(t.Context(), key, "d", true)
				if err != nil {
					wantCode(t, "at once", err, sdkapi.KeyInUse)
				}
				joined, err := keys.Join(t.Context(), once.Key{User: "ada", Route: "prompt", Name: "k"}, "d")
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				nonces[joined.Nonce] = true
				if c.First {
					firsts++
				}
			})
		}
		all.Wait()
		if firsts != 1 || len(nonces) != 1 {
			t.Errorf("%d were the first, with %d names; want 1 with 1", firsts, len(nonces))
		}
	})
}

// A claim whose owner is silent for too long is not held: what may be done again
// is, and of other things nobody knows. The owner that renews it holds it.
func TestOwnerIsGone(t *testing.T) {
	const silence = 300 * time.Millisecond
	onBoth(t, once.Options{Holds: silence}, func(t *testing.T, keys *once.Keys) {
		held := claimed(t, keys, once.Key{Name: "held"}, "d")
		defer keys.Hold(context.WithoutCancel(t.Context()), held)()
		gone := claimed(t, keys, key, "d")
		testkit.Eventually(t, "the owner is silent for too long", func() (any, bool) {
			_, err := keys.Claim(t.Context(), key, "d", false)
			if fault.CodeOf(err) == sdkapi.KeyOutcomeUnknown {
				return err, true
			}
			wantCode(t, "while it may be there", err, sdkapi.KeyInUse)
			return err, false
		})
		again, err := keys.Claim(t.Context(), key, "d", true)
		if err != nil || !again.First || again.Nonce != gone.Nonce {
			t.Errorf("done again: %+v, %v", again, err)
		}
		_, err = keys.Claim(t.Context(), key, "d", true)
		wantCode(t, "while it is done again", err, sdkapi.KeyInUse)
		if err := keys.Keep(t.Context(), gone, "d", once.Answer{Status: 200}); err != nil {
			t.Fatal(err)
		}
		_, err = keys.Claim(t.Context(), key, "d", false)
		wantCode(t, "after the one that was gone has come back", err, sdkapi.KeyInUse)
		_, err = keys.Claim(t.Context(), once.Key{Name: "held"}, "d", true)
		wantCode(t, "of who is there", err, sdkapi.KeyInUse)
	})
}

// A key of a turn serves everybody who brings it, and leads to the turn that the
// first began.
func TestJoin(t *testing.T) {
	onBoth(t, once.Options{}, func(t *testing.T, keys *once.Keys) {
		first, err := keys.Join(t.Context(), key, "d")
		if err != nil || !first.First || len(first.Began) > 0 {
			t.Fatalf("Join: %+v, %v", first, err)
		}
		for _, began := range []string{`{"seq":3}`, `{"seq":4}`} { // the second is too late
			if err := keys.Begin(t.Context(), first, []byte(began)); err != nil {
				t.Fatal(err)
			}
		}
		if err := keys.Release(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		second, err := keys.Join(t.Context(), key, "d")
		if err != nil || second.First || second.Nonce != first.Nonce || string(second.Began) != `{"seq":3}` {
			t.Errorf("Join again: %+v, %v", second, err)
		}
		_, err = keys.Join(t.Context(), key, "d2")
		wantCode(t, "another request", err, sdkapi.KeyReused)
	})
}

// Only the claims of the named prompt are erased, also if its name has characters that are wildcards in SQL, and if another
// name differs only in case.
func TestEraseTurns(t *testing.T) {
	onBoth(t, once.Options{}, func(t *testing.T, keys *once.Keys) {
		names := []string{"prompt_a", "promptXa", "prompt%", "PROMPT_A", "prompt_ab", `prompt\a`}
		for _, name := range names {
			c, err := keys.Join(t.Context(), once.Key{User: "ada", Route: "turn", Name: name}, "d")
			if err != nil {
				t.Fatal(err)
			}
			if err := keys.Begin(t.Context(), c, []byte(`{"seq":3,"part":"`+name+`"}`)); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range names {
			if n, err := keys.EraseTurns(t.Context(), "ada", name); n != 1 || err != nil {
				t.Errorf("%d claims of %s were erased, %v; want 1", n, name, err)
			}
		}
	})
}

// An answer that is too large is reported as answered; so is one that comes when
// a user has as much as may be.
func TestAnswersAreBounded(t *testing.T) {
	onBoth(t, once.Options{}, func(t *testing.T, keys *once.Keys) {
		for size, want := range map[int]sdkapi.Code{once.MaxAnswer: "", once.MaxAnswer + 1: sdkapi.KeyAnswerNotKept} {
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				key := once.Key{User: "bob", Name: fmt.Sprint(size)}
				if err := keys.Keep(t.Context(), claimed(t, keys, key, "d"), "d", once.Answer{Status: 200, Body: []byte(strings.Repeat("x", size))}); err != nil {
					t.Fatal(err)
				}
				c, err := keys.Claim(t.Context(), key, "d", true)
				wantCode(t, fmt.Sprint(size, " bytes"), err, want)
				if want == "" && len(c.Answer.Body) != size {
					t.Errorf("%d bytes are kept as %d", size, len(c.Answer.Body))
				}
			})
		}
	})
}

// A user has a bounded number of keys at a time, with bounded answers.
func TestUsersAreBounded(t *testing.T) {
	onBoth(t, once.Options{Keys: 3, Bytes: 10}, func(t *testing.T, keys *once.Keys) {
		for n, want := range []sdkapi.Code{"", "", sdkapi.KeyAnswerNotKept} {
			key := once.Key{User: "ada", Name: fmt.Sprint(n)}
			if err := keys.Keep(t.Context(), claimed(t, keys, key, "d"), "d", once.Answer{Status: 200, Body: []byte("12345")}); err != nil {
				t.Fatal(err)
			}
			_, err := keys.Claim(t.Context(), key, "d", true)
			wantCode(t, fmt.Sprintf("the %d. answer", n+1), err, want)
		}
		_, err := keys.Claim(t.Context(), once.Key{User: "ada", Name: "4"}, "d", true)
		wantCode(t, "a key too many", err, sdkapi.RateLimited)
		claimed(t, keys, once.Key{User: "bob", Name: "4"}, "d")
	})
}

// Old keys are as if they were never there, and are removed.
func TestKeysExpire(t *testing.T) {
	onBoth(t, once.Options{TTL: time.Millisecond}, func(t *testing.T, keys *once.Keys) {
		const n = 250 // more than one batch
		for i := range n {
			claimed(t, keys, once.Key{User: "ada", Name: fmt.Sprint(i)}, "d")
		}
		time.Sleep(2 * time.Millisecond)
		claimed(t, keys, once.Key{User: "ada", Name: "0"}, "d2")
		time.Sleep(2 * time.Millisecond)
		if removed, err := keys.Clean(t.Context()); err != nil || removed != n {
			t.Errorf("Clean removed %d, %v; want %d", removed, err, n)
		}
	})
}
