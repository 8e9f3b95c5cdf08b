package sqljournal

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// TestNoticesFit has the longest notice be one that PostgreSQL takes.
func TestNoticesFit(t *testing.T) {
	t.Parallel()
	most := slices.Repeat([]topic{math.MaxUint64}, noticeTopics)
	if n := len(notice(most)); n > database.MaxNotice {
		t.Errorf("%d bytes", n)
	}
	if got := topicsOf(notice(most)); !slices.Equal(got, most) {
		t.Error("it comes back otherwise")
	}
	if got := topicsOf("not ours! -1"); len(got) != 1 { // a word may read as a number
		t.Errorf("%v", got)
	}
}

// TestTrimBetween trims a stream after its events were read and before the
// snapshot is.
func TestTrimBetween(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := database.Open(ctx, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	j, err := Open(db, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = j.Close(), db.Close() }()
	if _, err := j.Append(ctx, "s", slices.Repeat([]journal.Event{{Kind: "k"}}, 9)...); err != nil {
		t.Fatal(err)
	}
	var p page
	err = j.db.Ask(ctx, "test", func(ctx context.Context, db *bun.DB) (err error) {
		p, err = readPage(ctx, db, "s", 0, 7, math.MaxInt)
		return err
	})
	if err != nil || len(p.events) != 7 {
		t.Fatalf("%d events, %v", len(p.events), err)
	}
	if err := j.Trim(ctx, "s", 5, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.resync(ctx, db.Read(), 3); err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, e := range p.events {
		got = append(got, e.Seq)
	}
	if p.events[0].Kind != journal.Resync || !slices.Equal(got, []int64{4, 5, 6}) {
		t.Errorf("%s, %v", p.events[0].Kind, got)
	}
}

// TestFollowersHoldLittle has a follower look at a stream of large events, of
// which it fetches one at a time, and of middling ones, of which some.
func TestFollowersHoldLittle(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := database.Open(ctx, database.Config{File: filepath.Join(t.TempDir(), "windie.db")})
	if err != nil {
		t.Fatal(err)
	}
	j, err := Open(db, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = j.Close(), db.Close() }()
	for stream, tt := range map[string]struct{ size, fetched int }{
		"large":    {3 << 20, 1},
		"middling": {300 << 10, 3},
		"inline":   {inlineBytes, 16},
	} {
		t.Run(stream, func(t *testing.T) {
			data := append(append([]byte{'"'}, bytes.Repeat([]byte{'x'}, tt.size-2)...), '"')
			if _, err := j.Append(ctx, stream, slices.Repeat([]journal.Event{{Kind: "k", Data: data}}, 20)...); err != nil {
				t.Fatal(err)
			}
			p, err := j.look(ctx, stream, 0, followEvents, followBytes)
			if err != nil || len(p.events) != tt.fetched {
				t.Errorf("%s: a follower holds %d events, %v", stream, len(p.events), err)
			}
		})
	}
}
