package match_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
)

// rows makes a row of each text, its words ten pixels a letter wide.
func rows(texts ...string) []perception.Row {
	out := make([]perception.Row, len(texts))
	for i, text := range texts {
		x := 0
		for _, w := range strings.Fields(text) {
			box := image.Rect(x, 20*i, x+10*len(w), 20*i+16)
			out[i].Words = append(out[i].Words, perception.Word{Text: w, Box: box, Confidence: 1})
			out[i].Box = out[i].Box.Union(box)
			x = box.Max.X + 10
		}
		out[i].Text, out[i].ID = text, fmt.Sprint(i)
	}
	return out
}

func TestTiers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query, text string
		tier        match.Tier
		score       float64 // 0: no match at all
	}{
		{"Save", "Save", match.Exact, 1},
		{" Save  as ", "Save as", match.Exact, 1},
		{"save", "SAVE", match.CaseFolded, 0.99},
		{"größe", "GRÖSSE", match.Confusable, 0.97},
		{"Größe", "größe", match.CaseFolded, 0.99},
		{"Launch installer", "Launchinstaller", match.SpaceFree, 0.98},
		{"Login", "Log in", match.SpaceFree, 0.98},
		{"Invoice 1001", "lnvoice lOOl", match.Confusable, 0.97},
		{"modern", "modem", match.Confusable, 0.97},
		{"Don’t save", "Don't save", match.Confusable, 0.97},
		{"A – B", "A - B", match.Confusable, 0.97},
		{"⌃X Exit", "^X Exit", match.Confusable, 0.97},
		{"ﬁle", "file", match.Exact, 1},
		{"Save", "Safe", match.Fuzzy, 0.66},
		{"kitten", "sitten", match.Fuzzy, 0.7},
		{"cart", "Add to cart", match.Exact, 0.98},
		{"add to", "Add to cart", match.CaseFolded, 0.97},
		{"dd to car", "Add to cart", match.Fuzzy, (0.96*7/9 + 0.6) / 2},
		{"in", "Settings", 0, 0},
		{"in", "Log in", match.Exact, 0.98},
		{"in", "on", match.Fuzzy, 0},
		{"cut", "cat", match.Fuzzy, 0.6},
		{"Go to", "Go to...", match.Fuzzy, 0.884},
		{"Find", "Find…", match.Fuzzy, 0.884},
		{"Find …", "Find ...", match.Exact, 1},
		{"Find", "Find.. ", match.Fuzzy, 0.884},
		{"Cc", "Cc:", match.Fuzzy, 0.85},
		{"Cc:", "Cc", match.Fuzzy, 0.85},
		{"cc", "Add Cc: now", match.Fuzzy, 0.83},
		{"42", "$42", match.Fuzzy, 0.85},
		{"42", "-42", match.Fuzzy, 0.6},
		{"C++", "C+", match.Fuzzy, 0.6},
		{"Al", "Ai", match.Fuzzy, 0.6},
		{"cut", "cat:", 0, 0},
		{"17 {", "17", match.Fuzzy, 0.6},
		{"17", "17 {", match.Exact, 0.98},
		{"zebra", "Add to cart", 0, 0},
		{"Save", "", 0, 0},
		{"", "Save", 0, 0},
		{" ", "Save", 0, 0},
	} {
		t.Run(fmt.Sprint(tt.query, " ", tt.text), func(t *testing.T) {
			ranked := match.NewIndex(rows(tt.text)).Rank(tt.query)
			if len(ranked) == 0 {
				if tt.score != 0 {
					t.Errorf("%q in %q: no match", tt.query, tt.text)
				}
				return
			}
			if m := ranked[0]; m.Tier != tt.tier || math.Abs(m.Score-tt.score) > 0.005 {
				t.Errorf("%q in %q: tier %d, score %.3f, want %d, %.3f", tt.query, tt.text, m.Tier, m.Score, tt.tier, tt.score)
			}
		})
	}
}

// A query that is part of a row matches those words, with their box.
func TestPartHasItsOwnBox(t *testing.T) {
	t.Parallel()
	row := rows("Home Products About us")
	m := match.NewIndex(row).Rank("about us")[0]
	if m.Row.Text != "About us" || m.Row.Box != image.Rect(140, 0, 220, 16) || len(m.Row.Words) != 2 || m.Index != 0 {
		t.Errorf("%+v", m)
	}
	scene := &perception.Scene{Rows: row}
	if again, index, ok := scene.Find(m.Row.ID); !ok || index != 0 || again.Box != m.Row.Box || m.Row.ID == row[0].ID {
		t.Errorf("found again as %+v, %v", again, ok)
	}
}

