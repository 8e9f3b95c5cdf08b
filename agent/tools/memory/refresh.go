package memory

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/hashid"
)

// Limits of one transaction of indexing. Other writers wait until it ends.
const (
	batchBytes = 512 << 10
	batchFiles = 200
	batchIDs   = 500
)

// settledAfter is the age from which a file's time identifies its content. File systems round times, to some
// milliseconds or to two seconds.
const settledAfter = 2 * time.Second

// record is a file in the index.
type record struct {
	Path     string
	Size     int64
	Modified int64
	Settled  bool
	Hash     string
}

// reading is a file to be indexed.
type reading struct {
	record
	list []chunk
}

// changes has the counts of one refresh.
type changes struct {
	files   int
	indexed int // new or changed
	gone    int
	large   []string // paths of files that are too large
}

// refresh updates a user's index, unless the last update is younger than freshFor. With deep, it always reads every
// file, not only files whose size or time has changed.
func (m *Memory) refresh(ctx context.Context, r *room, deep bool) (changes, error) {
	if !deep && r.fresh() {
		return changes{}, nil
	}
	leave, err := r.enter(ctx)
	if err != nil {
		return changes{}, err
	}
	defer leave()
	if !deep && r.fresh() { // an earlier caller has updated it
		return changes{}, nil
	}
	began := time.Now()
	c, err := m.reindex(ctx, r, deep)
	if err == nil {
		r.mu.Lock()
		r.looked = began
		r.mu.Unlock()
	}
	return c, err
}

// fresh reports whether the index was updated within freshFor. It is false after stale.
func (r *room) fresh() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.looked) < freshFor
}

// pass is one comparison of a user's files with the index.
type pass struct {
	m     *Memory
	r     *room
	root  *os.Root
	deep  bool
	lost  map[string]bool // paths to remove from the index
	batch []reading
	bytes int64 // of the batch
	changes
}

const opIndex = "memory.index"

