package describe_test

import (
	"flag"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/describe"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/reader"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write what screens are described as to testdata")

// screen reads one of our screens.
func screen(t testing.TB, name string) *elements.Screen {
	t.Helper()
	data, err := os.ReadFile("../testdata/screens/" + name + ".png")
	if err != nil {
		t.Fatal(err)
	}
	scenes := perception.NewScenes(reader.New(reader.Config{}), perception.Options{})
	s, err := elements.NewScreens(scenes).Screen(t.Context(), perception.SourceOf(data))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestProseOfScreens compares the descriptions of real screens with testdata, which people have
// read. After a change of the elements that are found, -update writes the descriptions again, and
// people must read them again.
func TestProseOfScreens(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dialog", "mail", "table", "settings"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.ReplaceAll(describe.Describe(screen(t, name)).Prose, ". ", ".\n") + "\n"
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("it is told as\n%s\nand should be\n%s", got, want)
			}
		})
	}
}

// TestScreens checks facts that the descriptions of real screens must state, in any words.
func TestScreens(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"dialog":      {"A light page, 1000 x 660", `The dialog "Delete four backups?" is open over the page`, `"Cancel" and "Delete backups" (red)`},
		"mail":        {`the search box "Search mail"`, `"Plot 14: water meter and new padlock"`, `"Corner Cycles" (checked)`, "archive, trash, flag, tag and print", "A list of 8"},
		"table":       {`A table of 16 rows and 9 columns`, `"NUMBER", "CUSTOMER", "DESTINATION"`, `"Create shipment" (green)`, "At the bottom a bar"},
		"editor-dark": {"A dark page", `"File", "Edit", "Selection"`, "At the left a column"},
		"dashboard":   {"home, users, bar chart, mail, calendar, settings", `A table of`, `"Add person" (teal)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prose := describe.Describe(screen(t, name)).Prose
			for _, w := range want {
				if !strings.Contains(prose, w) {
					t.Errorf("%q is not in %s", w, prose)
				}
			}
		})
	}
}

// TestRegionsHoldWhatIsInThem checks for any screen that each element is in a region that contains
// it, and that a second description is equal.
func TestRegionsHoldWhatIsInThem(t *testing.T) {
	t.Parallel()
	s := screen(t, "dashboard")
	d := describe.Describe(s)
	in := func(what string, box image.Rectangle, region int) {
		if region >= len(d.Regions) || region >= 0 && !geo.Center(box).In(d.Regions[region].Box) {
			t.Errorf("%s at %v is not in region %d", what, box, region)
		}
	}
	for i, r := range d.Regions {
		in(string(r.Kind), r.Box, r.Parent)
		if r.Parent >= i {
			t.Errorf("region %d is before what it is in", i)
		}
	}
	for _, c := range d.Controls {
		in(c.Label, c.Box, c.Region)
		if !c.Point.In(c.Box) || s.Elements[c.Element].Box != c.Box {
			t.Errorf("%s %q at %v is clicked at %v", c.Role, c.Label, c.Box, c.Point)
		}
	}
	for _, l := range d.Text {
		in(l.Text, l.Box, l.Region)
	}
	if again := describe.Describe(s).Prose; again != d.Prose {
		t.Errorf("first %s\nthen %s", d.Prose, again)
	}
}

func BenchmarkDescribe(b *testing.B) {
	s := screen(b, "table")
	b.ReportMetric(float64(len(s.Elements)), "elements")
	for b.Loop() {
		describe.Describe(s)
	}
}
