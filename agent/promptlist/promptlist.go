// Package promptlist lists users' prompts: a table beside the journal, by which
// they are found again by who has lost their ids.
//
//	list := promptlist.OpenList(db, promptlist.Options{})
//	session.Config{Turned: list.Turned}                    // tells of each
//	page, err := list.List(ctx, promptlist.Query{User: "ada"}) // newest first
//
// What a prompt is, its session tells. An *entry* says which there are, and how
// those ended that have. A crash between the end of a turn and telling of it
// leaves an entry open that is not: so whoever lists looks at the sessions of
// the open ones, of which there are few, and calls Ended.
package promptlist

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// MaxInput is how many bytes of what the user said an entry has.
const MaxInput = 200

// Bounds of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// Status says how far an entry is.
type Status string

// The statuses.
const (
	Open      Status = "open"
	Completed Status = sdkapi.PromptCompletes
	Failed    Status = sdkapi.PromptFailed
	Canceled  Status = sdkapi.PromptCanceled
)

// Entry is a prompt of a list.
type Entry struct {
	bun.BaseModel `bun:"table:prompts"`

	UserID       string `bun:"user_id,pk"`
	ID           string `bun:"id,pk"` // as in the routes
	Conversation string // empty for none
	Status       Status
	BeganAt      int64  `bun:"began"` // microseconds since 1970; see Began
	EndedAt      int64  `bun:"ended"` // likewise, 0 while it is open
	Input        string // how what the user said begins
}

// Began returns when the prompt was begun.
func (e Entry) Began() time.Time { return database.Time(e.BeganAt) }

// Ended returns when it ended, zero while it is open.
func (e Entry) Ended() time.Time {
	if e.EndedAt == 0 {
		return time.Time{}
	}
	return database.Time(e.EndedAt)
}

// SessionOf returns the id of the session in which a user's prompts are, by the
// part of it that is in their ids: prompt_ and letters for one that stands alone,
// conv_ and letters for a conversation.
func SessionOf(user, part string) string {
	return "api/" + hashid.Of(user, 16) + "/" + part
}

// partOf is the way back. It is not ok for a session that is none of prompts.
func partOf(session string) (part string, ok bool) {
	rest, ok := strings.CutPrefix(session, "api/")
	_, part, found := strings.Cut(rest, "/")
	return part, ok && found
}

// IDOf returns the id of a prompt by its part of the session's and the event
// that began its turn.
func IDOf(part string, seq int64) string { return part + "." + strconv.FormatInt(seq, 10) }

// Options say how a list works. The zero value is fine.
type Options struct {
	Log *slog.Logger // default: discard
}

// List is that of all users' prompts. Its methods may be called from several
// goroutines at once, and several gateways may share the database.
type List struct {
	db  *database.DB
	log *slog.Logger
}

// OpenList returns the list in db, which stays the caller's.
func OpenList(db *database.DB, opts Options) *List {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &List{db, opts.Log}
}

// Turned notes a turn, if it is that of a prompt: it is what session.Config has
// under that name.
func (l *List) Turned(ctx context.Context, t session.Turned) {
	part, ok := partOf(t.Session)
	if !ok {
		return
	}
	e := Entry{UserID: t.User, ID: IDOf(part, t.Seq), Status: Open, Input: beginning(t.Input)}
	if strings.HasPrefix(part, "conv_") {
		e.Conversation = part
	}
	if !t.Began.IsZero() {
		e.BeganAt = database.Micros(t.Began)
	}
	var err error
	if t.Ended.IsZero() {
		err = l.add(ctx, e)
	} else {
		err = l.Ended(ctx, t.User, e.ID, StatusOf(t.Reason), t.Ended)
	}
	if err != nil {
		l.log.Warn("a prompt is not in the list as it is", slog.String("prompt", e.ID), slog.Any("err", err))
	}
}

// StatusOf returns how a turn that ended for a reason is listed.
func StatusOf(reason session.EndReason) Status {
	switch reason {
	case session.EndDone:
		return Completed
	case session.EndCanceled:
		return Canceled
	}
	return Failed
}

// beginning returns the start of a text, whole characters of it.
func beginning(text string) string {
	return plain.Short(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD"), MaxInput)
}

// add keeps an entry, unless it is there.
func (l *List) add(ctx context.Context, e Entry) error {
	return l.db.Write(ctx, "promptlist.add", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&e).On("CONFLICT (user_id, id) DO NOTHING").Exec(ctx)
		return err
	})
}

// Ended notes that a user's prompt has ended.
func (l *List) Ended(ctx context.Context, user, id string, status Status, at time.Time) error {
	return l.db.Write(ctx, "promptlist.Ended", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("UPDATE prompts SET status = ?, ended = ? WHERE user_id = ? AND id = ? AND status = ?",
			status, database.Micros(at), user, id, Open).Exec(ctx)
		return err
	})
}

// Query says which entries are asked for.
type Query struct {
	User         string
	Status       Status    // empty: any
	Conversation string    // empty: any
	Since        time.Time // those begun then or later; zero: from the first on
	Until        time.Time // those begun before; zero: up to now
	After        string    // Page.Next of the page before; empty: from the newest on
	Limit        int       // 1 to MaxLimit; 0: DefaultLimit
}

// Page is some entries, the newest first.
type Page struct {
	Entries []Entry
	Next    string // Query.After of the page behind; empty: there is none
}

// List returns the entries that a query asks for. It fails with
// VALIDATION_ERROR for a cursor that is none.
func (l *List) List(ctx context.Context, q Query) (Page, error) {
	limit := min(max(q.Limit, 0), MaxLimit)
	if limit == 0 {
		limit = DefaultLimit
	}
	began, id, err := parseCursor(q.After)
	if err != nil {
		return Page{}, err
	}
	var page Page
	err = l.db.Ask(ctx, "promptlist.List", func(ctx context.Context, db *bun.DB) error {
		page = Page{}
		of := db.NewSelect().Model(&page.Entries).Where("user_id = ?", q.User)
		if q.Status != "" {
			of = of.Where("status = ?", q.Status)
		}
		if q.Conversation != "" {
			of = of.Where("conversation = ?", q.Conversation)
		}
		if !q.Since.IsZero() {
			of = of.Where("began >= ?", database.Micros(q.Since))
		}
		if !q.Until.IsZero() {
			of = of.Where("began < ?", database.Micros(q.Until))
		}
		if q.After != "" {
			of = of.Where("(began, id) < (?, ?)", began, id)
		}
		return of.OrderExpr("began DESC, id DESC").Limit(int64(limit + 1)).Scan(ctx)
	})
	if len(page.Entries) > limit {
		page.Entries = page.Entries[:limit]
		page.Next = CursorOf(page.Entries[limit-1])
	}
	return page, err
}

// CursorOf returns the Query.After of what comes behind an entry.
func CursorOf(e Entry) string { return fmt.Sprintf("%d-%s", e.BeganAt, e.ID) }

func parseCursor(cursor string) (began int64, id string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	first, id, _ := strings.Cut(cursor, "-")
	began, err = strconv.ParseInt(first, 10, 64)
	if err != nil || id == "" {
		return 0, "", fault.New("promptlist.List", sdkapi.ValidationError, "there is no such page; begin again without after").
			At("query.after", "expected what the page before had as next")
	}
	return began, id, nil
}
