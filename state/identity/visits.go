package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// A visit is the stay of a person's browser at the console. Its cookie is random, and the database
// has only its SHA-256. A visit ends with the secret that began it: a new approval key, another
// operator's token and a revoked install let nobody in by an old cookie.

// Kinds of visits, by what let the visitor in.
const (
	VisitPerson   = "person"   // the link that a local gateway prints for its own user
	VisitOperator = "operator" // the operator's token
	VisitInstall  = "install"  // the token of an install

	VisitOpenIDOperator = "openid-operator" // an OpenID provider, which knows the visitor as an operator
	VisitOpenIDUser     = "openid-user"     // likewise, as a user
)

// Bounds of visits.
const (
	CodeAge      = 10 * time.Minute   // of a link that begins a visit
	VisitAge     = 7 * 24 * time.Hour // of a visit, from its beginning
	VisitIdle    = 12 * time.Hour     // of a visit that asks for nothing
	OpenIDAge    = 12 * time.Hour     // of a visit that a provider let in: then it is asked again whether it still would
	MaxVisits    = 100                // of one user, or of all without one: the oldest end
	visitSeen    = time.Minute        // a visit's last request is written at most so often
	visitAgent   = 200                // bytes kept of what a browser calls itself
	visitCookies = 64                 // length of a cookie at most, in bytes; ours have 52
)

// Visit is one browser that is let in.
type Visit struct {
	ID      string
	Kind    string
	User    string // of an install, or whom a provider knows; else empty
	Install string // whose token let the visitor in; else empty
	Agent   string // what the browser calls itself
	Created time.Time
	Seen    time.Time // to the minute
	Expires time.Time // by its age
}

// Operates reports whether the visitor is an operator, whatever let them in. It returns false if there is no visit.
func (v *Visit) Operates() bool {
	return v != nil && (v.Kind == VisitOperator || v.Kind == VisitOpenIDOperator)
}

// age returns how long a visit of a kind lasts.
func age(kind string) time.Duration {
	if kind == VisitOpenIDOperator || kind == VisitOpenIDUser {
		return OpenIDAge
	}
	return VisitAge
}

// MakeCode keeps a code for a link that begins one visit, within CodeAge.
func (i *Identity) MakeCode(ctx context.Context) (code string, err error) {
	code = newSecret()
	err = i.db.Write(ctx, "identity.MakeCode", func(ctx context.Context, tx bun.Tx) error {
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := tx.NewRaw("DELETE FROM console_codes WHERE expires <= ?", now).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO console_codes (code_hash, expires) VALUES (?, ?)", hashOf(code), now+CodeAge.Microseconds()).Exec(ctx)
		return err
	})
	return code, err
}

// UseCode uses a code up. It fails with AUTH_REQUIRED for a code that is unknown, used or too old.
func (i *Identity) UseCode(ctx context.Context, code string) error {
	const op = "identity.UseCode"
	return i.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		result, err := tx.NewRaw("DELETE FROM console_codes WHERE code_hash = ? AND expires > ?", hashOf(code), now).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return fault.New(op, sdkapi.AuthRequired, "this link was used already, or is older than %v; run `windie console` on the gateway's machine for another", CodeAge)
	})
}

// BeginVisit keeps a visit of v's kind, user, install and browser, and returns its cookie. secret
// is what let the visitor in; the cookie is worth nothing once the gateway has another secret.
func (i *Identity) BeginVisit(ctx context.Context, v Visit, secret string) (Visit, string, error) {
	cookie := newSecret()
	v.ID, v.Agent = newID("visit_"), cleanAgent(v.Agent)
	err := i.db.Write(ctx, "identity.BeginVisit", func(ctx context.Context, tx bun.Tx) error {
		now, err := i.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		v.Created, v.Seen, v.Expires = database.Time(now), database.Time(now), database.Time(now+age(v.Kind).Microseconds())
		if _, err := tx.NewRaw("DELETE FROM console_visits WHERE expires <= ? OR seen <= ?", now, now-VisitIdle.Microseconds()).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO console_visits (id, token_hash, kind, user_id, install_id, proof, agent, created, seen, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			v.ID, hashOf(cookie), v.Kind, v.User, v.Install, proofOf(cookie, secret), v.Agent, now, now, now+age(v.Kind).Microseconds()).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("DELETE FROM console_visits WHERE user_id = ? AND id NOT IN (SELECT id FROM console_visits WHERE user_id = ? ORDER BY created DESC, id DESC LIMIT ?)",
			v.User, v.User, MaxVisits).Exec(ctx)
		return err
	})
	return v, cookie, err
}

