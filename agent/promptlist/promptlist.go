// Package promptlist lists users' prompts in a table besides the journal, for clients that have
// lost the ids.
//
//	list := promptlist.OpenList(db, promptlist.Options{})
//	session.Config{Turned: list.Turned}                        // adds each prompt
//	page, err := list.List(ctx, promptlist.Query{User: "ada"}) // newest first
//
// An entry has a prompt's start and end. The prompt's session has all other data. A crash can leave
// an entry open after the prompt has ended. So callers of List check the sessions of open entries,
// and call Ended.
package promptlist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// MaxInput is the maximum length of the user's text in an entry, in bytes.
const MaxInput = 200

// Limits of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// Status is the status of a prompt.
type Status string

// Statuses of a prompt.
const (
	Open      Status = "open"
	Completed Status = sdkapi.PromptCompletes
	Failed    Status = sdkapi.PromptFailed
	Canceled  Status = sdkapi.PromptCanceled
)

// Entry is a prompt in the list.
type Entry struct {
	bun.BaseModel `bun:"table:prompts"`

	UserID       string `bun:"user_id,pk"`
	ID           string `bun:"id,pk"` // id of the prompt in the API
	Conversation string // id of the prompt's conversation; empty outside of a conversation
	Status       Status
	BeganAt      int64  `bun:"began"` // start of the prompt, in microseconds since 1970; see Began
	EndedAt      int64  `bun:"ended"` // end of the prompt, in microseconds since 1970; 0 while the prompt is open
	Input        string // first part of the user's text
}

// Began returns the time at which the prompt began.
func (e Entry) Began() time.Time { return database.Time(e.BeganAt) }

// Ended returns the time at which the prompt ended, or the zero time while the prompt is open.
func (e Entry) Ended() time.Time {
	if e.EndedAt == 0 {
		return time.Time{}
	}
	return database.Time(e.EndedAt)
}

// SessionOf returns the id of the session of a single prompt or of a conversation. All ids of
// prompts in the session begin with name. For a single prompt, name is "prompt_" followed by
// letters. For a conversation, name is "conv_" followed by letters.
func SessionOf(user, name string) string { return session.PromptsOf(user) + name }

// partOf reverses SessionOf. ok is false for other sessions.
func partOf(session string) (part string, ok bool) {
	rest, ok := strings.CutPrefix(session, "api/")
	_, part, found := strings.Cut(rest, "/")
	return part, ok && found
}

// IDOf returns the id of a prompt. name is the argument of SessionOf for the prompt's session. seq
// is the number of the event that began the prompt's turn.
func IDOf(name string, seq int64) string { return name + "." + strconv.FormatInt(seq, 10) }

// Options configure a list.
type Options struct {
	Log  *slog.Logger // log for failures; by default, messages are discarded
	Most int64        // maximum number of one user's entries; 0: no limit

	// Touch is called when a prompt of a conversation has ended. It may be nil. It fails with
	// CONVERSATION_NOT_FOUND if the conversation was deleted in the meantime.
	Touch func(ctx context.Context, user, conversation string) error
}

// List is the list of all users' prompts. Make one with OpenList. Its methods are safe for
// concurrent use, and several gateways may share the database.
type List struct {
	db    *database.DB
	log   *slog.Logger
	most  int64
	touch func(ctx context.Context, user, conversation string) error
}

// OpenList returns the list in db. The caller closes db.
func OpenList(db *database.DB, opts Options) *List {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &List{db, opts.Log, opts.Most, opts.Touch}
}

// Turned records the start or end of a prompt's turn. It ignores turns that belong to no prompt.
// Use it as session.Config.Turned.
func (l *List) Turned(ctx context.Context, t session.Turned) {
	part, ok := partOf(t.Session)
	if !ok {
		return
	}
	input := strings.ReplaceAll(strings.ToValidUTF8(t.Input, "\uFFFD"), "\x00", "\uFFFD")
	e := Entry{UserID: t.User, ID: IDOf(part, t.Seq), Status: Open, Input: plain.Short(input, MaxInput)}
	if strings.HasPrefix(part, "conv_") {
		e.Conversation = part
	}
	if !t.Began.IsZero() {
		e.BeganAt = database.Micros(t.Began)
	}
	var err error
	if t.Ended.IsZero() {
		err = l.db.Write(ctx, "promptlist.add", func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewInsert().Model(&e).On("CONFLICT (user_id, id) DO NOTHING").Exec(ctx)
			return err
		})
	} else {
		err = errors.Join(l.Ended(ctx, t.User, e.ID, StatusOf(t.Reason), t.Ended), l.touched(ctx, e))
	}
	if err != nil {
		l.log.Warn("cannot add a prompt to the list of prompts", slog.String("prompt", e.ID), slog.Any("err", err))
	}
}

