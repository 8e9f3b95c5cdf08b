package desktop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Finder finds places on screens. If it returns a fault, the model gets the fault's message.
type Finder interface {
	// FindText returns the click point for words on a user's image. If the words occur several
	// times, occurrence selects one, counted from 1 in reading order; 0 makes no choice.
	FindText(ctx context.Context, user, artifact, text string, occurrence int) (Found, error)

	// Locate returns the click point for a description.
	Locate(ctx context.Context, user, artifact, description string) (Found, error)

	// Size returns an image's width and height, in pixels.
	Size(ctx context.Context, user, artifact string) (width, height int, err error)
}

// Found is a Finder's result: one point, or candidates.
type Found struct {
	X, Y       int         // click point, in pixels of the image; valid if OK is true
	OK         bool        // whether the Finder found exactly one point
	Candidates []Candidate // if OK is false: the matching elements, or the nearest elements if nothing matches
	Ambiguous  bool        // whether several elements match
	Unmet      []string    // terms of the description that the nearest candidate does not fulfil
}

// Candidate is an element on the screen.
type Candidate struct {
	Text  string // the text of a row; empty for other elements, which have only a Line
	Line  string // the element in one line
	X, Y  int
	Which int // number of this occurrence, if several elements match
	// Where is the position that distinguishes the candidate from others, for example `right of
	// "Billing"`. It may be empty.
	Where string
}

// Prepare returns a function for session.Config.Prepare. If the arguments of a call name a target, the function
// replaces the target with the arguments "x" and "y", which are a point on the latest screenshot. If the target is
// missing or ambiguous, the model gets the candidates instead.
func Prepare(find Finder) func(context.Context, *session.State, *session.Call) ([]byte, *session.Result, error) {
	return func(ctx context.Context, s *session.State, c *session.Call) ([]byte, *session.Result, error) {
		i := slices.IndexFunc(s.Settings.Tools, func(t session.ClientTool) bool { return t.Name == c.Name })
		if i < 0 || !s.Settings.Tools[i].Resolve {
			return c.Arguments, nil, nil
		}
		t, err := readTarget(c.Arguments)
		if err != nil {
			return nil, nil, err // unreachable: the arguments fit the schema
		}
		look := looking{find: find, user: s.User, screen: s.LatestImage(), input: readSchema(s.Settings.Tools[i].Input)}
		problem := t.check()
		if problem == "" {
			problem, err = look.outside(ctx, t)
		}
		if problem == "" && err == nil && t.named() {
			problem, err = look.at(ctx, &t)
		}
		switch {
		case err != nil:
			return nil, nil, err
		case problem != "": // it may quote the screen
			return nil, &session.Result{Parts: []session.Part{{Text: problem, Untrusted: true}}, IsError: true}, nil
		}
		arguments, err := t.leaving(c.Arguments)
		return arguments, nil, err
	}
}

// target is the place that the arguments of a call specify.
type target struct {
	given      map[string]json.RawMessage
	action     string
	text, what string         // of the methods OCR and Prediction; may be empty
	occurrence int            // of text; 0 if not given
	points     map[string]int // the given ones of x, y, to_x and to_y
}

// readTarget parses arguments. It ignores arguments of other types than those of the tools here.
func readTarget(arguments json.RawMessage) (target, error) {
	t := target{points: map[string]int{}}
	if err := json.Unmarshal(arguments, &t.given); err != nil {
		return t, err
	}
	_ = json.Unmarshal(t.given["action"], &t.action)
	_ = json.Unmarshal(t.given["text"], &t.text)
	_ = json.Unmarshal(t.given["target"], &t.what)
	_ = json.Unmarshal(t.given["occurrence"], &t.occurrence)
	for _, name := range fields[Manual] {
		var n float64 // 1.0 is an integer in JSON Schema
		if json.Unmarshal(t.given[name], &n) == nil {
			t.points[name] = int(n)
		}
	}
	if t.named() { // a name is more reliable than a point that was guessed
		delete(t.points, "x")
		delete(t.points, "y")
	}
	return t, nil
}

// named reports whether the target is named by text or description.
func (t target) named() bool { return t.text != "" || t.what != "" }

// check returns a problem with the arguments themselves; empty if there is none.
func (t target) check() string {
	has := func(name string) bool { _, ok := t.points[name]; return ok }
	switch {
	case has("x") != has("y"):
		return "Give both x and y."
	case has("to_x") != has("to_y"), t.action == drag && !has("to_x"):
		return "Give both to_x and to_y, the end of the drag."
	}
	return ""
}

// leaving returns the arguments for the client.
func (t target) leaving(arguments json.RawMessage) ([]byte, error) {
	if !t.named() && t.occurrence == 0 {
		return arguments, nil
	}
	left := maps.Clone(t.given)
	for _, name := range slices.Concat(fields[OCR], fields[Prediction]) {
		delete(left, name)
	}
	return json.Marshal(left)
}

