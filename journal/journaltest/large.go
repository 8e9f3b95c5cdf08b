package journaltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// largeChecks are about events that a back end may not keep in one place.
var largeChecks = []check{
	{"LargeEvents", largeEvents},
	{"LargeOrNone", largeOrNone},
	{"LargeGone", largeGone},
	{"Pages", pages},
}

// textOfSize returns JSON of a length in bytes, about. Nearly every character
// has two, so that a cut anywhere may be within one.
func textOfSize(bytes int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", bytes%5) + strings.Repeat("é", bytes/2) + `"`)
}

// largeEvents appends events around the sizes at which a back end may begin to
// keep them otherwise, between small ones, and reads them in each way.
func largeEvents(t *testing.T, b Backend) {
	j := b.Open(t)
	first := follow(t, j, "s", 0)
	var given []journal.Event
	for _, size := range []int{64 << 10, 1 << 20, 2 << 20, 3<<20 + 1} {
		for _, less := range []int{3, 2, 1, 0, -1} {
			given = append(given, journal.Event{Kind: "large", Data: textOfSize(size - less)}, journal.Event{Kind: "small", Data: json.RawMessage(`1`)})
		}
	}
	last, err := j.Append(within(t), "s", given...)
	if err != nil || last != int64(len(given)) {
		t.Fatalf("Append of %d events: %d, %v", len(given), last, err)
	}
	for i, want := range given {
		wantLarge(t, "followed at once", first.next(), i, want)
	}
	late := follow(t, j, "s", 0)
	for i, want := range given {
		wantLarge(t, "followed later", late.next(), i, want)
	}
	for i, got := range readAll(t, j, "s") {
		wantLarge(t, "read", got, i, given[i])
	}
}

// wantLarge fails unless an event is that of a place, whole.
func wantLarge(t *testing.T, what string, got journal.Event, place int, want journal.Event) {
	t.Helper()
	if got.Seq != int64(place+1) || got.Kind != want.Kind || !bytes.Equal(got.Data, want.Data) || !json.Valid(got.Data) {
		t.Fatalf("event %d, %s, is %d, %s, of %d bytes; want %s of %d bytes", place+1, what, got.Seq, got.Kind, len(got.Data), want.Kind, len(want.Data))
	}
}

// readAll reads a stream from the beginning, page by page.
func readAll(t *testing.T, j journal.Log, stream string) (all []journal.Event) {
	t.Helper()
	for after := int64(0); ; {
		page := mustRead(t, j, stream, after, journal.MaxEvents)
		if len(page) == 0 {
			return all
		}
		size := 0
		for _, e := range page {
			size += len(e.Data)
		}
		if size > journal.MaxPage && len(page) > 1 {
			t.Errorf("a page of %d events has %d bytes, and may have %d", len(page), size, journal.MaxPage)
		}
		all, after = append(all, page...), page[len(page)-1].Seq
	}
}

// largeOrNone fails an Append with large events, of which nothing is left.
func largeOrNone(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 1)
	large := journal.Event{Kind: "k", Data: textOfSize(3 << 20)}
	_, err := j.Append(within(t), "s", large, large, journal.Event{Kind: "k", Data: json.RawMessage(`{`)})
	wantCode(t, "Append of large events and one that is no JSON", err, sdkapi.ValidationError)
	mustAppend(t, j, "s", 2, 2)
	wantNumbered(t, mustRead(t, j, "s", 0, 9), 1, 2)
}

// largeGone trims and drops large events, and numbers go on.
func largeGone(t *testing.T, b Backend) {
	j := b.Open(t)
	large := journal.Event{Kind: "k", Data: textOfSize(2 << 20)}
	for range 2 {
		for range 4 {
			if _, err := j.Append(within(t), "s", large); err != nil {
				t.Fatal(err)
			}
		}
		mustTrim(t, j, "s", 3, `"two"`)
		found := mustRead(t, j, "s", 0, 9)
		wantResync(t, found[0], 2, `"two"`)
		for i, e := range found[1:] {
			wantLarge(t, "behind a Resync", e, i+2, large)
		}
		if len(found) != 3 {
			t.Errorf("%d events are left of 2, and a Resync", len(found))
		}
		if err := j.Drop(within(t), "s"); err != nil {
			t.Fatal(err)
		}
		wantNumbered(t, mustRead(t, j, "s", 0, 9), 1, 0)
	}
}

// pages reads more than fits into a page, and what alone is more than that.
func pages(t *testing.T, b Backend) {
	j := b.Open(t)
	const each, count = journal.MaxPage / 8, 20
	event := journal.Event{Kind: "k", Data: ofSize(each)}
	for range count {
		if _, err := j.Append(within(t), "s", event); err != nil {
			t.Fatal(err)
		}
	}
	if found := mustRead(t, j, "s", 0, journal.MaxEvents); len(found) != 8 {
		t.Errorf("a page has %d events, of which 8 fill one", len(found))
	}
	if found := readAll(t, j, "s"); len(found) != count {
		t.Errorf("%d events are read page by page, of %d", len(found), count)
	}
	if _, err := j.Append(within(t), "s", numbered(1, 1)[0], journal.Event{Kind: "k", Data: ofSize(journal.MaxPage + 1)}, numbered(1, 1)[0]); err != nil {
		t.Fatal(err)
	}
	for seq, size := range map[int64]int{count + 1: 1, count + 2: journal.MaxPage + 1, count + 3: 1} {
		t.Run(fmt.Sprint(seq), func(t *testing.T) {
			if found := mustRead(t, j, "s", seq-1, journal.MaxEvents); len(found) != 1 && seq != count+3 || len(found[0].Data) != size {
				t.Errorf("after event %d a page has %d events, the first %s", seq-1, len(found), fmt.Sprint(brief(found)))
			}
		})
	}
}