// touched calls touch for a prompt in a conversation.
func (l *List) touched(ctx context.Context, e Entry) error {
	if e.Conversation == "" || l.touch == nil {
		return nil
	}
	if err := l.touch(ctx, e.UserID, e.Conversation); fault.CodeOf(err) != sdkapi.ConversationNotFound {
		return err
	}
	return nil
}

// Fits checks that a user may add a prompt. It fails with QUOTA_EXCEEDED if the user has reached
// the maximum number of prompts.
func (l *List) Fits(ctx context.Context, user string) error {
	if l.most <= 0 {
		return nil
	}
	const op = "promptlist.Fits"
	var n int64
	err := l.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT count(*) FROM prompts WHERE user_id = ?", user).Scan(ctx, &n)
	})
	if err == nil && n >= l.most {
		err = fault.Exceeded(op, "prompts", n, l.most, "delete some prompts with DELETE "+sdkapi.PromptsPath+"/ID, or conversations with DELETE "+sdkapi.ConversationsPath+"/ID, or wait until some expire")
	}
	return err
}

// StatusOf converts the reason for the end of a prompt's turn to the status of the prompt.
func StatusOf(reason session.EndReason) Status {
	switch reason {
	case session.EndDone:
		return Completed
	case session.EndCanceled:
		return Canceled
	}
	return Failed
}

// Ended records the end of a user's prompt.
func (l *List) Ended(ctx context.Context, user, id string, status Status, at time.Time) error {
	return l.db.Write(ctx, "promptlist.Ended", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("UPDATE prompts SET status = ?, ended = ? WHERE user_id = ? AND id = ? AND status = ?",
			status, database.Micros(at), user, id, Open).Exec(ctx)
		return err
	})
}

// Query selects entries.
type Query struct {
	User         string
	Status       Status    // status of the entries; empty selects all
	Conversation string    // id of the entries' conversation; empty selects all
	Since        time.Time // start of the time range: only prompts that began at this time or later; zero selects all
	Until        time.Time // end of the time range: only prompts that began before this time; zero selects all
	After        string    // value of Page.Next in the previous page; empty selects the first page
	Limit        int       // maximum number of entries, from 1 to MaxLimit; 0 means DefaultLimit
}

// Page is one page of entries, newest first.
type Page struct {
	Entries []Entry
	Next    string // value of Query.After for the next page; empty on the last page
}

// List returns the entries that match a query. It fails with VALIDATION_ERROR for an invalid
// cursor.
func (l *List) List(ctx context.Context, q Query) (Page, error) {
	limit := cmp.Or(min(max(q.Limit, 0), MaxLimit), DefaultLimit)
	began, id, err := parseCursor(q.After)
	if err != nil {
		return Page{}, err
	}
	var page Page
	err = l.db.Ask(ctx, "promptlist.List", func(ctx context.Context, db *bun.DB) error {
		page = Page{}
		of := db.NewSelect().Model(&page.Entries).Where("user_id = ?", q.User)
		where := func(set bool, condition string, values ...any) {
			if set {
				of = of.Where(condition, values...)
			}
		}
		where(q.Status != "", "status = ?", q.Status)
		where(q.Conversation != "", "conversation = ?", q.Conversation)
		where(!q.Since.IsZero(), "began >= ?", database.Micros(q.Since))
		where(!q.Until.IsZero(), "began < ?", database.Micros(q.Until))
		where(q.After != "", "(began, id) < (?, ?)", began, id)
		return of.OrderExpr("began DESC, id DESC").Limit(int64(limit + 1)).Scan(ctx)
	})
	if len(page.Entries) > limit {
		page.Entries = page.Entries[:limit]
		page.Next = CursorOf(page.Entries[limit-1])
	}
	return page, err
}

// CursorOf returns the value of Query.After that selects the entries after e.
func CursorOf(e Entry) string { return fmt.Sprintf("%d-%s", e.BeganAt, e.ID) }

// parseCursor parses a cursor from CursorOf. An empty cursor returns zero values.
func parseCursor(cursor string) (began int64, id string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	first, id, _ := strings.Cut(cursor, "-")
	began, err = strconv.ParseInt(first, 10, 64)
	if err != nil || id == "" {
		return 0, "", fault.New("promptlist.List", sdkapi.ValidationError, "invalid page cursor in the query parameter \"after\"; list again without this parameter").
			At("query.after", "expected the field next of the previous page")
	}
	return began, id, nil
}
