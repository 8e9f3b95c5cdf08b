// Package eyes acts on the user's screen by its texts and elements: see, click on a text, type into
// a field, wait for a text.
//
//	e := eyes.New(screen.Open(""), query.New(scenes, nil))
//	defer e.Close()
//	tools := e.Tools()
//
// The tools read the screen in this process, with the rules that the gateway uses for screenshots. What
// programs say of their own elements counts more, if the desktop has an accessibility bus: their roles,
// labels and states are exact.
// Each action captures the screen and finds its target there. Before a click, it checks that the
// place still looks the same. Each action returns the changes on the screen. A mark is the number
// of an element in the last result of screen.see.
package eyes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/access"
	"github.com/windieos/windie/client/computer/screen"
	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/geo"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
)

// Limits of lists.
const (
	MaxListed  = 300 // maximum number of elements in one result of screen.see
	maxChanges = 40  // changes of each kind in an action's result
)

// Times of an action.
const (
	// how long the screen must stay unchanged after an action, before the next look
	calm      = 120 * time.Millisecond
	calmLimit = 1500 * time.Millisecond

	firstChange = time.Second // how long a program may take to draw anything
	again       = 3           // maximum searches for a target whose place keeps changing
	around      = 12          // pixels around a target that must not change before the click
)

// Eyes sees a screen and acts on it. Its methods are safe for concurrent use; actions run one at a
// time.
type Eyes struct {
	screen *screen.Screen
	finder *query.Finder

	patience access.Options // of a look at the tree

	mu      sync.Mutex
	last    *look          // the last result of screen.see; nil before
	tree    *access.Tree   // of the screen's programs; nil before its first use
	noTree  time.Time      // until then the tree is not asked again
	numbers map[string]int // numbers of things and elements in results of screen.see
}

// New returns eyes for a screen. finder finds texts and elements on the screen. The caller closes the eyes.
func New(s *screen.Screen, finder *query.Finder) *Eyes {
	return &Eyes{screen: s, finder: finder, numbers: map[string]int{}}
}

// Close ends the connection to the accessibility bus.
func (e *Eyes) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tree != nil {
		e.tree.Close()
	}
}

// look is the screen at one moment.
type look struct {
	frame *x11.Frame
	png   []byte
	marks []sdkapi.Element
	took  took // times up to its use

	known  bool                 // things and tables are set
	things []thing              // what the programs say of the elements in sight
	shifts map[uint32]int       // by how many pixels the things of windows were moved down
	poor   map[uint32]bool      // windows whose programs say wrong places
	cut    map[uint32]bool      // windows of which some things are missing
	tables []thing              // tables and sheets in sight
	named  map[string]access.ID // the thing of a mark
	titles map[string]string    // the heading under which a mark is listed
	texts  map[string]string    // the text in the thing of a mark
}

// capture captures the screen.
func (e *Eyes) capture(d *x11.Display) (*look, error) {
	began := time.Now()
	frame, err := d.Capture(image.Rectangle{})
	if err != nil {
		return nil, agent.Failf("%v", err)
	}
	l := &look{frame: frame, png: frame.PNG()}
	lap(&l.took.Look, &began)
	return l, nil
}

// pictures are the images of a query: the screen now, and the screen before.
type pictures struct {
	now, before []byte
	drawn       []byte // the drawn overlay
}

// The names of pictures in queries.
const (
	now    = "now"
	before = "before"
)

// Image implements query.Images.
func (p *pictures) Image(_ context.Context, in sdkapi.ImageSource) (query.Image, error) {
	data := p.now
	if in.ArtifactID == before {
		data = p.before
	}
	return query.Image{Source: perception.SourceOf(data), Info: sdkapi.ImageInfo{SourceID: in.ArtifactID}}, nil
}

// Keep implements query.Images.
func (p *pictures) Keep(_ context.Context, picture io.Reader) (sdkapi.Artifact, error) {
	var err error
	p.drawn, err = io.ReadAll(picture)
	return sdkapi.Artifact{}, err
}

// ask returns the query interface for a look.
func (e *Eyes) ask(l *look) query.Screens {
	return query.Screens{Finder: e.finder, Images: &pictures{now: l.png}, LookAgain: true}
}

var theScreen = sdkapi.ImageSource{ArtifactID: now}

