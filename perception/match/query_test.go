package match_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/match"
	"github.com/windieos/windie/sdkapi"
)

// placed makes rows from lines "x y text", their words ten pixels a letter wide
// and ten pixels apart, sixteen high.
func placed(lines ...string) []perception.Row {
	out := make([]perception.Row, len(lines))
	for i, line := range lines {
		var x, y int
		fields := strings.Fields(line)
		if _, err := fmt.Sscan(fields[0]+" "+fields[1], &x, &y); err != nil {
			panic(err)
		}
		for _, w := range fields[2:] {
			box := image.Rect(x, y, x+10*len(w), y+16)
			out[i].Words = append(out[i].Words, perception.Word{Text: w, Box: box, Confidence: 1})
			out[i].Box = out[i].Box.Union(box)
			x = box.Max.X + 10
		}
		out[i].Text, out[i].ID = strings.Join(fields[2:], " "), fmt.Sprint(i)
	}
	return out
}

// settings is a page whose every line ends far from where it begins.
var settings = placed(
	"20 10 Profile", "600 10 Edit",
	"20 50 Billing", "600 50 Edit",
	"20 90 Billing address", "600 90 Edit",
	"20 200 Danger zone", "20 230 Edit Remove Edit",
)

// shop is a page of two by two cards, each a name, a price and a button.
var shop = placed(
	"20 10 Lamp", "420 10 Chair", "20 160 9.50", "420 160 80.00", "20 200 Buy", "420 200 Buy",
	"20 310 Table", "420 310 Sofa", "20 460 70.00", "420 460 9.50", "20 500 Buy", "420 500 Buy",
)

// where names a match by the left top corner of its box.
func where(m match.Match) string { return fmt.Sprintf("%d,%d", m.Row.Box.Min.X, m.Row.Box.Min.Y) }

func places(matches []match.Match) string {
	all := make([]string, len(matches))
	for i, m := range matches {
		all[i] = where(m)
	}
	return strings.Join(all, " ")
}

// query is a match.Query, written as short as it can be.
type query struct {
	Text       string
	Threshold  float64
	Region     image.Rectangle
	Near       string
	Occurrence int
}

