package journaltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

var boundChecks = []check{
	{"StreamNames", streamNames},
	{"Kinds", kinds},
	{"DataSizes", dataSizes},
	{"EventsAtOnce", eventsAtOnce},
	{"DecisionBounds", decisionBounds},
	{"AnswerBounds", answerBounds},
}

// wantNames fails unless call accepts exactly the names of least to journal.MaxStreamName bytes.
func wantNames(t *testing.T, what string, least int, call func(name string) error) {
	t.Helper()
	wantTexts(t, what, least, journal.MaxStreamName, call)
}

// wantTexts fails unless call accepts texts of least to limit bytes, and refuses longer, shorter
// and invalid ones with VALIDATION_ERROR.
func wantTexts(t *testing.T, what string, least, limit int, call func(text string) error) {
	t.Helper()
	even := strings.Repeat("é", limit/2)
	for _, good := range []string{strings.Repeat("a", least), strings.Repeat("x", limit), even, "\x7f\t'\";--%_\\"} {
		wantCode(t, fmt.Sprintf("%s of %d bytes", what, len(good)), call(good), "")
	}
	bad := []string{strings.Repeat("x", limit+1), even + "é", "a\x00b", "\xff", "\xed\xa0\x80"}
	if least > 0 {
		bad = append(bad, "")
	}
	for _, bad := range bad {
		wantCode(t, fmt.Sprintf("%s of %d bytes, as %.9q", what, len(bad), bad), call(bad), sdkapi.ValidationError)
	}
}

// streamNames checks the limits of a stream's name in each method that takes one. Names must be
// compared byte by byte: another case, a space, % and _ belong to another stream.
func streamNames(t *testing.T, b Backend) {
	j := b.Open(t)
	for method, call := range map[string]func(name string) error{
		"Append": func(name string) error { _, err := j.Append(within(t), name, numbered(1, 1)...); return err },
		"Read":   func(name string) error { _, err := j.Read(within(t), name, 0, 1); return err },
		"Trim":   func(name string) error { return j.Trim(within(t), name, 1, nil) },
		"Follow": func(name string) error {
			_, _ = j.Append(within(t), name, numbered(1, 1)...) // gives Follow an event to yield
			for _, err := range j.Follow(within(t), name, 0) {
				return err
			}
			return nil
		},
		"Pending": func(name string) error { _, err := j.Pending(within(t), name); return err },
	} {
		wantNames(t, "a stream's name for "+method, 1, call)
	}
	wantNames(t, "a stream's name for Drop", 1, func(name string) error { return j.Drop(within(t), name) })
	mustAppend(t, j, "Name", 1, 1)
	for _, other := range []string{"name", "Name ", " Name", "Nam", "N%", "Nam_"} {
		wantNumbered(t, mustRead(t, j, other, 0, 9), 1, 0)
	}
	for _, after := range []int64{-1, -1 << 62} {
		wantCode(t, "Follow from before the beginning", follow(t, j, "s", after).end(0), sdkapi.ValidationError)
	}
}

// kinds checks the limits of an event's kind. No caller may append a Resync.
func kinds(t *testing.T, b Backend) {
	j := b.Open(t)
	call := func(kind string) error {
		_, err := j.Append(within(t), "s", journal.Event{Kind: kind})
		return err
	}
	wantTexts(t, "a kind", 1, journal.MaxKind, call)
	wantCode(t, "a Resync that is appended", call(journal.Resync), sdkapi.ValidationError)
}

