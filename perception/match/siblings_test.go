package match_test

import (
	"image"
	"testing"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/match"
)

// A word that is an entry of a list is meant by it, and not the entries there that begin with it. Everywhere else a row and a
// part of one are alike.
func TestEntriesOfAList(t *testing.T) {
	t.Parallel()
	large := placed("0 0 Save", "0 40 Save my work")
	large[0].Box = image.Rect(0, 0, 60, 30)
	for _, tt := range []struct {
		name string
		rows []perception.Row
		one  string // "": several
	}{
		{"a menu", placed("0 0 Open", "0 30 Save", "0 60 Save As...", "0 90 Save All", "0 120 Close"), "0,30"},
		{"behind the longer one", placed("0 0 Save As...", "0 30 Save"), "0,30"},
		{"another spelling of the longer one", placed("0 0 Save", "0 30 SAVE all"), "0,0"},
		{"with shortcuts", placed("0 0 Save", "200 0 Ctrl+S", "0 30 Save As...", "200 30 Ctrl+Shift+S"), "0,0"},
		{"entries between", placed("0 0 Save", "0 60 Print", "0 120 Export", "0 180 Save all"), "0,0"},
		{"too far below", placed("0 0 Save", "0 65 Save all"), ""},
		{"just near enough", placed("0 0 Save", "0 64 Save all"), "0,0"},
		{"another edge", placed("0 0 Save", "9 30 Save all"), ""},
		{"nearly the same edge", placed("0 0 Save", "8 30 Save all"), "0,0"},
		{"beside", placed("0 0 Save", "90 0 Save all"), ""},
		{"in the middle of the other", placed("0 0 Save", "0 30 Please Save all"), "0,0"},
		{"a sentence", placed("0 0 Save", "0 30 Save all that you have made today"), ""},
		{"nearly a sentence", placed("0 0 Save", "0 30 Save all that you have made"), "0,0"},
		{"larger letters", large, ""},
		{"two of them", placed("0 0 Save", "0 30 Save all", "400 0 Save"), ""},
		{"a part elsewhere", placed("0 0 Save", "0 30 Save all", "400 0 Save this"), ""},
		{"another case than the longer one", placed("0 0 SAVE", "0 30 Save all"), ""},
		{"twice in the longer one", placed("0 0 Save", "0 30 Save and Save"), "0,0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one, rivals := match.NewIndex(tt.rows).Find(query{Text: "Save", Threshold: 0.8}.of()).Resolve()
			got := ""
			if one != nil {
				got = where(*one)
			}
			if got != tt.one || tt.one == "" && len(rivals) < 2 {
				t.Errorf("%q, rivals %s; want %q", got, places(rivals), tt.one)
			}
		})
	}
}
