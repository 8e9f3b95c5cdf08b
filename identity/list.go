package identity

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
)

// pageSize is how many rows a list asks the database for at once.
const pageSize = 500

type userRow struct {
	ID       string
	Created  int64
	Installs int
}

type installRow struct {
	bun.BaseModel `bun:"table:installs"`

	ID              string `bun:"id,pk"`
	UserID          string `bun:"user_id"`
	TokenHash       string `bun:"token_hash"`
	OperatingSystem string `bun:"operating_system"`
	Created         int64  `bun:"created"`
	LastSeen        int64  `bun:"last_seen"`
	Revoked         int64  `bun:"revoked"`
}

func (r installRow) install() Install {
	return Install{
		ID: r.ID, User: r.UserID, OperatingSystem: r.OperatingSystem,
		Created: database.Time(r.Created), LastSeen: timeOrZero(r.LastSeen), Revoked: timeOrZero(r.Revoked),
	}
}

func timeOrZero(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return database.Time(micros)
}

// Users lists all users, the oldest first. It ends with the first error. Those
// who come or go meanwhile may be there or not.
func (i *Identity) Users(ctx context.Context) iter.Seq2[User, error] {
	return paged("identity.Users", func(after userRow) (page []userRow, err error) {
		err = i.db.Read().NewRaw("SELECT id, created, (SELECT count(*) FROM installs WHERE user_id = users.id AND revoked = 0) AS installs "+
			"FROM users WHERE created > ? OR created = ? AND id > ? ORDER BY created, id LIMIT ?",
			after.Created, after.Created, after.ID, pageSize).Scan(ctx, &page)
		return page, err
	}, func(r userRow) User { return User{ID: r.ID, Created: database.Time(r.Created), Installs: r.Installs} })
}

// List lists the installs of a user, or of all if user is empty, the oldest
// first and revoked ones too. It ends as Users does. An unknown user has none.
func (i *Identity) List(ctx context.Context, user string) iter.Seq2[Install, error] {
	return paged("identity.List", func(after installRow) (page []installRow, err error) {
		query := i.db.Read().NewSelect().Model(&page).Where("created > ? OR created = ? AND id > ?", after.Created, after.Created, after.ID).
			Order("created", "id").Limit(pageSize)
		if user != "" {
			query = query.Where("user_id = ?", user)
		}
		err = query.Scan(ctx)
		return page, err
	}, installRow.install)
}

// paged yields what the pages hold that next gives, until one is not full. No
// connection is held between them, so a slow reader is in nobody's way.
func paged[Row, Item any](op string, next func(after Row) ([]Row, error), item func(Row) Item) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var last Row
		for {
			page, err := next(last)
			if err != nil {
				var none Item
				yield(none, database.Fault(op, err))
				return
			}
			for _, last = range page {
				if !yield(item(last), nil) {
					return
				}
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}
