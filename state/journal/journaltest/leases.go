package journaltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var leaseChecks = []check{
	{"LeaseExcludes", leaseExcludes},
	{"LeaseRivals", leaseRivals},
	{"LeaseRenewed", leaseRenewed},
	{"LeaseTakenOver", leaseTakenOver},
	{"LeaseRenewedLate", leaseRenewedLate},
	{"LeaseReleased", leaseReleased},
	{"LeaseAbandoned", leaseAbandoned},
	{"LeaseBounds", leaseBounds},
	{"AppendAs", appendAs},
	{"Fencing", fencing},
}

// mustLease is Lease for calls that must succeed: an error, or a lease with other data, ends the
// test.
func mustLease(t *testing.T, j journal.Leases, key, owner string, ttl time.Duration) journal.Lease {
	t.Helper()
	l, err := j.Lease(within(t), key, owner, ttl)
	if err != nil {
		t.Fatalf("Lease of %q to %q: %v", key, owner, err)
	}
	if l.Key != key || l.Owner != owner || l.Token < 1 {
		t.Fatalf("Lease of %q to %q is %+v", key, owner, l)
	}
	return l
}

// wantKey fails unless the message of err names the lease.
func wantKey(t *testing.T, err error, key string) {
	t.Helper()
	if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("the lease of %q; ", key)) {
		t.Errorf("the message is %q, without the lease %q", err, key)
	}
}

// wantHeld fails unless a request of owner for the key fails with LEASE_HELD.
func wantHeld(t *testing.T, j journal.Leases, key, owner string) {
	t.Helper()
	_, err := j.Lease(within(t), key, owner, time.Hour)
	wantCode(t, fmt.Sprintf("Lease of %q to %q", key, owner), err, sdkapi.LeaseHeld)
	wantKey(t, err, key)
}

// mustRelease is Release for calls that must succeed, also for a lost lease: an error ends the
// test.
func mustRelease(t *testing.T, j journal.Leases, l journal.Lease) {
	t.Helper()
	if err := j.Release(within(t), l); err != nil {
		t.Fatalf("Release: %v", err)
	}
}

// mustAppendAs appends the numbered events from..last to the stream "s", and fails unless they get
// those numbers.
func mustAppendAs(t *testing.T, j journal.Log, l journal.Lease, from, last int) {
	t.Helper()
	if got, err := j.AppendAs(within(t), l, "s", numbered(from, last)...); got != int64(last) || err != nil {
		t.Errorf("AppendAs: last is %d, %v; want %d", got, err, last)
	}
}

// takeOver requests a key repeatedly until the previous lease has expired.
func takeOver(t *testing.T, j journal.Leases, key, owner string) journal.Lease {
	t.Helper()
	return testkit.Eventually(t, fmt.Sprintf("the lease of %q expires", key), func() (journal.Lease, bool) {
		l, err := j.Lease(within(t), key, owner, time.Hour)
		if err != nil && fault.CodeOf(err) != sdkapi.LeaseHeld {
			t.Fatal(err)
		}
		return l, err == nil
	})
}

// leaseExcludes checks that a key has one owner at a time, and that keys are independent of each
// other.
func leaseExcludes(t *testing.T, b Backend) {
	j := b.Open(t)
	l := mustLease(t, j, "k", "a", time.Hour)
	if left := time.Until(l.Expires); left < time.Hour-patience || left > time.Hour+time.Second || l.Expires.Location() != time.UTC {
		t.Errorf("a lease of an hour expires at %v", l.Expires)
	}
	wantHeld(t, j, "k", "b")
	mustLease(t, j, "other", "b", time.Hour)
	wantHeld(t, j, "other", "a")
	wantHeld(t, j, "k", "b")
}