// Target says where on the screen to act. There are four ways to give the place.
type Target struct {
	Text       string `json:"text,omitempty" maxLength:"500" doc:"Where to act: text on the screen. Prefer this argument if the element has text."`
	Occurrence int    `json:"occurrence,omitempty" minimum:"1" maximum:"10000" doc:"Which match of the text to use, in reading order from 1, if the text has several matches."`
	Near       string `json:"near,omitempty" maxLength:"500" doc:"A second text on the screen. If the first text has several matches, the match nearest to this second text is used."`
	Mark       *int   `json:"mark,omitempty" minimum:"0" doc:"Where to act: the number of an element in the last answer of screen_see."`
	Target     string `json:"target,omitempty" maxLength:"500" doc:"Where to act: a description of the element, for example \"the orange search button\", \"checkbox Wrap text\", \"the second slider\" or \"cell B7\". If \"text\" has several matches or none, the description decides."`
	X          *int   `json:"x,omitempty" minimum:"0" doc:"Where to act: pixels from the left edge of the screen. Set both x and y."`
	Y          *int   `json:"y,omitempty" minimum:"0"`

	found *place // what a sentence names
}

// place is a target's place.
type place struct {
	at   image.Point
	box  image.Rectangle // must not change before the click
	what string          // the element, and the requested text if that differs

	thing *thing // what the program says of it; nil if only the eyes see it
}

// String returns the place for a model.
func (p place) String() string { return fmt.Sprintf("%s at %d,%d", p.what, p.at.X, p.at.Y) }

// Window selects the target window of an action by its title.
type Window struct {
	Window string `json:"window,omitempty" maxLength:"500" doc:"Part of the title of the target window. The action fails if it would reach another window."`
}

// of returns the named window, or the zero value if none is named.
func (w Window) of(d *x11.Display) (x11.Window, error) {
	if w.Window == "" {
		return x11.Window{}, nil
	}
	return screen.Titled(d, w.Window)
}

// given reports whether a target is named.
func (t Target) given() bool {
	return t.Text != "" || t.Mark != nil || t.Target != "" || t.X != nil || t.Y != nil || t.found != nil
}

// find finds a target on a look, inside region unless that is nil. It returns the same errors as the
// gateway's routes, with the candidates.
func (e *Eyes) find(ctx context.Context, l *look, t Target, region *sdkapi.Region) (place, error) {
	if t.Mark != nil {
		return e.marked(l, *t.Mark)
	}
	if t.found != nil {
		return l.again(*t.found)
	}
	if p, ok, err := e.byTree(ctx, l, t, region); ok || err != nil {
		return p, err
	}
	switch {
	case t.Text != "":
		got, err := e.ask(l).ResolveCommand(ctx, &sdkapi.OCRTextRequest{
			Image: theScreen, Text: t.Text, Narrowing: sdkapi.Narrowing{Near: t.Near, Occurrence: t.Occurrence, Region: region},
		})
		switch code := fault.CodeOf(err); {
		case code == sdkapi.AmbiguousMatch && t.Target != "":
			return e.described(ctx, l, t, region, err)
		case code == sdkapi.TextNotFound && t.Target != "":
			return e.find(ctx, l, Target{Target: t.Target}, region)
		}
		if err != nil {
			return place{}, err
		}
		return placeOf(image.Pt(got.Match.Center.X, got.Match.Center.Y), got.Match.BBox.Rect(), hit("text", got.Match.Text, t.Text, got.Match.Score)), nil
	case t.Target != "":
		got, err := e.ask(l).Locate(ctx, &sdkapi.VisionLocateRequest{Image: theScreen, Description: t.Target, Region: region})
		if err != nil {
			return place{}, err
		}
		kind := "text"
		if got.Match.Element != nil {
			kind = got.Match.Element.Role
		}
		return placeOf(image.Pt(got.Point.X, got.Point.Y), got.Match.BBox.Rect(), hit(kind, got.Match.Text, t.Target, got.Match.Score)), nil
	case t.X != nil && t.Y != nil:
		at := image.Pt(*t.X, *t.Y)
		return placeOf(at, image.Rectangle{}, "a point"), nil
	}
	return place{}, agent.Failf("name the place by text, mark, target, or x and y")
}

// beside is how far a described element may be from a text, in pixels: a button has its text in its
// middle.
const beside = 24