func (q query) of() match.Query {
	n := sdkapi.Narrowing{Near: q.Near, Occurrence: q.Occurrence}
	if r := q.Region; !r.Empty() {
		n.Region = &sdkapi.Region{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
	}
	return match.Query{Text: q.Text, Threshold: q.Threshold, Narrowing: n}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		rows   []perception.Row
		query  query
		one    string // "": none
		rivals string
	}{
		{"several", settings, query{Text: "Edit"}, "", "600,10 600,50 600,90 20,230 140,230"},
		{"one", settings, query{Text: "Profile"}, "20,10", ""},
		{"none", settings, query{Text: "Invoices"}, "", ""},

		{"a region with one", settings, query{Text: "Edit", Region: image.Rect(0, 40, 1000, 80)}, "600,50", ""},
		{"a region with two", settings, query{Text: "Edit", Region: image.Rect(0, 40, 1000, 200)}, "", "600,50 600,90"},
		{"a region that holds the middle", settings, query{Text: "Edit", Region: image.Rect(620, 18, 621, 19)}, "600,10", ""},
		{"a region beside the middle", settings, query{Text: "Edit", Region: image.Rect(600, 10, 620, 26)}, "", ""},
		{"a part in the region, its row's middle out of it", settings, query{Text: "Edit", Region: image.Rect(130, 220, 200, 250)}, "140,230", ""},
		{"the best part out of the region", placed("0 0 Saved it or Savex"), query{Text: "Save", Threshold: 0.6, Region: image.Rect(100, 0, 200, 16)}, "120,0", ""},

		{"at the end of the line of a text", settings, query{Text: "Edit", Near: "Profile"}, "600,10", ""},
		{"in the column of a text", shop, query{Text: "Buy", Near: "Chair"}, "420,200", ""},
		{"in a narrow column", placed("0 0 Lamp", "120 0 Chair", "0 200 Buy", "120 200 Buy"), query{Text: "Buy", Near: "Chair"}, "120,200", ""},
		{"near a text that is there twice", shop, query{Text: "Buy", Near: "9.50"}, "", "20,200 420,500"},
		{"near a text that is no help", shop, query{Text: "Buy", Near: "Buy"}, "", "20,200 420,200 20,500 420,500"},
		{"near a text outside the region", shop, query{Text: "9.50", Near: "Lamp", Region: image.Rect(0, 100, 800, 600)}, "20,160", ""},
		{"near a text that is not there", shop, query{Text: "Buy", Near: "Bed"}, "", ""},
		{"near what one of them holds itself", placed("0 0 Profile", "0 100 Edit profile", "0 200 Edit profile"),
			query{Text: "Edit profile", Near: "Profile"}, "0,100", ""},
		{"one, however far", shop, query{Text: "Sofa", Near: "Lamp"}, "420,310", ""},

		{"half as far again, and farther by the height", placed("0 0 Name", "0 56 Edit", "0 76 Edit"), query{Text: "Edit", Near: "Name"}, "0,56", ""},
		{"not quite half as far again", placed("0 0 Name", "0 56 Edit", "0 75 Edit"), query{Text: "Edit", Near: "Name"}, "", "0,56 0,75"},
		{"farther, not by the height", placed("0 0 Name", "0 16 Edit", "0 31 Edit"), query{Text: "Edit", Near: "Name"}, "", "0,16 0,31"},
		{"farther by the height", placed("0 0 Name", "0 16 Edit", "0 32 Edit"), query{Text: "Edit", Near: "Name"}, "0,16", ""},

		{"the second", settings, query{Text: "Edit", Occurrence: 2}, "600,50", ""},
		{"the last, in a row with another", settings, query{Text: "Edit", Occurrence: 5}, "140,230", ""},
		{"one too many", settings, query{Text: "Edit", Occurrence: 6}, "", "600,10 600,50 600,90 20,230 140,230"},
		{"the first of one", settings, query{Text: "Profile", Occurrence: 1}, "20,10", ""},
		{"the second of one", settings, query{Text: "Profile", Occurrence: 2}, "", "20,10"},
		{"the first of none", settings, query{Text: "Invoices", Occurrence: 1}, "", ""},
		{"in reading order, not by score", placed("0 0 Save as", "0 50 Save"), query{Text: "Save", Occurrence: 1}, "0,0", ""},
		{"the second in a region", settings, query{Text: "Edit", Region: image.Rect(0, 40, 1000, 200), Occurrence: 2}, "600,90", ""},
		{"the second of those near", shop, query{Text: "Buy", Near: "9.50", Occurrence: 2}, "420,500", ""},
		{"the third of two near", shop, query{Text: "Buy", Near: "9.50", Occurrence: 3}, "", "20,200 420,500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.query.Threshold == 0 {
				tt.query.Threshold = 0.8
			}
			found := match.NewIndex(tt.rows).Find(tt.query.of())
			one, rivals := found.Resolve()
			got := ""
			if one != nil {
				got, rivals = where(*one), nil
			}
			if got != tt.one || places(rivals) != tt.rivals {
				t.Errorf("%s: one %q, rivals %q; want %q, %q", tt.name, got, places(rivals), tt.one, tt.rivals)
			}
			if missing := tt.query.Near == "Bed"; found.NearMissing != missing {
				t.Errorf("%s: the text near is missing: %v", tt.name, found.NearMissing)
			}
		})
	}
}

// What is equal is listed by how near it is, what is better before it.
func TestFindSortsByDistance(t *testing.T) {
	t.Parallel()
	rows := placed("0 0 Name", "0 300 Edit", "0 200 Edit", "0 100 edit")
	found := match.NewIndex(rows).Find(query{Text: "Edit", Near: "Name", Threshold: 0.8}.of())
	if got := places(found.Matches()); got != "0,200 0,300 0,100" {
		t.Errorf("got %s", got)
	}
	found = match.NewIndex(rows).Find(query{Text: "Edit", Near: "Names of all", Threshold: 0.8}.of())
	if !found.NearMissing || len(found.NearRanked) != 0 {
		t.Errorf("%+v", found)
	}
	found = match.NewIndex(rows).Find(query{Text: "Edit", Near: "Nome", Threshold: 0.8}.of())
	if !found.NearMissing || places(found.NearRanked) != "0,0" || places(found.Matches()) != "0,300 0,200 0,100" {
		t.Errorf("%+v", found)
	}
}

// Of a text that stands more often than a thousand times, near means the first thousand.
func TestNearIsBounded(t *testing.T) {
	t.Parallel()
	for n, found := range map[int]bool{999: true, 1000: false} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var lines []string
			for range n {
				lines = append(lines, "5000 0 Name")
			}
			lines = append(lines, "0 0 Name", "0 100 Edit", "0 900 Edit")
			if one, rivals := match.NewIndex(placed(lines...)).Find(query{Text: "Edit", Near: "Name", Threshold: 0.8}.of()).Resolve(); (one != nil) != found {
				t.Errorf("%+v, rivals %s", one, places(rivals))
			}
		})
	}
}