// reindex compares a user's files with the index, and updates the index. The caller must hold the room.
func (m *Memory) reindex(ctx context.Context, r *room, deep bool) (changes, error) {
	files := map[string]found{}
	root, err := m.open(r)
	if err == nil {
		defer root.Close()
		files, err = look(ctx, root)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return changes{}, unusable(opIndex, err)
	}
	known, err := m.known(ctx, r)
	if err != nil {
		return changes{}, err
	}
	p := &pass{m: m, r: r, root: root, deep: deep, lost: map[string]bool{}, changes: changes{files: len(files)}}
	for name := range known {
		if _, there := files[name]; !there {
			p.lost[name] = true
		}
	}
	var others []string
	for name, now := range files {
		if deep || !known[name].describes(now) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for _, name := range others {
		was, had := known[name] // read now: flush changes known, but only for visited files
		if err := p.visit(ctx, name, was, had); err != nil {
			return p.changes, err
		}
	}
	if err := p.flush(ctx); err != nil {
		return p.changes, err
	}
	return p.changes, p.forget(ctx)
}

// describes reports whether a file is unchanged. The zero record describes no file.
func (r record) describes(now found) bool {
	return r.Settled && r.Size == now.size && r.Modified == now.modified
}

// visit reads a file. It adds the file to the batch if it differs from its record, and flushes a full batch.
func (p *pass) visit(ctx context.Context, name string, was record, had bool) error {
	next, err := readFor(p.root, name)
	tooLarge := errors.Is(err, errTooLarge)
	if tooLarge {
		p.large = append(p.large, name)
	}
	switch {
	case tooLarge, missing(err):
		if had {
			p.lost[name] = true
		}
		return nil
	case err != nil:
		return unusable(opIndex, err)
	case had && !p.deep && was == next.record:
		return nil
	}
	p.batch, p.bytes = append(p.batch, next), p.bytes+next.Size
	if p.bytes > batchBytes || len(p.batch) >= batchFiles {
		return p.flush(ctx)
	}
	return nil
}

// flush indexes the files of the batch.
func (p *pass) flush(ctx context.Context) error {
	batch := p.batch
	if len(batch) == 0 {
		return nil
	}
	changed := 0
	err := p.m.change(ctx, p.r, func(ctx context.Context, tx bun.Tx) (err error) {
		changed, err = p.m.keepFiles(ctx, tx, p.r.owner, batch)
		return err
	})
	if err != nil {
		return err
	}
	p.indexed += changed
	p.batch, p.bytes = nil, 0
	for _, f := range batch {
		if p.r.records != nil {
			p.r.records[f.Path] = f.record
		}
	}
	return nil
}

// forget removes lost files from the index.
func (p *pass) forget(ctx context.Context) error {
	for names := range slices.Chunk(slices.Sorted(maps.Keys(p.lost)), batchFiles) {
		err := p.m.change(ctx, p.r, func(ctx context.Context, tx bun.Tx) error {
			return removeFiles(ctx, tx, "owner = ? AND path IN (?)", p.r.owner, bun.List(names))
		})
		if err != nil {
			return err
		}
		for _, name := range names {
			delete(p.r.records, name)
		}
		p.gone += len(names)
	}
	return nil
}

// removeFiles removes the files that a condition selects, with their chunks.
func removeFiles(ctx context.Context, tx bun.Tx, condition string, values ...any) error {
	var ids []int64
	if err := tx.NewRaw("SELECT id FROM memory_chunks WHERE "+condition, values...).Scan(ctx, &ids); err != nil {
		return err
	}
	if err := removeChunks(ctx, tx, ids); err != nil {
		return err
	}
	_, err := tx.NewRaw("DELETE FROM memory_files WHERE "+condition, values...).Exec(ctx)
	return err
}

// removeChunks removes chunks with their words.
func removeChunks(ctx context.Context, tx bun.Tx, old []int64) error {
	for ids := range slices.Chunk(old, batchIDs) {
		for _, from := range []string{"memory_terms WHERE rowid", "memory_chunks WHERE id"} {
			if _, err := tx.NewRaw("DELETE FROM "+from+" IN (?)", bun.List(ids)).Exec(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// readFor reads a file to index it.
func readFor(root *os.Root, name string) (reading, error) {
	before := time.Now()
	text, info, err := read(root, name)
	if err != nil {
		return reading{}, err
	}
	return reading{record{
		Path: name, Size: info.Size(), Modified: info.ModTime().UnixNano(), Hash: hashid.Of(string(text), 16),
		Settled: info.ModTime().Before(before.Add(-settledAfter)),
	}, chunks(text)}, nil
}

// known returns a user's files in the index, from r.records if no other process has changed the index since.
func (m *Memory) known(ctx context.Context, r *room) (map[string]record, error) {
	var generation int64
	err := m.db.Ask(ctx, opIndex, func(ctx context.Context, db *bun.DB) error {
		err := db.NewRaw("SELECT generation FROM memory_users WHERE owner = ?", r.owner).Scan(ctx, &generation)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil || r.records != nil && r.generation == generation {
			return err
		}
		var list []record
		if err := db.NewRaw("SELECT path, size, modified, settled, hash FROM memory_files WHERE owner = ?", r.owner).Scan(ctx, &list); err != nil {
			return err
		}
		r.records = make(map[string]record, len(list))
		for _, f := range list {
			r.records[f.Path] = f
		}
		r.generation = generation
		return nil
	})
	if r.records == nil {
		r.records = map[string]record{}
	}
	return r.records, err
}

// change runs work in a transaction that excludes other changes of the same user's index. It increments the generation
// of the index.
func (m *Memory) change(ctx context.Context, r *room, work func(ctx context.Context, tx bun.Tx) error) error {
	var generation int64
	err := m.db.Write(ctx, opIndex, func(ctx context.Context, tx bun.Tx) error {
		err := tx.NewRaw("INSERT INTO memory_users (owner, place, folder, generation) VALUES (?, ?, ?, 1) "+
			"ON CONFLICT (owner) DO UPDATE SET generation = memory_users.generation + 1 RETURNING generation", r.owner, m.place, r.folder).Scan(ctx, &generation)
		if err != nil {
			return err
		}
		return work(ctx, tx)
	})
	if err != nil || generation != r.generation+1 {
		r.records = nil // another process has changed the index meanwhile
		return err
	}
	r.generation = generation
	return nil
}

// keepFiles updates the chunks of files, and returns the number of changed files. Chunks with unchanged text stay, so
// that a new note in a long file costs little.
func (m *Memory) keepFiles(ctx context.Context, tx bun.Tx, owner string, batch []reading) (changed int, err error) {
	names := make([]string, len(batch))
	for i, f := range batch {
		names[i] = f.Path
	}
	var rows []keptRow
	err = tx.NewRaw("SELECT id, path, hash, line_start, line_end FROM memory_chunks WHERE owner = ? AND path IN (?) ORDER BY line_start, id",
		owner, bun.List(names)).Scan(ctx, &rows)
	if err != nil {
		return 0, err
	}
	had := map[[2]string][]keptRow{} // by path and hash
	for _, row := range rows {
		at := [2]string{row.Path, row.Hash}
		had[at] = append(had[at], row)
	}
	differs := map[string]bool{} // by path
	var fresh []placed
	files := make([][]any, len(batch))
	for i, f := range batch {
		files[i] = []any{owner, f.Path, f.Size, f.Modified, f.Settled, f.Hash}
		for _, c := range f.list {
			at := [2]string{f.Path, c.hash()}
			same := had[at]
			if len(same) == 0 {
				differs[f.Path], fresh = true, append(fresh, placed{c, f.Path})
				continue
			}
			had[at] = same[1:]
			if same[0].LineStart == c.start && same[0].LineEnd == c.end {
				continue
			}
			differs[f.Path] = true
			if _, err := tx.NewRaw("UPDATE memory_chunks SET line_start = ?, line_end = ? WHERE id = ?", c.start, c.end, same[0].ID).Exec(ctx); err != nil {
				return 0, err
			}
		}
	}
	var old []int64
	for _, left := range had {
		for _, row := range left {
			differs[row.Path], old = true, append(old, row.ID)
		}
	}
	if err := removeChunks(ctx, tx, old); err != nil {
		return 0, err
	}
	if len(fresh) > 0 {
		if err := m.insertChunks(ctx, tx, owner, fresh); err != nil {
			return 0, err
		}
	}
	if _, err := tx.NewRaw("DELETE FROM memory_files WHERE owner = ? AND path IN (?)", owner, bun.List(names)).Exec(ctx); err != nil {
		return 0, err
	}
	return len(differs), m.db.Insert(ctx, tx, "INSERT INTO memory_files (owner, path, size, modified, settled, hash)", files)
}

// keptRow is a chunk in the index.
type keptRow struct {
	ID                 int64
	Path, Hash         string
	LineStart, LineEnd int
}
