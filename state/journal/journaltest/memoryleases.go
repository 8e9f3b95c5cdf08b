package journaltest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Pass advances the clock of leases by d at once.
func (m *Memory) Pass(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ahead += d
}

// leaseNow returns the time by which leases expire. The caller holds mu.
func (k *kept) leaseNow() time.Time { return now().Add(k.ahead) }

// Lease implements journal.Leases.
func (m *Memory) Lease(ctx context.Context, key, owner string, ttl time.Duration) (l journal.Lease, err error) {
	err = m.in(ctx, journal.CheckLease(key, owner, ttl), func() error {
		was := m.leases[key]
		if l = was; was.Owner != owner {
			if was.Owner != "" && m.leaseNow().Before(was.Expires) {
				l = journal.Lease{}
				return fault.New("journal.Lease", sdkapi.LeaseHeld, "another worker holds the lease of %q; try again later", key)
			}
			l = journal.Lease{Key: key, Owner: owner, Token: was.Token + 1}
		}
		l.Expires = m.leaseNow().Add(ttl)
		m.leases[key] = l
		return nil
	})
	return l, err
}

// Release implements journal.Leases.
func (m *Memory) Release(ctx context.Context, lease journal.Lease) error {
	return m.in(ctx, nil, func() error {
		if m.holds(lease) {
			m.leases[lease.Key] = journal.Lease{Token: lease.Token} // the next token is higher
		}
		return nil
	})
}

// Evict implements journal.Leases.
func (m *Memory) Evict(ctx context.Context, key string) error {
	return m.in(ctx, journal.CheckKey(key), func() error {
		m.leases[key] = journal.Lease{Token: m.leases[key].Token}
		return nil
	})
}

// holds reports whether lease is the latest one of its key and was not released. It may have
// expired. The caller holds mu.
func (k *kept) holds(lease journal.Lease) bool {
	last := k.leases[lease.Key]
	return last.Owner != "" && last.Owner == lease.Owner && last.Token == lease.Token
}

// Abandoned implements journal.Leases.
func (m *Memory) Abandoned(ctx context.Context, prefix string) (list []journal.Lease, err error) {
	err = m.in(ctx, journal.CheckPrefix(prefix), func() error {
		for key, l := range m.leases {
			if l.Owner != "" && strings.HasPrefix(key, prefix) && !m.leaseNow().Before(l.Expires) {
				list = append(list, l)
			}
		}
		slices.SortFunc(list, func(a, b journal.Lease) int { return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Key, b.Key)) })
		list = list[:min(len(list), journal.MaxAbandoned)]
		return nil
	})
	return list, err
}
