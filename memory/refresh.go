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
)

// Bounds of one transaction of indexing, which others have to wait for.
const (
	batchBytes = 512 << 10
	batchFiles = 200
	batchIDs   = 500
)

// settledAfter is how much older than a look a file's time must be for the file
// to be known by it: file systems keep times in steps of some milliseconds,
// or of two seconds.
const settledAfter = 2 * time.Second

// record is what the index knows of a file.
type record struct {
	Path     string
	Size     int64
	Modified int64
	Settled  bool
	Hash     string
}

// reading is a file that is to be indexed.
type reading struct {
	record
	list []chunk
}

// changes are what a refresh has found, and mended.
type changes struct {
	files   int // that there are
	indexed int // that the index had not, or not as they are
	gone    int // that it had, and are no more
	large   []string
}

// refresh brings a user's index up to date, unless that was done just now.
// Deep reads every file, and not only those whose size or time has changed.
func (m *Memory) refresh(ctx context.Context, r *room, deep bool) (changes, error) {
	if !deep && r.fresh() {
		return changes{}, nil
	}
	leave, err := r.enter(ctx)
	if err != nil {
		return changes{}, err
	}
	defer leave()
	if !deep && r.fresh() { // by an earlier caller
		return changes{}, nil
	}
	began := time.Now()
	c, err := m.reindex(ctx, r, deep)
	if err == nil {
		r.mu.Lock()
		r.looked, r.seen = began, r.turns
		r.mu.Unlock()
	}
	return c, err
}

// upToDate calls search when a user's index is up to date. Where it most likely
// is, it calls search while it looks at the files, and again if one was changed:
// of many files both take about as long.
func (m *Memory) upToDate(ctx context.Context, r *room, search func() error) error {
	r.mu.Lock()
	seen, never := r.seen, r.looked.IsZero()
	r.mu.Unlock()
	if never || r.fresh() {
		if _, err := m.refresh(ctx, r, false); err != nil {
			return err
		}
		return search()
	}
	looked := make(chan error, 1)
	go func() {
		_, err := m.refresh(ctx, r, false)
		looked <- err
	}()
	found := search()
	if err := <-looked; err != nil {
		return err
	}
	r.mu.Lock()
	same := r.seen == seen
	r.mu.Unlock()
	if same {
		return found
	}
	return search()
}

func (r *room) fresh() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.looked) < freshFor
}

// pass is one look at all of a user's files.
type pass struct {
	m     *Memory
	r     *room
	root  *os.Root
	deep  bool
	lost  map[string]bool // what is to be forgotten
	batch []reading
	bytes int64 // of the batch
	changes
}

// opIndex is what is being done while the index changes.
const opIndex = "memory.index"

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
		was, had := known[name] // which flush changes only for files that were visited
		if err := p.visit(ctx, name, was, had); err != nil {
			return p.changes, err
		}
	}
	if err := p.flush(ctx); err != nil {
		return p.changes, err
	}
	return p.changes, p.forget(ctx)
}

// describes reports whether a file is as it was indexed. The zero record
// describes no file.
func (r record) describes(now found) bool {
	return r.Settled && r.Size == now.size && r.Modified == now.modified
}