// described chooses among several places with the same text: the place nearest to the element that
// matches the description. If no place is near enough, it returns several, the error for several
// matches.
func (e *Eyes) described(ctx context.Context, l *look, t Target, region *sdkapi.Region, several error) (place, error) {
	got, err := e.ask(l).Locate(ctx, &sdkapi.VisionLocateRequest{Image: theScreen, Description: t.Target, Region: region})
	if err != nil {
		return place{}, several
	}
	far := func(t sdkapi.Target) int {
		at := image.Pt(t.Center.X-got.Point.X, t.Center.Y-got.Point.Y)
		return at.X*at.X + at.Y*at.Y
	}
	c := slices.MinFunc(fault.From(several).Details.ResolverPayload.Candidates, func(a, b sdkapi.Target) int { return cmp.Compare(far(a), far(b)) })
	if far(c) > beside*beside {
		return place{}, several
	}
	return placeOf(image.Pt(c.Center.X, c.Center.Y), c.BBox.Rect(), hit("text", c.Text, t.Text, c.Score)), nil
}

// hit describes a found target, with the requested text and the score of the match.
func hit(kind, label, asked string, score *float64) string {
	found := strings.TrimSpace("the " + kind + " " + quoted(label))
	if score == nil || strings.EqualFold(label, asked) {
		return found
	}
	return fmt.Sprintf("%s (for %q, score %.2f)", found, asked, *score)
}

// placeOf returns a place to act on. Its box has a margin of around pixels on each side.
func placeOf(at image.Point, box image.Rectangle, what string) place {
	return place{at: at, box: box.Union(image.Rect(at.X, at.Y, at.X+1, at.Y+1)).Inset(-around), what: what}
}

// marked finds an element of the last screen.see. A thing of a program may have moved since; what only the eyes
// see must look the same.
func (e *Eyes) marked(l *look, mark int) (place, error) {
	if e.last == nil {
		return place{}, agent.Failf("there are no marks; call screen_see first")
	}
	id := fmt.Sprint(mark)
	if node := e.last.named[id]; node != "" {
		for _, t := range l.things {
			if t.ID == node {
				return placeOfThing(t), nil
			}
		}
		return place{}, agent.Failf("the element %d is no longer in sight; call screen_see again", mark)
	}
	for _, m := range e.last.marks {
		if m.ID != id {
			continue
		}
		box := m.BBox.Rect()
		if !l.frame.Part(box).Equal(e.last.frame.Part(box)) {
			return place{}, agent.Failf("the element %d has changed since screen_see; call screen_see again", mark)
		}
		return placeOf(geo.Center(box), box, strings.TrimSpace(m.Role+" "+quoted(m.Label))), nil
	}
	return place{}, agent.Failf("the last answer of screen_see has no mark %d; call screen_see again", mark)
}

// again returns a place that was found on a look before. A thing of a program may have moved since.
func (l *look) again(p place) (place, error) {
	if p.thing == nil {
		return p, nil
	}
	i := slices.IndexFunc(l.things, func(t thing) bool { return t.ID == p.thing.ID })
	if i < 0 {
		return place{}, agent.Failf("%s is no longer in sight", p.what)
	}
	return placeOfThing(l.things[i]), nil
}

// placeOfThing returns the place of a thing.
func placeOfThing(t thing) place {
	p := placeOf(t.point(), t.Rect, "the "+strings.TrimSpace(string(t.Role)+" "+quoted(t.Name)))
	p.thing = &t
	return p
}

// quoted returns a label in quotes, or "" if the label is empty.
func quoted(label string) string {
	if label == "" {
		return ""
	}
	return fmt.Sprintf("%q", label)
}

// sure finds a target, and looks again if its place changes meanwhile. If a window is named, the
// target must be in it.
func (e *Eyes) sure(ctx context.Context, d *x11.Display, t Target, in Window) (place, *look, error) {
	return e.within(ctx, d, t, in, nil)
}

// within is sure in a part of the screen, unless that is nil.
func (e *Eyes) within(ctx context.Context, d *x11.Display, t Target, in Window, part *sdkapi.Region) (place, *look, error) {
	w, err := in.of(d)
	if err != nil {
		return place{}, nil, err
	}
	if part == nil {
		part = regionOf(w)
	}
	for range again {
		l, err := e.capture(d)
		if err != nil {
			return place{}, nil, err
		}
		began := time.Now()
		if t.Mark != nil || t.Text != "" || t.Target != "" || t.found != nil {
			e.know(ctx, d, l)
		}
		p, err := e.find(ctx, l, t, part)
		lap(&l.took.Find, &began)
		if err != nil {
			return p, l, agent.WithCandidates(err)
		}
		if err := e.reaches(d, w, p); err != nil {
			return p, l, err
		}
		still, err := d.Capture(p.box)
		lap(&l.took.Check, &began)
		if err != nil {
			return p, l, agent.Failf("%v", err)
		}
		if still.Equal(l.frame.Part(p.box)) {
			return p, l, nil
		}
	}
	return place{}, nil, agent.Failf("the place keeps changing; nothing was done. Wait until the screen is calm")
}