func TestDistinguish(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		rows []perception.Row
		text string
		want []match.Distinction
	}{
		{"lines, all in one ninth", settings[:6], "Edit", []match.Distinction{
			{Occurrence: 1, RightOf: "Profile"}, {Occurrence: 2, RightOf: "Billing"}, {Occurrence: 3, RightOf: "Billing address"},
		}},
		{"cards", shop, "Buy", []match.Distinction{
			{Occurrence: 1, Position: "left", Below: "9.50", Above: "Table"},
			{Occurrence: 2, Position: "center", Below: "80.00", Above: "Sofa"},
			{Occurrence: 3, Position: "bottom left", Below: "70.00"},
			{Occurrence: 4, Position: "bottom", Below: "9.50"},
		}},
		{"in one row", placed("0 0 Edit Remove Edit now"), "Edit", []match.Distinction{
			{Occurrence: 1, LeftOf: "Remove Edit now"},
			{Occurrence: 2, RightOf: "Edit Remove", LeftOf: "now"},
		}},
		{"words of the row before those of others", placed("0 0 Edit now", "300 0 Later", "0 40 Edit then", "300 40 Later"), "Edit", []match.Distinction{
			{Occurrence: 1, LeftOf: "now"}, {Occurrence: 2, LeftOf: "then"},
		}},
		{"nothing about", placed("0 0 Save", "0 20 Save"), "Save", []match.Distinction{{Occurrence: 1}, {Occurrence: 2}}},
		{"by score, told in reading order", placed("0 0 Save as", "100 20 Save"), "Save", []match.Distinction{{Occurrence: 2}, {Occurrence: 1, LeftOf: "as"}}},
		{"none", settings, "Invoices", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			scene := &perception.Scene{Header: perception.Header{Width: 800, Height: 600}, Rows: tt.rows}
			_, rivals := match.NewIndex(tt.rows).Find(query{Text: tt.text, Threshold: 0.8}.of()).Resolve()
			got := match.Distinguish(scene, rivals, 10)
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", tt.want) {
				t.Errorf("%s:\ngot  %+v\nwant %+v", tt.name, got, tt.want)
			}
			if few := match.Distinguish(scene, rivals, 1); len(few) > 1 || len(few) == 1 && few[0].Occurrence != got[0].Occurrence {
				t.Errorf("%s, one of them: %+v", tt.name, few)
			}
		})
	}
}

// One match is meant, out of those that can be, or no match; and the occurrence
// that distinguishes a rival means that rival.
func FuzzFind(f *testing.F) {
	f.Add("Edit", "Billing", uint8(2), int8(0), int8(0), uint8(200), uint8(90))
	f.Add("Edit", "Edit", uint8(0), int8(0), int8(0), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, text, near string, occurrence uint8, x, y int8, width, height uint8) {
		if len(text)+len(near) > 200 {
			return
		}
		region := image.Rect(4*int(x), int(y), 4*(int(x)+int(width)), int(y)+int(height))
		q := query{Text: text, Threshold: 0.8, Region: region, Near: near, Occurrence: int(occurrence)}
		found := match.NewIndex(settings).Find(q.of())
		for _, m := range found.Ranked {
			if !region.Empty() && !geo.Center(m.Row.Box).In(region) {
				t.Errorf("%v lies outside %v", m.Row.Box, region)
			}
		}
		one, rivals := found.Resolve()
		switch {
		case one != nil && (one.Score < q.Threshold || found.NearMissing || rivals != nil):
			t.Errorf("%+v is meant, of %+v", one, rivals)
		case one == nil && occurrence == 0 && len(rivals) == 1, one == nil && occurrence > 0 && len(rivals) >= int(occurrence):
			t.Errorf("none is meant of %+v", rivals)
		case len(rivals) > len(found.Matches()):
			t.Errorf("%d rivals of %d matches", len(rivals), len(found.Matches()))
		}
		scene := &perception.Scene{Header: perception.Header{Width: 700, Height: 300}, Rows: settings}
		for i, d := range match.Distinguish(scene, rivals, 100) {
			q.Occurrence = d.Occurrence
			if again, _ := match.NewIndex(settings).Find(q.of()).Resolve(); again == nil || where(*again) != where(rivals[i]) {
				t.Errorf("occurrence %d means %+v, want %+v", d.Occurrence, again, rivals[i])
			}
		}
	})
}
