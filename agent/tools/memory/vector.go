package memory

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/ledger"
)

// Embedder converts texts to vectors. Texts with a similar meaning get similar vectors.
type Embedder interface {
	// Embed returns a vector for each text, all of the same length. It may be called from several goroutines, and must
	// return soon after ctx ends. After an error the caller tries the texts again later.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Bounds of searching by meaning.
const (
	embedBatch  = 32               // texts in one request
	embedSearch = 4                // batches of new passages that a search embeds; Run does the rest
	embedTime   = 5 * time.Second  // limit for all embedding during one search
	maxVector   = 4096             // numbers in a vector
	minLikeness = 0.25             // a lower cosine means unrelated
	embedRest   = 30 * time.Second // pause of searches after a failure of the embedder
	fuseRank    = 60               // constant of reciprocal rank fusion: a high one makes the first ranks differ little
)

// byMeaning finds passages near the query, the nearest first.
func (m *Memory) byMeaning(ctx context.Context, r *room, q query, kind Kind) ([]int64, error) {
	if err := m.outage.now(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	if _, err := m.embedNew(ctx, r, embedSearch); err != nil {
		return nil, err
	}
	asked, err := m.embed(ctx, []string{q.text})
	if err != nil {
		return nil, err
	}
	return m.nearest(ctx, r, asked[0], kind)
}

// outage is a failure of the embedder. Searches do not wait for it to fail again.
type outage struct {
	mu    sync.Mutex
	why   error
	until time.Time
}

// now returns the error of the current outage, nil if the embedder may be called.
func (o *outage) now() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Now().After(o.until) {
		return nil
	}
	return o.why
}

// note records the result of a call. A canceled call, or one without budget, says nothing about the embedder.
func (o *outage) note(err error) {
	if errors.Is(err, context.Canceled) || fault.CodeOf(err) == sdkapi.BudgetExceeded {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.why, o.until = err, (time.Time{}); err != nil {
		o.until = time.Now().Add(embedRest)
	}
}

// embed returns the embedder's vectors, scaled to length 1. It records an outage.
func (m *Memory) embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	defer func() { m.outage.note(err) }()
	if vectors, err = m.opts.Embedder.Embed(ctx, texts); err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	if len(vectors) != len(texts) {
		return nil, fault.New(opEmbed, sdkapi.ModelError, "the embedding model returned %d vectors for %d texts", len(vectors), len(texts))
	}
	for _, v := range vectors {
		length := math.Sqrt(likeness(v, pack(v)))
		if len(v) == 0 || len(v) > maxVector || !(length > 0) || math.IsInf(length, 0) {
			return nil, fault.New(opEmbed, sdkapi.ModelError, "the embedding model returned an invalid vector of %d numbers: it is empty or too large, or it contains only zeros or a number that is not finite", len(v))
		}
		for i := range v {
			v[i] = float32(float64(v[i]) / length)
		}
	}
	return vectors, nil
}

// embedNew embeds passages without a vector, newest first, at most that number of batches. It reports whether more may
// be left. The user of the room pays for it, if ctx names nobody else. If neither is known, the passages wait for the
// user's next request.
func (m *Memory) embedNew(ctx context.Context, r *room, batches int) (more bool, err error) {
	if ledger.PayerOf(ctx) == "" {
		user := r.payer()
		if user == "" {
			return false, nil
		}
		ctx = ledger.For(ctx, user)
	}
	for range batches {
		var rows []hit
		err := m.db.Ask(ctx, opEmbed, func(ctx context.Context, db *bun.DB) error {
			rows = nil
			return db.NewRaw("SELECT id, text FROM memory_chunks WHERE owner = ? AND space <> ? ORDER BY id DESC LIMIT ?",
				r.owner, m.space(), embedBatch).Scan(ctx, &rows)
		})
		if err != nil || len(rows) == 0 {
			return false, err
		}
		if err := m.embedRows(ctx, rows); err != nil {
			return false, err
		}
	}
	return true, nil
}

const opEmbed = "memory.embed"

// space is the index's name for the embedder's vectors.
func (m *Memory) space() string { return "model:" + m.opts.Space }

// embedRows embeds passages and stores their vectors. If a passage is gone meanwhile, its vector is discarded: SQLite may
// have given its id to another text.
func (m *Memory) embedRows(ctx context.Context, rows []hit) error {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = row.Text
	}
	vectors, err := m.embed(ctx, texts)
	if err != nil {
		return err
	}
	return m.db.Write(ctx, opEmbed, func(ctx context.Context, tx bun.Tx) error {
		for i, row := range rows {
			_, err := tx.NewRaw("UPDATE memory_chunks SET vector = ?, space = ? WHERE id = ? AND text = ?", pack(vectors[i]), m.space(), row.ID, row.Text).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// nearest returns the passages with the nearest vectors, nearest first. It compares with all vectors of the user: ten
// thousand take some milliseconds.
func (m *Memory) nearest(ctx context.Context, r *room, to []float32, kind Kind) (ids []int64, err error) {
	var list []hit
	var others bool // there are vectors of another length, from an older model
	err = m.db.Ask(ctx, "memory.Search", func(ctx context.Context, db *bun.DB) error {
		list, others = nil, false
		rows, err := db.QueryContext(ctx, "SELECT id, vector FROM memory_chunks WHERE owner = ? AND space = ? AND (? = '' OR kind = ?)",
			r.owner, m.space(), string(kind), string(kind))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var packed []byte
			if err := rows.Scan(&id, &packed); err != nil {
				return err
			}
			others = others || len(packed) != 4*len(to)
			if like := likeness(to, packed); like >= minLikeness {
				list = append(list, hit{ID: id, score: like})
			}
		}
		return rows.Err()
	})
	if err == nil && others {
		err = m.outgrown(ctx, r, len(to))
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	for _, n := range list[:min(enough, len(list))] {
		ids = append(ids, n.ID)
	}
	return ids, nil
}

// outgrown discards vectors of other lengths, so that Run computes them again. It returns the fault for the search.
func (m *Memory) outgrown(ctx context.Context, r *room, numbers int) error {
	err := m.db.Write(ctx, opEmbed, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("UPDATE memory_chunks SET space = '' WHERE owner = ? AND space = ? AND length(vector) <> ?", r.owner, m.space(), 4*numbers).Exec(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return fault.New(opEmbed, sdkapi.ModelError, "the embedding model's vectors have a new length; the gateway is computing all vectors again: repeat the search later")
}

// likeness is the scalar product of two vectors, one of them packed; 0 if their lengths differ.
func likeness(a []float32, packed []byte) (sum float64) {
	if len(packed) != 4*len(a) {
		return 0
	}
	for i, x := range a {
		sum += float64(x) * float64(math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:])))
	}
	return sum
}

// pack returns a vector as little-endian bytes, 4 for each number.
func pack(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// fuse joins rankings into one by reciprocal rank fusion.
func fuse(lists ...[]int64) []hit {
	var all []hit
	for _, list := range lists {
		for rank, id := range list {
			at := slices.IndexFunc(all, func(h hit) bool { return h.ID == id })
			if at < 0 {
				at, all = len(all), append(all, hit{ID: id})
			}
			all[at].score += 1 / float64(fuseRank+rank+1)
		}
	}
	slices.SortStableFunc(all, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return all
}