// visit reads a file, and indexes it if it has changed.
func (p *pass) visit(ctx context.Context, name string, was record, had bool) error {
	next, err := readFor(p.root, name)
	switch {
	case errors.Is(err, errTooLarge), missing(err):
		if errors.Is(err, errTooLarge) {
			p.large = append(p.large, name)
		}
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

// flush indexes the files that have gathered.
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

// forget removes from the index what is no more.
func (p *pass) forget(ctx context.Context) error {
	for names := range slices.Chunk(slices.Sorted(maps.Keys(p.lost)), batchFiles) {
		err := p.m.change(ctx, p.r, func(ctx context.Context, tx bun.Tx) error {
			var old []int64
			err := tx.NewRaw("SELECT id FROM memory_chunks WHERE owner = ? AND path IN (?)", p.r.owner, bun.List(names)).Scan(ctx, &old)
			if err != nil {
				return err
			}
			if err := removeAll(ctx, tx, old); err != nil {
				return err
			}
			_, err = tx.NewRaw("DELETE FROM memory_files WHERE owner = ? AND path IN (?)", p.r.owner, bun.List(names)).Exec(ctx)
			return err
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

func removeAll(ctx context.Context, tx bun.Tx, old []int64) error {
	for ids := range slices.Chunk(old, batchIDs) {
		if err := remove(ctx, tx, ids); err != nil {
			return err
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
		Path: name, Size: info.Size(), Modified: info.ModTime().UnixNano(), Hash: hashOf(text),
		Settled: info.ModTime().Before(before.Add(-settledAfter)),
	}, chunks(text)}, nil
}

// known returns what the index knows of a user's files. Other processes may
// have changed that, which the generation shows.
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
		r.turns++
		return nil
	})
	if r.records == nil {
		r.records = map[string]record{}
	}
	return r.records, err
}

// change runs work in a transaction that no other one on the same user's index
// meets, and remembers that the index has changed.
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
	r.turns++ // perhaps: it is never wrong to search again
	if err != nil || generation != r.generation+1 {
		r.records = nil // somebody else has changed it meanwhile
		return err
	}
	r.generation = generation
	return nil
}

// keepFiles brings the chunks of files up to date, and says how many were not.
// Chunks that say the same as before stay, so that a note which is added to a
// long file costs little.
func (m *Memory) keepFiles(ctx context.Context, tx bun.Tx, owner string, batch []reading) (changed int, err error) {
	had, err := kept(ctx, tx, owner, batch)
	if err != nil {
		return 0, err
	}
	var fresh []placed
	var old []int64
	files := make([][]any, len(batch))
	for i, f := range batch {
		differs := false
		for _, c := range f.list {
			row, same := had.take(f.Path, c)
			if same && row.LineStart == c.start && row.LineEnd == c.end {
				continue
			}
			differs = true
			if !same {
				fresh = append(fresh, placed{c, f.Path})
			} else if _, err := tx.NewRaw("UPDATE memory_chunks SET line_start = ?, line_end = ? WHERE id = ?", c.start, c.end, row.ID).Exec(ctx); err != nil {
				return 0, err
			}
		}
		left := had.left(f.Path)
		if old = append(old, left...); differs || len(left) > 0 {
			changed++
		}
		files[i] = []any{owner, f.Path, f.Size, f.Modified, f.Settled, f.Hash}
	}
	if err := removeAll(ctx, tx, old); err != nil {
		return 0, err
	}
	if len(fresh) > 0 {
		if err := m.index.insert(ctx, tx, owner, fresh); err != nil {
			return 0, err
		}
	}
	return changed, m.keepRecords(ctx, tx, owner, files)
}

func (m *Memory) keepRecords(ctx context.Context, tx bun.Tx, owner string, files [][]any) error {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f[1].(string)
	}
	if _, err := tx.NewRaw("DELETE FROM memory_files WHERE owner = ? AND path IN (?)", owner, bun.List(names)).Exec(ctx); err != nil {
		return err
	}
	return m.db.Insert(ctx, tx, "INSERT INTO memory_files (owner, path, size, modified, settled, hash)", files)
}

// keptRow is a chunk that the index has.
type keptRow struct {
	ID                 int64
	Path, Hash         string
	LineStart, LineEnd int
}

// keptRows are those of some files, by path and what they say.
type keptRows map[string]map[string][]keptRow

func kept(ctx context.Context, tx bun.Tx, owner string, batch []reading) (keptRows, error) {
	names := make([]string, len(batch))
	for i, f := range batch {
		names[i] = f.Path
	}
	var rows []keptRow
	err := tx.NewRaw("SELECT id, path, hash, line_start, line_end FROM memory_chunks WHERE owner = ? AND path IN (?) ORDER BY line_start, id",
		owner, bun.List(names)).Scan(ctx, &rows)
	had := keptRows{}
	for _, row := range rows {
		if had[row.Path] == nil {
			had[row.Path] = map[string][]keptRow{}
		}
		had[row.Path][row.Hash] = append(had[row.Path][row.Hash], row)
	}
	return had, err
}

// take takes out a chunk that says the same as c, the first that is left.
func (k keptRows) take(path string, c chunk) (keptRow, bool) {
	hash := c.hash()
	same := k[path][hash]
	if len(same) == 0 {
		return keptRow{}, false
	}
	k[path][hash] = same[1:]
	return same[0], true
}

// left lists the chunks of a file that were not taken.
func (k keptRows) left(path string) (ids []int64) {
	for _, rows := range k[path] {
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
	}
	return ids
}