// reaches fails if another window than the named one is at a place, or if something covers a thing. A menu is in
// no list of windows.
func (e *Eyes) reaches(d *x11.Display, w x11.Window, p place) error {
	id, ok := d.WindowAt(p.at)
	if w.ID != 0 && ok && id != w.ID {
		other, _ := d.Window(id)
		return agent.Failf("%s is in the window %q, not in %q; nothing was done", p.what, other.Title, w.Title)
	}
	if p.thing != nil && !p.thing.popup && (!ok || id != p.thing.window.ID) {
		return agent.Failf("something covers %s; nothing was done", p.what)
	}
	return nil
}

// know sets the things of a look.
func (e *Eyes) know(ctx context.Context, d *x11.Display, l *look) {
	if l.known {
		return
	}
	l.known = true
	l.things, l.cut = e.things(ctx, d)
	if e.register(ctx, l) != nil {
		l.things = nil // unregistered places may be wrong
	}
	for _, t := range l.things {
		if t.Role == access.Table {
			l.tables = append(l.tables, t)
		}
	}
	l.things = slices.DeleteFunc(l.things, func(t thing) bool { return t.Role == access.Table })
}

// regionOf returns the region of a window, or nil if there is none.
func regionOf(w x11.Window) *sdkapi.Region {
	if w.ID == 0 {
		return nil
	}
	return regionIn(w.Rect)
}

// boxOf returns a rectangle as a box.
func boxOf(r image.Rectangle) sdkapi.Box {
	return sdkapi.Box{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
}

// regionIn returns a rectangle as a region.
func regionIn(r image.Rectangle) *sdkapi.Region {
	return &sdkapi.Region{X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
}

// act performs an action, and returns the changes from l to the screen once it has stopped
// changing.
func (e *Eyes) act(ctx context.Context, d *x11.Display, l *look, do func() error) (changes, error) {
	e.know(ctx, d, l)
	t, began := l.took, time.Now()
	if err := do(); err != nil {
		return changes{}, e.failed(ctx, err)
	}
	lap(&t.Act, &began)
	frame, err := d.Settle(ctx, calm, calmLimit)
	for waited := time.Now(); err == nil && !frame.Differs(l.frame) && time.Since(waited) < firstChange; {
		frame, err = d.Settle(ctx, calm, calmLimit) // the program may not have drawn yet
	}
	lap(&t.Settle, &began)
	if err != nil {
		return changes{}, e.failed(ctx, err)
	}
	silent, _ := d.Unanswered()
	if frame.Equal(l.frame) {
		return changes{Same: true, Silent: silent, Took: t, frame: frame}, nil
	}
	c, err := e.between(ctx, d, l, &look{frame: frame, png: frame.PNG()})
	c.Silent = silent
	lap(&t.Compare, &began)
	c.Took = t
	return c, err
}

// between returns the changes from one look to another, which is the screen now.
func (e *Eyes) between(ctx context.Context, d *x11.Display, l, next *look) (changes, error) {
	e.know(ctx, d, next)
	screens := query.Screens{Finder: e.finder, Images: &pictures{now: next.png, before: l.png}}
	most := maxChanges
	diff, err := screens.Diff(ctx, &sdkapi.ScreenDiffRequest{Before: sdkapi.ImageSource{ArtifactID: before}, After: theScreen, MaxResults: &most})
	if err != nil {
		return changes{}, err
	}
	return changesOf(diff, l, next), nil
}

// failed returns an error of the screen for the model.
func (e *Eyes) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, is := errors.AsType[*noControl](err); is {
		return err
	}
	return agent.Failf("%v", err)
}

var _ query.Images = (*pictures)(nil)

// contains reports whether a look contains a text, as a person would find it. If again is set, it
// reads the screen a second time if needed.
func (e *Eyes) contains(ctx context.Context, l *look, text string, again bool) (bool, error) {
	screens := e.ask(l)
	screens.LookAgain = again
	found, err := screens.FindText(ctx, &sdkapi.OCRTextRequest{Image: theScreen, Text: text})
	return err == nil && len(found.Matches) > 0, err
}

// same reports whether two looks show the same picture.
func (l *look) same(other *look) bool { return other != nil && bytes.Equal(l.png, other.png) }
