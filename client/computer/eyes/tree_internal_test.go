package eyes

import (
	"image"
	"slices"
	"testing"

	"github.com/windieos/windie/client/computer/access"
)

func TestScaleOf(t *testing.T) {
	t.Parallel()
	screen := image.Rect(100, 130, 700, 630)
	for name, tt := range map[string]struct {
		program image.Rectangle
		want    int
	}{
		"the same":          {screen, 1},
		"with a frame":      {image.Rect(99, 107, 701, 631), 1},
		"twice as fine":     {image.Rect(50, 65, 350, 315), 2},
		"three times":       {image.Rect(33, 43, 233, 210), 3},
		"somewhere else":    {screen.Add(image.Pt(200, 0)), 0},
		"of another size":   {image.Rect(100, 130, 400, 630), 0},
		"nowhere in effect": {image.Rectangle{}, 0},
	} {
		if got := scaleOf(tt.program, screen); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

// A name is the whole label: nothing that is longer or shorter is taken for it.
func TestLabelled(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"Delete": true, "delete": true, "Delete...": true, "Delete…": true, "Delete:": true, "Delete all": false, "Don't delete": false, "Del": false, "": false} {
		if got := labelled(thing{Node: access.Node{Name: name}}, "Delete"); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// A window whose labels stand elsewhere than its program says is believed only where a label agrees.
func TestRegistered(t *testing.T) {
	t.Parallel()
	at := func(name string, role access.Role, x, y int) thing {
		return thing{Node: access.Node{ID: access.ID(name), Name: name, Role: role, Rect: image.Rect(x, y, x+60, y+20)}}
	}
	label := func(x, y int) []image.Rectangle { return []image.Rectangle{image.Rect(x+10, y+4, x+50, y+16)} }
	labels := map[string][]image.Rectangle{"open": label(0, 0), "save": label(100, 0), "cut": label(200, 0), "far": label(0, 300), "near": label(100, 300)}
	names := func(list []thing) (all []string) {
		for _, t := range list {
			all = append(all, t.Name)
		}
		return all
	}
	good := []thing{at("Open", access.Button, 0, 0), at("Save", access.Button, 100, 0), at("Cut", access.Button, 200, 0), at("Icon", access.Button, 300, 0), at("Far", access.Field, 100, 310)}
	if got, poor := registered(good, labels, nil); len(got) != 5 || poor[0] {
		t.Errorf("all agree: %v", names(got))
	}
	bad := append(slices.Clone(good), at("Near", access.Button, 100, 250))
	if got, poor := registered(bad, labels, nil); !slices.Equal(names(got), []string{"Open", "Save", "Cut"}) || !poor[0] {
		t.Errorf("one of four is elsewhere: %v", names(got))
	}
	double := append(slices.Clone(good), at("Open", access.Button, 8, 5))
	double[5].ID = "another"
	if got, _ := registered(double, labels, nil); len(got) != 5 || got[0].ID != "Open" {
		t.Errorf("a double: %v", names(got))
	}
}

// Things that are all too high by the same distance are moved to what is seen, but not those whose label is on them.
func TestShifts(t *testing.T) {
	t.Parallel()
	var list []thing
	var seen []image.Rectangle
	for i := range 6 {
		box := image.Rect(40*i, 60, 40*i+30, 90)
		list = append(list, thing{Node: access.Node{Role: access.Button, Rect: box}})
		seen = append(seen, box.Add(image.Pt(1, 25)))
	}
	list = append(list, thing{Node: access.Node{Role: access.Menu, Name: "File", Rect: image.Rect(0, 0, 40, 20)}})
	labels := map[string][]image.Rectangle{"file": {image.Rect(5, 5, 30, 15)}}
	down, fits := shiftsOf(list, labels, seen)
	shift(list, labels, down)
	if down[0] != 25 || !fits[0] || list[0].Rect.Min.Y != 85 || list[6].Rect.Min.Y != 0 {
		t.Errorf("%v, %v, %v", down, list[0].Rect, list[6].Rect)
	}
	if down, fits := shiftsOf(list, labels, seen); down[0] != 0 || !fits[0] {
		t.Errorf("where they are: %v", down)
	}
	if down, fits := shiftsOf(list[:4], labels, seen); down[0] != 0 || fits[0] {
		t.Errorf("few things: %v", down)
	}
}

// A text names the control to its right.
func TestLabelOfAControl(t *testing.T) {
	t.Parallel()
	at := func(name string, role access.Role, x, y int) thing {
		return thing{Node: access.Node{ID: access.ID(name), Name: name, Role: role, Rect: image.Rect(x, y, x+60, y+20)}}
	}
	l := &look{things: []thing{at("Width", access.Text, 0, 0), at("button", access.Button, 70, 0), at("field", access.Field, 140, 0), at("second", access.Field, 210, 0), at("other", access.Field, 140, 40)}}
	seen := placeOf(image.Pt(30, 10), image.Rect(0, 0, 60, 20), "the text")
	if got, ok := l.labelled(seen, 0); !ok || got.Name != "field" {
		t.Errorf("a text that only the eyes see: %v, %v", got.Name, ok)
	}
	if got, ok := l.labelled(placeOfThing(l.things[0]), 0); !ok || got.Name != "field" {
		t.Errorf("a text that the program names: %v, %v", got.Name, ok)
	}
	for _, p := range []place{placeOfThing(l.things[2]), placeOf(image.Pt(30, 210), image.Rect(0, 200, 60, 220), "another row")} {
		if got, ok := l.labelled(p, 0); ok {
			t.Errorf("%s: %v", p.what, got.Name)
		}
	}
	if got, ok := l.labelled(seen, 7); ok {
		t.Errorf("a control of another window: %v", got.Name)
	}
}

// What a look has missed, because a program was too slow, has neither appeared nor vanished.
func TestCutLooksChangeNothing(t *testing.T) {
	t.Parallel()
	thingOf := func(name string) thing {
		return thing{Node: access.Node{ID: access.ID(name), Name: name, Role: access.Button}}
	}
	whole := &look{things: []thing{thingOf("a"), thingOf("b")}}
	part := &look{things: []thing{thingOf("a")}}
	var c changes
	c.addThings(whole, part)
	c.addThings(part, whole)
	if len(c.Vanished) != 1 || len(c.Appeared) != 1 {
		t.Errorf("whole looks: %+v", c)
	}
	part.cut = map[uint32]bool{0: true}
	c = changes{}
	c.addThings(whole, part)
	c.addThings(part, whole)
	if len(c.Vanished)+len(c.Appeared)+len(c.Changed) != 0 {
		t.Errorf("one is cut: %+v", c)
	}
}
