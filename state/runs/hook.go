package runs

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Hook is the operator's web hook. It gets a message when a run ends or waits for a person. A
// message is stored until the hook answers, so the hook may get the same message twice.
//
// Each request is signed as in Standard Webhooks 1.0. The header webhook-signature is "v1,"
// followed by a base64 text. The base64 text encodes the HMAC-SHA256 of ID.TIMESTAMP.BODY with the
// key Secret. ID is the header webhook-id, TIMESTAMP is the header webhook-timestamp, and BODY is
// the body.
type Hook struct {
	URL    string
	Secret []byte
	Client *http.Client // client that sends the requests; default: a client that follows no redirects
}

// Types of messages.
const (
	hookEnded = "run."            // prefix of the run's status
	hookHuman = "run.needs_human" // a call waits for a person to approve it
)

// Times of the web hook.
const (
	hookEvery = time.Second      // time between two searches for due messages
	hookMost  = 10               // messages of one search
	hookTime  = 15 * time.Second // limit of one request
	// How long other gateways ignore the messages of a search, which are sent one after another.
	hookOwn = (hookMost + 1) * hookTime
)

// hookPauses are the pauses after the failures of a message, in order. If the attempt after the last
// pause fails too, the message is discarded.
var hookPauses = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// hookBody is the JSON of a message.
type hookBody struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      struct {
		Run sdkapi.Run `json:"run"`
	} `json:"data"`
}

// hookRow is a message that must still be sent.
type hookRow struct {
	bun.BaseModel `bun:"table:run_hooks"`

	ID    string `bun:"id,pk"`
	RunID string
	Due   int64
	Tries int
	Body  string
}

// notify stores a message to the web hook if a change requires one.
func (p *Plane) notify(ctx context.Context, tx bun.Tx, before, after *record) error {
	var kind string
	switch {
	case p.opts.Hook == nil:
		return nil
	case after.Over() && !before.Over():
		kind = hookEnded + after.Status
	case after.NeedsHuman && !before.NeedsHuman:
		kind = hookHuman
	default:
		return nil
	}
	body := hookBody{Type: kind, Timestamp: after.UpdatedAt}
	body.Data.Run = after.Run
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = tx.NewInsert().Model(&hookRow{ID: "msg_" + uuid.NewString(), RunID: after.RunID, Due: database.Micros(after.UpdatedAt), Body: string(raw)}).Exec(ctx)
	return err
}

// sendMessages sends due messages to the web hook until ctx ends.
func (p *Plane) sendMessages(ctx context.Context) {
	background.Every(ctx, hookEvery, func(ctx context.Context) {
		due, err := p.due(ctx)
		if err != nil && ctx.Err() == nil {
			p.opts.Log.Warn("the gateway could not look up messages for the web hook of runs", slog.Any("err", err))
		}
		for _, r := range due {
			p.deliver(ctx, r)
		}
	})
}

// due returns due messages, and postpones them for hookOwn so that other gateways ignore them.
func (p *Plane) due(ctx context.Context) (due []hookRow, err error) {
	err = p.db.Write(ctx, "runs.hook", func(ctx context.Context, tx bun.Tx) error {
		now, err := p.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		due = nil
		if err := tx.NewRaw("SELECT * FROM run_hooks WHERE due <= ? ORDER BY due, id LIMIT ?"+p.locking(), now, hookMost).Scan(ctx, &due); err != nil || len(due) == 0 {
			return err
		}
		ids := make([]string, len(due))
		for i, r := range due {
			ids[i] = r.ID
		}
		_, err = tx.NewRaw("UPDATE run_hooks SET due = ? WHERE id IN (?)", now+hookOwn.Microseconds(), bun.List(ids)).Exec(ctx)
		return err
	})
	return due, err
}

// deliver sends a message once. If that fails, the message is sent again after the next pause of
// hookPauses.
func (p *Plane) deliver(ctx context.Context, r hookRow) {
	failed := p.opts.Hook.post(ctx, r.ID, []byte(r.Body))
	if ctx.Err() != nil {
		return // another gateway, or the next start, sends it
	}
	given := failed == nil || r.Tries >= len(hookPauses)
	err := p.db.Write(ctx, "runs.hook", func(ctx context.Context, tx bun.Tx) error {
		if given {
			_, err := tx.NewDelete().Model(&r).WherePK().Exec(ctx)
			return err
		}
		now, err := p.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("UPDATE run_hooks SET due = ?, tries = ? WHERE id = ?", now+hookPauses[r.Tries].Microseconds(), r.Tries+1, r.ID).Exec(ctx)
		return err
	})
	if failed != nil {
		p.opts.Log.Warn("the web hook of runs did not accept a message", slog.String("run", r.RunID), slog.Int("tries", r.Tries+1), slog.Bool("given_up", given), slog.Any("err", failed))
	}
	if err != nil {
		p.opts.Log.Warn("the gateway could not record that the web hook of runs accepted a message; it may send the message again", slog.String("run", r.RunID), slog.Any("err", err))
	}
}

// post sends a message. It fails unless the response has a status 2xx.
func (h *Hook) post(ctx context.Context, id string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	sum := hmac.New(sha256.New, h.Secret)
	fmt.Fprintf(sum, "%s.%s.%s", id, at, body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", at)
	req.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	resp, err := h.client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 4096) // so that the connection can be reused
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the web hook responded with %s", resp.Status)
	}
	return nil
}

// client returns h.Client, or else a client that follows no redirects, so that a message goes only
// to the operator's URL.
func (h *Hook) client() *http.Client {
	if h.Client != nil {
		return h.Client
	}
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
