// Package responses stores the responses of the OpenAI-compatible API, so that clients can get,
// delete and continue them.
//
//	store := responses.Open(db, responses.Options{})
//	err := store.Save(ctx, "ada", responses.Response{ID: "resp_1", Body: body, Items: items}, nil)
//	items, chain, err := store.History(ctx, "ada", "resp_1") // the conversation so far
//
// Each response has the items of its own turn, and the id of the response that it continues. A
// *chain* is a response with all responses before it. A response of another user is missing.
package responses

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Limits of a user's stored responses. Beyond the first two, the least recently used responses are
// deleted.
const (
	MaxPerUser = 1000      // maximum number of responses
	MaxBytes   = 256 << 20 // maximum size of all responses together, in bytes
	MaxChain   = 500       // maximum number of responses in a chain
	MaxHistory = 64 << 20  // maximum size of the items of a chain, in bytes
)

// Options configure a Store. The zero value is useful.
type Options struct {
	PerUser int   // maximum number of a user's responses; default MaxPerUser
	Bytes   int64 // maximum size of a user's responses, in bytes; default MaxBytes
}

// Store has the responses of all users. Make one with Open. Its methods are safe for concurrent use,
// and several gateways may share the database.
type Store struct {
	db   *database.DB
	opts Options
}

// Open returns the responses in db. The caller closes db.
func Open(db *database.DB, opts Options) *Store {
	return &Store{db, Options{PerUser: cmp.Or(opts.PerUser, MaxPerUser), Bytes: cmp.Or(opts.Bytes, MaxBytes)}}
}

// Response is a stored response.
type Response struct {
	ID       string
	Previous string            // id of the response that it continues; empty for none
	Body     json.RawMessage   // the response, as clients get it
	Items    []json.RawMessage // its input and its output, oldest first
}

// Save stores a response. The parameter chain has the ids of the responses that it continues, from
// History; they count as used. Save deletes the user's least recently used responses that exceed
// the limits.
func (s *Store) Save(ctx context.Context, user string, r Response, chain []string) error {
	const op = "responses.Save"
	items, err := json.Marshal(r.Items)
	if err != nil {
		return fault.From(err)
	}
	return s.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO responses (user_id, id, previous, created, used, size, body, items) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			user, r.ID, r.Previous, now, now, len(r.Body)+len(items), string(r.Body), string(items)).Exec(ctx)
		if err == nil && len(chain) > 0 {
			_, err = tx.NewRaw("UPDATE responses SET used = ? WHERE user_id = ? AND id IN (?)", now, user, bun.List(chain)).Exec(ctx)
		}
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("DELETE FROM responses WHERE user_id = ?0 AND id IN (SELECT id FROM ("+
			"SELECT id, row_number() OVER latest AS n, sum(size) OVER latest AS total FROM responses WHERE user_id = ?0 "+
			"WINDOW latest AS (ORDER BY used DESC, created DESC, id)) AS ranked WHERE n > ?1 OR total > ?2 AND id <> ?3)",
			user, s.opts.PerUser, s.opts.Bytes, r.ID).Exec(ctx)
		return err
	})
}

// Get returns the body of a user's response. It fails with NOT_FOUND if the user has no such
// response.
func (s *Store) Get(ctx context.Context, user, id string) (body json.RawMessage, err error) {
	const op = "responses.Get"
	var text string
	err = s.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT body FROM responses WHERE user_id = ? AND id = ?", user, id).Scan(ctx, &text)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, missing(op)
	}
	return json.RawMessage(text), err
}

// History returns the items of a user's response and of all responses before it, oldest first. The
// result chain has the ids of these responses. History fails with NOT_FOUND if one of them is
// missing, and with VALIDATION_ERROR if the chain exceeds MaxChain or MaxHistory.
func (s *Store) History(ctx context.Context, user, id string) (items []json.RawMessage, chain []string, err error) {
	const op = "responses.History"
	var turns [][]json.RawMessage
	size := 0
	for id != "" {
		var previous, text string
		err := s.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
			return db.NewRaw("SELECT previous, items FROM responses WHERE user_id = ? AND id = ?", user, id).Scan(ctx, &previous, &text)
		})
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil, missing(op)
		}
		if err != nil {
			return nil, nil, err
		}
		if size += len(text); size > MaxHistory || len(chain) >= MaxChain {
			return nil, nil, fault.New(op, sdkapi.ValidationError, "the conversation has more than %d responses or %d bytes; start a new one", MaxChain, MaxHistory)
		}
		var turn []json.RawMessage
		if err := json.Unmarshal([]byte(text), &turn); err != nil {
			return nil, nil, fault.New(op, sdkapi.StateDamaged, "a stored response is damaged; start a new conversation").Because(err)
		}
		turns, chain, id = append(turns, turn), append(chain, id), previous
	}
	for i := len(turns) - 1; i >= 0; i-- {
		items = append(items, turns[i]...)
	}
	return items, chain, nil
}

// missing returns the NOT_FOUND of a response.
func missing(op string) error {
	return fault.New(op, sdkapi.NotFound, "there is no such response: it was not stored, has expired or was deleted; send the whole conversation instead")
}