// ofSize returns a JSON text of the given number of bytes, which must be at least 2.
func ofSize(bytes int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", bytes-2) + `"`)
}

// dataSizes checks the largest data of an event and the largest snapshot. A refused call must
// change nothing.
func dataSizes(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 3)
	_, err := j.Append(within(t), "s", journal.Event{Kind: "k", Data: ofSize(journal.MaxData + 1)})
	wantCode(t, "Append of too much", err, sdkapi.ValidationError)
	_, err = j.Append(within(t), "s", journal.Event{Kind: "k", Data: ofSize(journal.MaxData)})
	wantCode(t, "Append of the most", err, "")
	if found := mustRead(t, j, "s", 3, 1); len(found) != 1 || len(found[0].Data) != journal.MaxData {
		t.Error("the longest data is not kept whole")
	}
	wantCode(t, "Trim with too much", j.Trim(within(t), "s", 2, ofSize(journal.MaxValue+1)), sdkapi.ValidationError)
	for _, bad := range []string{`{`, `1 2`, "\"\xff\"", ` `} {
		wantCode(t, "Trim with "+bad, j.Trim(within(t), "s", 2, json.RawMessage(bad)), sdkapi.ValidationError)
	}
	mustTrim(t, j, "s", math.MinInt64, "")
	wantNumbered(t, mustRead(t, j, "s", 0, 3), 1, 3)
	wantCode(t, "Trim with the most", j.Trim(within(t), "s", 2, ofSize(journal.MaxValue)), "")
	if found := mustRead(t, j, "s", 0, 1); len(found) != 1 || len(found[0].Data) != journal.MaxValue {
		t.Error("the longest snapshot is not kept whole")
	}
}

// eventsAtOnce checks the limits of one Append: its number of events, and their bytes of data.
func eventsAtOnce(t *testing.T, b Backend) {
	j := b.Open(t)
	_, err := j.Append(within(t), "s", numbered(1, journal.MaxEvents+1)...)
	wantCode(t, "Append of too many", err, sdkapi.ValidationError)
	large := journal.Event{Kind: "k", Data: ofSize(journal.MaxAppend/4 + 1)}
	_, err = j.Append(within(t), "s", large, large, large, large)
	wantCode(t, "Append of too many bytes", err, sdkapi.ValidationError)
	last, err := j.Append(within(t), "s", numbered(1, journal.MaxEvents)...)
	if err != nil || last != journal.MaxEvents {
		t.Errorf("Append of the most: %d, %v", last, err)
	}
}

// decisionBounds checks the limits of a question's fields, and of the id in each method that takes
// one.
func decisionBounds(t *testing.T, b Backend) {
	j := b.Open(t)
	n := 0
	open := func(change func(d *journal.Decision, text string)) func(text string) error {
		return func(text string) error {
			d := asked(fmt.Sprint("q", n))
			n++
			change(&d, text)
			got, err := j.Open(within(t), d)
			if err == nil && !got.Same(d) {
				t.Errorf("Open made %+v of %+v", got, d)
			}
			return err
		}
	}
	wantNames(t, "an id", 1, open(func(d *journal.Decision, text string) { d.ID = text }))
	wantNames(t, "a stream", 0, open(func(d *journal.Decision, text string) { d.Stream = text }))
	wantNames(t, "a user", 1, open(func(d *journal.Decision, text string) { d.User = text }))
	wantNames(t, "a digest", 1, open(func(d *journal.Decision, text string) { d.Digest = text }))
	wantTexts(t, "a kind", 1, journal.MaxKind, open(func(d *journal.Decision, text string) { d.Kind = text }))
	request := open(func(d *journal.Decision, text string) { d.Request = json.RawMessage(text) })
	for _, good := range []string{``, ` {"a" : 1,"a":2} `, string(ofSize(journal.MaxValue))} {
		wantCode(t, fmt.Sprintf("a request as %.20s", good), request(good), "")
	}
	for _, bad := range []string{`{`, `1 2`, "\"\xff\"", ` `, string(ofSize(journal.MaxValue + 1))} {
		wantCode(t, fmt.Sprintf("a request as %.20s", bad), request(bad), sdkapi.ValidationError)
	}
	wantNames(t, "a listing's stream", 0, func(name string) error {
		_, err := j.List(within(t), journal.Listing{User: "ada", Kind: "k", Stream: name, Limit: 1})
		return err
	})
	wantNames(t, "a prefix of leases", 0, func(prefix string) error { _, err := j.Abandoned(within(t), prefix); return err })
	for what, call := range map[string]func(id string) error{
		"Decide":   func(id string) error { _, err := j.Decide(within(t), id, ada, yes(`1`)); return err },
		"Await":    func(id string) error { _, err := j.Await(within(t), id); return err },
		"Decision": func(id string) error { _, err := j.Decision(within(t), id); return err },
		"Withdraw": func(id string) error { return j.Withdraw(within(t), id) },
	} {
		for _, id := range []string{"", strings.Repeat("i", journal.MaxStreamName+1), "a\x00b", "\xff"} {
			wantCode(t, fmt.Sprintf("%s of %.9q", what, id), call(id), sdkapi.ValidationError)
		}
	}
}

// answerBounds checks the limits of an answer. A refused answer must leave the question pending.
func answerBounds(t *testing.T, b Backend) {
	j := b.Open(t)
	n := 0
	decide := func(a journal.Answer) error {
		id := fmt.Sprint("q", n)
		n++
		opened := mustOpen(t, j, asked(id))
		d, err := j.Decide(within(t), id, ada, a)
		if err != nil {
			wantDecision(t, j, opened)
		} else if !d.Answer.Equal(a) {
			t.Errorf("Decide made %.100v of %.100v", d.Answer, a)
		}
		return err
	}
	wantTexts(t, "a reason", 0, journal.MaxReason, func(text string) error { return decide(journal.Answer{Denied: true, Reason: text}) })
	nested := func(depth int) string { return strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth) }
	for _, good := range []string{``, ` 1 `, string(ofSize(journal.MaxValue)), nested(journal.MaxDepth), `"\u0000\ud83d\ude00"`} {
		wantCode(t, fmt.Sprintf("a value as %.20s", good), decide(yes(good)), "")
	}
	for _, bad := range []string{`{`, `1 2`, `1]`, "\"\xff\"", ` `, string(ofSize(journal.MaxValue + 1)), nested(journal.MaxDepth + 1), `{"a":1,"a":1}`, `"\ud83d"`} {
		wantCode(t, fmt.Sprintf("a value as %.20s", bad), decide(yes(bad)), sdkapi.ValidationError)
	}
}

// largeChecks use events so large that a back end may split them.
var largeChecks = []check{
	{"LargeEvents", largeEvents},
	{"LargeOrNone", largeOrNone},
	{"LargeGone", largeGone},
	{"Pages", pages},
}

// textOfSize returns a JSON text of about the given number of bytes. Nearly every character has two
// bytes, so that a cut is likely to fall inside one.
func textOfSize(bytes int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", bytes%5) + strings.Repeat("é", bytes/2) + `"`)
}

// largeEvents appends events of sizes at which a back end may begin to split them, mixed with small
// ones, and reads them in every way.
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

// wantLarge fails unless got is the complete event want with the number place+1.
func wantLarge(t *testing.T, what string, got journal.Event, place int, want journal.Event) {
	t.Helper()
	if got.Seq != int64(place+1) || got.Kind != want.Kind || !bytes.Equal(got.Data, want.Data) || !json.Valid(got.Data) {
		t.Fatalf("event %d, %s, is %d, %s, of %d bytes; want %s of %d bytes", place+1, what, got.Seq, got.Kind, len(got.Data), want.Kind, len(want.Data))
	}
}

// readAll reads a stream to its end, page by page. It fails if several events of one page have more
// than journal.MaxPage bytes.
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

// largeOrNone makes an Append of large events fail through its last event. The stream must keep
// none of them.
func largeOrNone(t *testing.T, b Backend) {
	j := b.Open(t)
	mustAppend(t, j, "s", 1, 1)
	large := journal.Event{Kind: "k", Data: textOfSize(3 << 20)}
	_, err := j.Append(within(t), "s", large, large, journal.Event{Kind: "k", Data: json.RawMessage(`{`)})
	wantCode(t, "Append of large events and one that is no JSON", err, sdkapi.ValidationError)
	mustAppend(t, j, "s", 2, 2)
	wantNumbered(t, mustRead(t, j, "s", 0, 9), 1, 2)
}

// largeGone trims and drops large events, and checks that numbering continues.
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

// pages checks that Read fills a page up to journal.MaxPage, and that a larger event gets a page of
// its own.
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