// looking searches for a call's target.
type looking struct {
	find         Finder
	user, screen string // screen is empty if there is no screenshot
	input        *schema
}

// outside returns a problem if a point is outside of the screenshot. It returns none if the
// screenshot's size is unknown.
func (l looking) outside(ctx context.Context, t target) (string, error) {
	if l.screen == "" || len(t.points) == 0 {
		return "", nil
	}
	width, height, err := l.find.Size(ctx, l.user, l.screen)
	if err != nil {
		return "", ctx.Err()
	}
	for _, p := range [][2]string{{"x", "y"}, {"to_x", "to_y"}} {
		if x, y := t.points[p[0]], t.points[p[1]]; x < 0 || y < 0 || x >= width || y >= height {
			return fmt.Sprintf("%s %d, %s %d is outside the latest screenshot, which has %d by %d pixels.", p[0], x, p[1], y, width, height), nil
		}
	}
	return "", nil
}

// at sets the point of the target named by t, or returns a problem.
func (l looking) at(ctx context.Context, t *target) (problem string, err error) {
	if l.screen == "" {
		return "There is no screenshot to search. Take one first.", nil
	}
	var found Found
	what := fmt.Sprintf("%q", t.what)
	if t.text != "" {
		what = fmt.Sprintf("the text %q", t.text)
		found, err = l.text(ctx, t)
	} else {
		found, err = l.find.Locate(ctx, l.user, l.screen, t.what)
	}
	var f *fault.Error
	switch {
	case errors.As(err, &f) && f.Code != sdkapi.Internal && ctx.Err() == nil:
		return "Cannot search the latest screenshot: " + f.Message, nil
	case err != nil:
		return "", err
	case !found.OK:
		return l.choose(found, *t, what), nil
	}
	t.given["x"], t.given["y"] = mustMarshal(found.X), mustMarshal(found.Y)
	return "", nil
}

// text searches for words. If the occurrence does not exist, it returns the existing ones.
func (l looking) text(ctx context.Context, t *target) (Found, error) {
	found, err := l.find.FindText(ctx, l.user, l.screen, t.text, t.occurrence)
	if err == nil && found.Ambiguous && t.occurrence == 0 && t.what != "" {
		return l.described(ctx, t, found)
	}
	if err != nil || found.OK || t.occurrence == 0 {
		return found, err
	}
	found, err = l.find.FindText(ctx, l.user, l.screen, t.text, 0)
	if found.OK {
		found = Found{Candidates: []Candidate{{Text: t.text, X: found.X, Y: found.Y, Which: 1}}, Ambiguous: true}
	}
	return found, err
}

// beside is the maximum distance, in pixels, from the click point of a description to the words that
// it names. The words of a button are in its middle.
const beside = 24

// described chooses one of several places with the same words: the one that the description
// matches, if there is one.
func (l looking) described(ctx context.Context, t *target, several Found) (Found, error) {
	one, err := l.find.Locate(ctx, l.user, l.screen, t.what)
	if err != nil || !one.OK {
		return several, ctx.Err()
	}
	far := func(c Candidate) int { return (c.X-one.X)*(c.X-one.X) + (c.Y-one.Y)*(c.Y-one.Y) }
	c := slices.MinFunc(several.Candidates, func(a, b Candidate) int { return cmp.Compare(far(a), far(b)) })
	if far(c) > beside*beside {
		return several, nil
	}
	return Found{X: c.X, Y: c.Y, OK: true}, nil
}

// choose says why there is no point, and lists the candidates.
func (l looking) choose(found Found, t target, what string) string {
	var b strings.Builder
	absent := "There is no " + strings.TrimPrefix(what, "the ") + " on the screen."
	if len(found.Unmet) > 0 {
		absent += " Unmet: " + strings.Join(found.Unmet, ", ") + "."
	}
	switch {
	case found.Ambiguous && t.occurrence > 0:
		fmt.Fprintf(&b, "The screen has no occurrence %d of %s. It has:", t.occurrence, what)
	case found.Ambiguous:
		fmt.Fprintf(&b, "Ambiguous: the screen has several matches of %s. Choose one %s.", what, l.narrower(t))
	case len(found.Candidates) == 0:
		return absent
	default:
		b.WriteString(absent + " Nearest:")
	}
	for i, c := range found.Candidates {
		fmt.Fprintf(&b, "\n%d. %s at x %d, y %d", cmp.Or(max(c.Which, 0), i+1), cmp.Or(c.Line, strconv.Quote(c.Text)), c.X, c.Y)
		if c.Where != "" {
			b.WriteString(", " + c.Where)
		}
	}
	return b.String()
}

// narrower says how to name one of several candidates.
func (l looking) narrower(t target) string {
	ways := l.input.ways("x", "by x and y")
	if t.text != "" {
		ways = l.input.ways("occurrence", "by occurrence, its number below", "x", "by x and y")
	}
	return strings.Join(append(ways, "with more words"), ", or ")
}