// FindVisit returns the visit of a cookie, nil if it lets nobody in. secretOf returns the secret
// that lets in visitors of a kind now, empty if nothing does.
func (i *Identity) FindVisit(ctx context.Context, cookie string, secretOf func(kind string) string) (*Visit, error) {
	const op = "identity.FindVisit"
	if cookie == "" || len(cookie) > visitCookies {
		return nil, nil
	}
	var row visitRow
	err := i.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		return db.NewSelect().Model(&row).Where("token_hash = ?", hashOf(cookie)).Scan(ctx)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, now := row.visit(), time.Now()
	if !now.Before(v.Expires) || now.Sub(v.Seen) >= VisitIdle {
		return nil, nil
	}
	secret := secretOf(v.Kind)
	if secret == "" && v.Kind != VisitInstall || subtle.ConstantTimeCompare([]byte(row.Proof), []byte(proofOf(cookie, secret))) != 1 {
		return nil, nil
	}
	if v.User != "" {
		if gone, err := i.Revoked(ctx, v.User, v.Install); err != nil || gone {
			return nil, err
		}
	}
	if now.Sub(v.Seen) >= visitSeen { // if it fails, as on a full disk, the next request notes it
		_ = i.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw("UPDATE console_visits SET seen = ? WHERE id = ?", now.UnixMicro(), v.ID).Exec(ctx)
			return err
		})
	}
	return &v, nil
}

// Visits lists those of a user, or all if user is empty, the newest first.
func (i *Identity) Visits(ctx context.Context, user string) (list []Visit, err error) {
	var rows []visitRow
	now := time.Now()
	err = i.db.Ask(ctx, "identity.Visits", func(ctx context.Context, db *bun.DB) error {
		query := db.NewSelect().Model(&rows).Where("expires > ? AND seen > ?", now.UnixMicro(), now.Add(-VisitIdle).UnixMicro()).
			Order("created DESC", "id DESC").Limit(pageSize)
		if user != "" {
			query = query.Where("user_id = ?", user)
		}
		return query.Scan(ctx)
	})
	for _, r := range rows {
		list = append(list, r.visit())
	}
	return list, err
}

// EndVisit lets a browser in no more, if the visit is one of user's or user is empty. It fails with
// NOT_FOUND for another one.
func (i *Identity) EndVisit(ctx context.Context, id, user string) error {
	const op = "identity.EndVisit"
	return i.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		result, err := tx.NewRaw("DELETE FROM console_visits WHERE id = ? AND (? = '' OR user_id = ?)", id, user, user).Exec(ctx)
		return changedOne(result, err, op, "there is no such visit")
	})
}

// newSecret returns a code or a cookie that nobody can guess.
func newSecret() string { return rand.Text() + rand.Text() }

// proofOf is how a visit is bound to the secret that began it.
func proofOf(cookie, secret string) string { return hashOf(cookie + "\n" + secret) }

// cleanAgent returns the printable start of what a browser calls itself.
func cleanAgent(agent string) string {
	agent = strings.Map(func(r rune) rune {
		if unprintable(r) {
			return -1
		}
		return r
	}, agent)
	return agent[:min(len(agent), visitAgent)]
}

type visitRow struct {
	bun.BaseModel `bun:"table:console_visits"`

	ID        string `bun:"id,pk"`
	TokenHash string `bun:"token_hash"`
	Kind      string `bun:"kind"`
	UserID    string `bun:"user_id"`
	InstallID string `bun:"install_id"`
	Proof     string `bun:"proof"`
	Agent     string `bun:"agent"`
	Created   int64  `bun:"created"`
	Seen      int64  `bun:"seen"`
	Expires   int64  `bun:"expires"`
}

func (r visitRow) visit() Visit {
	return Visit{
		ID: r.ID, Kind: r.Kind, User: r.UserID, Install: r.InstallID, Agent: r.Agent,
		Created: database.Time(r.Created), Seen: database.Time(r.Seen), Expires: database.Time(r.Expires),
	}
}