// leaseRivals lets many owners request one key at once. Exactly one of them may get the key.
func leaseRivals(t *testing.T, b Backend) {
	j := b.Open(t)
	var wg sync.WaitGroup
	var won atomic.Int32
	for i := range 16 {
		wg.Go(func() {
			_, err := j.Lease(within(t), "k", fmt.Sprint("owner", i), time.Hour)
			if err == nil {
				won.Add(1)
			} else {
				wantCode(t, "Lease", err, sdkapi.LeaseHeld)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d hold the lease", won.Load())
	}
}

// leaseRenewed checks that a renewal keeps the token. Both leases must be valid until one of them
// is released.
func leaseRenewed(t *testing.T, b Backend) {
	j := b.Open(t)
	first := mustLease(t, j, "k", "a", 30*time.Minute)
	second := mustLease(t, j, "k", "a", time.Hour)
	if second.Token != first.Token || second.Expires.Sub(first.Expires) < 29*time.Minute {
		t.Errorf("renewed, %+v is %+v", first, second)
	}
	wantHeld(t, j, "k", "b")
	for _, l := range []journal.Lease{first, second} {
		if _, err := j.AppendAs(within(t), l, "s", numbered(1, 1)...); err != nil {
			t.Errorf("AppendAs of a lease that was renewed: %v", err)
		}
	}
	mustRelease(t, j, first)
	mustLease(t, j, "k", "b", time.Hour)
}

// leaseTakenOver checks that another owner gets an expired lease, not before its expiry and with a
// higher token. After that the first owner must not append, and its release must have no effect.
func leaseTakenOver(t *testing.T, b Backend) {
	j := b.Open(t)
	first := mustLease(t, j, "k", "a", journal.MinTTL)
	second := takeOver(t, j, "k", "b")
	if second.Token <= first.Token {
		t.Errorf("taken over, %+v is %+v", first, second)
	}
	if early := first.Expires.Sub(second.Expires.Add(-time.Hour)); early > 0 {
		t.Errorf("taken over %v before it expired", early)
	}
	wantHeld(t, j, "k", "a")
	mustRelease(t, j, first)
	wantHeld(t, j, "k", "a")
	_, err := j.AppendAs(within(t), first, "s", numbered(1, 2)...)
	wantCode(t, "AppendAs of a lease that was taken over", err, sdkapi.LeaseLost)
	wantKey(t, err, "k")
	_, err = j.AppendAs(within(t), first, "s")
	wantCode(t, "AppendAs of nothing", err, sdkapi.LeaseLost)
	wantNumbered(t, mustRead(t, j, "s", 0, 100), 1, 0)
	mustAppendAs(t, j, second, 1, 2)
}

// leaseRenewedLate renews an expired lease that no other owner has taken. It must keep its token.
func leaseRenewedLate(t *testing.T, b Backend) {
	j := b.Open(t)
	first := mustLease(t, j, "k", "a", journal.MinTTL)
	time.Sleep(journal.MinTTL + 50*time.Millisecond)
	mustAppendAs(t, j, first, 1, 1) // an expired lease is still valid here
	if again := mustLease(t, j, "k", "a", time.Hour); again.Token != first.Token {
		t.Errorf("renewed late, %+v is %+v", first, again)
	}
	wantHeld(t, j, "k", "b")
}

// leaseReleased checks that a release frees the key at once, and that the next lease has a higher
// token. The release of a lost or unknown lease must have no effect.
func leaseReleased(t *testing.T, b Backend) {
	j := b.Open(t)
	first := mustLease(t, j, "k", "a", time.Hour)
	for range 2 {
		mustRelease(t, j, first)
	}
	_, err := j.AppendAs(within(t), first, "s", numbered(1, 1)...)
	wantCode(t, "AppendAs of a lease that was released", err, sdkapi.LeaseLost)
	second := mustLease(t, j, "k", "a", time.Hour)
	if second.Token <= first.Token {
		t.Errorf("after a release %+v is %+v", first, second)
	}
	mustRelease(t, j, first)
	wantHeld(t, j, "k", "b")
	mustRelease(t, j, second)
	if third := mustLease(t, j, "k", "b", time.Hour); third.Token <= second.Token {
		t.Errorf("after a release %+v is %+v", second, third)
	}
	mustRelease(t, j, journal.Lease{Key: "never", Owner: "a", Token: 1})
	mustLease(t, j, "never", "b", time.Hour)
}

// leaseBounds checks the limits of a lease's duration, key and owner.
func leaseBounds(t *testing.T, b Backend) {
	j := b.Open(t)
	for _, ttl := range []time.Duration{-time.Hour, 0, journal.MinTTL - 1, journal.MaxTTL + 1} {
		_, err := j.Lease(within(t), "k", "a", ttl)
		wantCode(t, fmt.Sprintf("Lease for %v", ttl), err, sdkapi.ValidationError)
	}
	mustLease(t, j, "k", "b", journal.MinTTL)
	mustLease(t, j, "k", "b", journal.MaxTTL)
	wantNames(t, "a lease's key", 1, func(name string) error {
		_, err := j.Lease(within(t), name, "a", time.Hour)
		return err
	})
	n := 0
	wantNames(t, "a lease's owner", 1, func(name string) error {
		n++
		_, err := j.Lease(within(t), fmt.Sprint("k", n), name, time.Hour)
		return err
	})
}

// appendAs appends with a valid lease and with forged ones.
func appendAs(t *testing.T, b Backend) {
	j := b.Open(t)
	l := mustLease(t, j, "k", "a", time.Hour)
	f := follow(t, j, "s", 0)
	mustAppendAs(t, j, l, 1, 3)
	f.want(1, 3)
	mustAppend(t, j, "s", 4, 4)
	if last, err := j.AppendAs(within(t), l, "s"); last != 4 || err != nil {
		t.Errorf("AppendAs of nothing: %d, %v", last, err)
	}
	for _, forged := range []journal.Lease{
		{}, {Key: "k"}, {Key: "k", Owner: "a"}, {Key: "k", Token: l.Token}, {Key: "k", Owner: "b", Token: l.Token},
		{Key: "k", Owner: "a", Token: l.Token + 1}, {Key: "other", Owner: "a", Token: l.Token},
	} {
		_, err := j.AppendAs(within(t), forged, "s", numbered(5, 5)...)
		wantCode(t, fmt.Sprintf("AppendAs of %+v", forged), err, sdkapi.LeaseLost)
	}
	_, err := j.AppendAs(within(t), l, "s", journal.Event{Kind: journal.Resync})
	wantCode(t, "AppendAs of a Resync", err, sdkapi.ValidationError)
	wantNumbered(t, mustRead(t, j, "s", 0, 100), 1, 4)
}

// fencing lets owners compete for a key. Each appends its token until it gets LEASE_LOST. The
// tokens in the stream must never decrease.
func fencing(t *testing.T, b Backend) {
	const owners, turns = 4, 3
	j := b.Open(t)
	var wg sync.WaitGroup
	for o := range owners {
		wg.Go(func() {
			turn := 0
			for began := time.Now(); turn < turns && time.Since(began) < patience; {
				l, err := j.Lease(within(t), "k", fmt.Sprint("owner", o), journal.MinTTL)
				if fault.CodeOf(err) == sdkapi.LeaseHeld {
					time.Sleep(5 * time.Millisecond)
					continue
				}
				if err == nil {
					err = appendUntilLost(t, j, l)
				}
				if err != nil {
					t.Error(err)
					return
				}
				turn++
			}
			if turn < turns {
				t.Errorf("owner %d had the key %d times", o, turn)
			}
		})
	}
	wg.Wait()
	if tokens := risingTokens(t, j); tokens < owners {
		t.Errorf("%d turns were seen", tokens)
	}
}

// risingTokens counts the tokens in the stream, and fails if one is lower than its predecessor.
func risingTokens(t *testing.T, j journal.Log) (tokens int) {
	t.Helper()
	highest := int64(0)
	for after := int64(0); ; {
		found := mustRead(t, j, "s", after, journal.MaxEvents)
		if len(found) == 0 {
			return tokens
		}
		for _, e := range found {
			token, err := strconv.ParseInt(string(e.Data), 10, 64)
			if err != nil || token < highest {
				t.Fatalf("event %d is %d (%v) after %d", e.Seq, token, err, highest)
			}
			if token > highest {
				tokens++
			}
			highest, after = token, e.Seq
		}
	}
}

// appendUntilLost appends with a lease until the lease is lost. It does not renew the lease. Nobody
// takes the key from the last owner, so the calls end after 10 MinTTL.
func appendUntilLost(t *testing.T, j journal.Log, l journal.Lease) error {
	event := journal.Event{Kind: "token", Data: json.RawMessage(strconv.FormatInt(l.Token, 10))}
	for began := time.Now(); time.Since(began) < 10*journal.MinTTL; time.Sleep(time.Millisecond) {
		_, err := j.AppendAs(within(t), l, "s", event)
		if fault.CodeOf(err) == sdkapi.LeaseLost {
			return nil
		}
		if err != nil {
			return errors.Join(errors.New("AppendAs"), err)
		}
	}
	return nil
}

// leaseAbandoned checks that Abandoned omits released, renewed and taken leases, and keys with
// other prefixes. The longest expired lease must be first.
func leaseAbandoned(t *testing.T, b Backend) {
	j := b.Open(t)
	mustRelease(t, j, mustLease(t, j, "work/released", "a", journal.MinTTL))
	mustLease(t, j, "work/held", "a", time.Hour)
	mustLease(t, j, "other/dead", "a", journal.MinTTL)
	mustLease(t, j, "work_dead", "a", journal.MinTTL) // in LIKE an underscore matches any character
	var keys []string
	for n := range journal.MaxAbandoned + 2 {
		key := fmt.Sprintf("work/dead-%02d", n)
		mustLease(t, j, key, "a", journal.MinTTL)
		keys = append(keys, key)
	}
	mustLease(t, j, "work/latest", "a", journal.MinTTL)
	takeOver(t, j, "work/latest", "b")
	wantAbandoned(t, j, keys[:journal.MaxAbandoned])
	for _, key := range keys[:3] {
		mustRelease(t, j, takeOver(t, j, key, "b"))
	}
	wantAbandoned(t, j, keys[3:])
}

// wantAbandoned fails unless Abandoned returns leases of the owner "a" for exactly the keys in
// want, in this order.
func wantAbandoned(t *testing.T, j journal.Leases, want []string) {
	t.Helper()
	list, err := j.Abandoned(within(t), "work/")
	if err != nil {
		t.Fatalf("Abandoned: %v", err)
	}
	var keys []string
	for _, l := range list {
		keys = append(keys, l.Key)
		if l.Owner != "a" || l.Token < 1 {
			t.Errorf("Abandoned has %+v", l)
		}
	}
	if !slices.Equal(keys, want) {
		t.Errorf("Abandoned has %q, want %q", keys, want)
	}
}