func TestQueryTwiceInARow(t *testing.T) {
	t.Parallel()
	ranked := match.NewIndex(rows("Edit Remove Edit", "Editor")).Rank("Edit")
	if len(ranked) != 3 || ranked[0].Row.Box.Min.X != 0 || ranked[1].Row.Box.Min.X != 120 || ranked[2].Index != 1 {
		t.Errorf("%+v", ranked)
	}
	ranked = match.NewIndex(rows("no no no no no")).Rank("no no") // none across another
	if len(ranked) != 2 || ranked[0].Row.Box.Min.X != 0 || ranked[1].Row.Box.Min.X != 60 {
		t.Errorf("%+v", ranked)
	}
}

// The order is by score, tier and place, the same each time.
func TestRankOrder(t *testing.T) {
	t.Parallel()
	list := rows("homes", "HOME", "Go home now", "home", "h0me", "Home", "unrelated")
	for range 10 {
		var got []string
		for _, m := range match.NewIndex(list).Rank("home") {
			got = append(got, m.Row.Text)
		}
		if want := "home|HOME|Home|home|h0me|homes"; strings.Join(got, "|") != want {
			t.Fatalf("got %s, want %s", strings.Join(got, "|"), want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		rows   []perception.Row
		one    string // empty: none
		rivals int
	}{
		{"one", rows("Save", "Open", "Close"), "Save", 0},
		{"two alike", rows("Save", "Open", "save"), "", 2},
		{"a row and words of a row", rows("Save", "You may Save what you have made today"), "", 2},
		{"one clearly better", rows("Save", "Saved"), "Save", 0},
		{"none", rows("Open", "Close"), "", 0},
		{"no rows", nil, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one, rivals := match.NewIndex(tt.rows).Find(match.Query{Text: "Save", Threshold: 0.8}).Resolve()
			if (one == nil) != (tt.one == "") || one != nil && one.Row.Text != tt.one || len(rivals) != tt.rivals {
				t.Errorf("%s: %+v, %d rivals", tt.name, one, len(rivals))
			}
		})
	}
}

func FuzzRank(f *testing.F) {
	f.Add("Save as", "Save", "as")
	f.Add("\xff", "é", "rn1|0")
	f.Fuzz(func(t *testing.T, query, a, b string) {
		if len(query)+len(a)+len(b) > 1000 {
			return
		}
		list := rows(a, b, a+" "+b)
		last := 2.0
		for _, m := range match.NewIndex(list).Rank(query) {
			if m.Score < 0.55 || m.Score > 1 || m.Score > last {
				t.Errorf("score %v after %v", m.Score, last)
			}
			last = m.Score
			if len(m.Row.Words) == 0 || !m.Row.Box.In(list[m.Index].Box) {
				t.Errorf("%+v is no part of row %d", m.Row, m.Index)
			}
		}
		if own := match.NewIndex(rows(a)).Rank(a); strings.TrimSpace(a) != "" && len(own) > 0 && own[0].Tier == match.Fuzzy {
			t.Errorf("%q is not equal to itself", a)
		}
	})
}

func Example() {
	screen := rows("File", "Save as…", "Open")
	for _, m := range match.NewIndex(screen).Rank("save as...") {
		fmt.Printf("%.2f %s\n", m.Score, m.Row.Text)
	}
	// Output:
	// 0.99 Save as…
}

// A screen of 1,000 rows, each of a few words that occur again and again.
func BenchmarkRank(b *testing.B) {
	words := strings.Fields("File Edit View Insert Format Tools Window Help Save Open Close Print Settings Account Invoice Total Price " +
		"Quantity Order Customer Search results Sort by date Next Previous page Add to cart Check out Remove Log in")
	source := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 1000)
	for i := range texts {
		for range 1 + source.IntN(6) {
			texts[i] += words[source.IntN(len(words))] + " "
		}
		texts[i] += fmt.Sprint(i)
	}
	list := rows(texts...)
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			match.NewIndex(list)
		}
	})
	index := match.NewIndex(list)
	for _, query := range []string{
		"Sort results by price", "Check out", "in", "zebra",
		"Search results by date Next page", "Quantity Price Total Invoice 1001 Customer Account",
	} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				index.Rank(query)
			}
		})
	}
}

// A screen of 1,000 rows that are all hardly different from the query.
func BenchmarkRankAlike(b *testing.B) {
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = fmt.Sprintf("Order number %d of today", 1000+i)
	}
	index := match.NewIndex(rows(texts...))
	for _, query := range []string{"Order number", "Order number 1500x of", "Order number 1500 of today"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				index.Rank(query)
			}
		})
	}
}
