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

// A visit is the session of a person's browser at the console. Its cookie is random, and the
// database stores only the cookie's SHA-256. A visit ends when the secret that began it changes: a
// new approval key, another operator token or a revoked install makes old cookies invalid.

// Kinds of visits, by the visitor's way to sign in.
const (
	VisitPerson   = "person"   // a sign-in with the link that a local gateway prints for its own user
	VisitOperator = "operator" // a sign-in with the operator's token
	VisitInstall  = "install"  // a sign-in with the token of an install

	// a sign-in at an OpenID provider by a person with the claims of an operator
	VisitOpenIDOperator = "openid-operator"
	// a sign-in at an OpenID provider by a person whose claims name a user
	VisitOpenIDUser = "openid-user"
)

// Limits of visits.
const (
	CodeAge   = 10 * time.Minute   // maximum age of a link that begins a visit
	VisitAge  = 7 * 24 * time.Hour // maximum age of a visit
	VisitIdle = 12 * time.Hour     // time without requests after which a visit ends
	// maximum age of a visit that began at an OpenID provider; afterwards the person must sign in
	// again
	OpenIDAge = 12 * time.Hour
	// maximum number of visits of one user, or of all visitors without a user; a further visit ends
	// the oldest
	MaxVisits    = 100
	visitSeen    = time.Minute // minimum time between two updates of a visit's last request
	visitAgent   = 200         // stored bytes of a browser's User-Agent
	visitCookies = 64          // maximum length of a cookie, in bytes; the gateway's cookies have 52
)

// Visit is the sign-in of one browser at the console.
type Visit struct {
	ID      string
	Kind    string
	User    string // id of the user, from the install or the OpenID provider; otherwise empty
	Install string // id of the install whose token signed the visitor in; otherwise empty
	Agent   string // the browser's User-Agent
	Created time.Time
	Seen    time.Time // time of the last request, to the minute
	Expires time.Time // time at which the visit reaches its maximum age
}

// Operates reports whether the visitor is an operator, by any kind of sign-in. It returns false for
// a nil Visit.
func (v *Visit) Operates() bool {
	return v != nil && (v.Kind == VisitOperator || v.Kind == VisitOpenIDOperator)
}

// age returns the maximum age of a visit of a kind.
func age(kind string) time.Duration {
	if kind == VisitOpenIDOperator || kind == VisitOpenIDUser {
		return OpenIDAge
	}
	return VisitAge
}

// MakeCode creates the code of a sign-in link to the console. The code can be used once, within
// CodeAge.
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

// UseCode marks a code of MakeCode as used. It fails with AUTH_REQUIRED for an unknown, used or
// expired code.
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
		return fault.New(op, sdkapi.AuthRequired, "this link was already used or is older than %v; run `windie console` on the gateway's machine for a new one", CodeAge)
	})
}

// BeginVisit creates a visit with the kind, user, install and agent of v. It returns the visit and
// its cookie. secret is the secret with which the person signed in. When the gateway replaces this
// secret, the cookie becomes invalid.
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

// FindVisit returns the visit that a cookie belongs to, or nil if the cookie is invalid. secretOf
// returns the current secret for a kind of visit, or an empty text if the kind is disabled.
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
	// if this fails, for example on a full disk, the next request tries again
	if now.Sub(v.Seen) >= visitSeen {
		_ = i.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw("UPDATE console_visits SET seen = ? WHERE id = ?", now.UnixMicro(), v.ID).Exec(ctx)
			return err
		})
	}
	return &v, nil
}

// Visits returns up to 500 visits of a user, the newest first. If user is empty, Visits returns up
// to 500 visits of all users together.
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

// EndVisit ends the visit with this id if it belongs to user. If user is empty, the visit may
// belong to anyone. It fails with NOT_FOUND if the visit does not exist or belongs to another user.
func (i *Identity) EndVisit(ctx context.Context, id, user string) error {
	const op = "identity.EndVisit"
	return i.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		result, err := tx.NewRaw("DELETE FROM console_visits WHERE id = ? AND (? = '' OR user_id = ?)", id, user, user).Exec(ctx)
		return changedOne(result, err, op, "there is no such console sign-in; it may have ended already")
	})
}

// newSecret returns a random code or cookie that cannot be guessed.
func newSecret() string { return rand.Text() + rand.Text() }

// proofOf binds a cookie to the secret that began its visit, as a hash of both.
func proofOf(cookie, secret string) string { return hashOf(cookie + "\n" + secret) }

// cleanAgent returns the first visitAgent bytes of a User-Agent, without unprintable characters.
func cleanAgent(agent string) string {
	agent = strings.Map(func(r rune) rune {
		if unprintable(r) {
			return -1
		}
		return r
	}, agent)
	return agent[:min(len(agent), visitAgent)]
}

// visitRow is a row of console_visits. Times are in microseconds since 1970.
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

// visit returns the visit without its secrets.
func (r visitRow) visit() Visit {
	return Visit{
		ID: r.ID, Kind: r.Kind, User: r.UserID, Install: r.InstallID, Agent: r.Agent,
		Created: database.Time(r.Created), Seen: database.Time(r.Seen), Expires: database.Time(r.Expires),
	}
}
