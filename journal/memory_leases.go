package journal

import (
	"context"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Lease implements Leases.
func (m *Memory) Lease(ctx context.Context, key, owner string, ttl time.Duration) (Lease, error) {
	if err := CheckLease(key, owner, ttl); err != nil {
		return Lease{}, err
	}
	if err := m.usable(ctx); err != nil {
		return Lease{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := micros(time.Now())
	l := m.leases[key]
	if l.Owner != owner {
		if l.Owner != "" && now.Before(l.Expires) {
			return Lease{}, fault.New("journal.Lease", sdkapi.LeaseHeld, "somebody else works on %q", key)
		}
		l = Lease{Key: key, Owner: owner, Token: l.Token + 1}
	}
	l.Expires = now.Add(ttl)
	m.leases[key] = l
	return l, nil
}

// Release implements Leases.
func (m *Memory) Release(ctx context.Context, lease Lease) error {
	if err := m.usable(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holds(lease) {
		m.leases[lease.Key] = Lease{Token: lease.Token} // which the next one's is above
	}
	return nil
}

// holds reports whether nobody else has held the key since lease was given, nor
// was it given back. It may have expired. mu is held.
func (k *kept) holds(lease Lease) bool {
	now := k.leases[lease.Key]
	return now.Owner != "" && now.Owner == lease.Owner && now.Token == lease.Token
}
