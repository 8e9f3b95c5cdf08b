package desktop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/windieos/windie/agent/session"
)

// Finder finds things on screens.
type Finder interface {
	// FindText returns the point to click on for words on a user's image.
	FindText(ctx context.Context, user, artifact, text string) (Found, error)

	// Locate returns that of a description.
	Locate(ctx context.Context, user, artifact, description string) (Found, error)
}

// Found is what a Finder found: one point, or what there is to choose from.
type Found struct {
	X, Y       int      // pixels of the image
	OK         bool     // there is one point
	Candidates []string // otherwise: the several that fit, or the nearest that does not
	Ambiguous  bool     // several fit
}

// target is the part of a call that says where.
type target struct {
	X      *int    `json:"x"`
	Y      *int    `json:"y"`
	Text   *string `json:"text"`
	Target *string `json:"target"`
}

// Prepare returns what makes a client's call ready. Of a mouse's target only x
// and y leave for the client. What is not there, or is there several times, is
// told the model, with what it can choose from.
func Prepare(find Finder) func(context.Context, *session.State, *session.Call) ([]byte, *session.Result, error) {
	return func(ctx context.Context, s *session.State, c *session.Call) ([]byte, *session.Result, error) {
		if c.Name != "mouse_control" {
			return c.Arguments, nil, nil
		}
		var t target
		if err := json.Unmarshal(c.Arguments, &t); err != nil {
			return nil, nil, err // cannot be: they fit the schema
		}
		if t.Text == nil && t.Target == nil {
			return c.Arguments, t.check(), nil
		}
		screen := s.LatestImage()
		if screen == "" {
			return nil, tell("There is no screenshot to look for it on. Take one first."), nil
		}
		var found Found
		var err error
		var what string
		if t.Text != nil {
			what = fmt.Sprintf("the text %q", *t.Text)
			found, err = find.FindText(ctx, s.User, screen, *t.Text)
		} else {
			what = fmt.Sprintf("%q", *t.Target)
			found, err = find.Locate(ctx, s.User, screen, *t.Target)
		}
		if err != nil {
			return nil, nil, err
		}
		if !found.OK {
			return nil, tell(found.problem(what)), nil
		}
		arguments, err := pointed(c.Arguments, found)
		return arguments, nil, err
	}
}

// check returns what is wrong with a target that names neither text nor a
// description.
func (t target) check() *session.Result {
	if (t.X == nil) != (t.Y == nil) {
		return tell("Give both x and y, or text, or target.")
	}
	return nil
}

// pointed returns the arguments with the point in place of what named it.
func pointed(arguments json.RawMessage, at Found) ([]byte, error) {
	var fields map[string]any
	if err := json.Unmarshal(arguments, &fields); err != nil {
		return nil, err
	}
	delete(fields, "text")
	delete(fields, "target")
	fields["x"], fields["y"] = at.X, at.Y
	return json.Marshal(fields)
}

// problem tells the model why there is no point, and what there is instead.
func (f Found) problem(what string) string {
	list := ""
	for _, c := range f.Candidates {
		list += "\n- " + c
	}
	switch {
	case f.Ambiguous:
		return "There are several of " + what + " on the screen. Say which, with more of its words or with x and y:" + list
	case list != "":
		return "There is no " + strings.TrimPrefix(what, "the ") + " on the screen. The nearest:" + list
	}
	return "There is no " + strings.TrimPrefix(what, "the ") + " on the screen."
}

// tell returns a result in which the gateway tells the model what to do. What
// it quotes is from the screen.
func tell(text string) *session.Result {
	return &session.Result{Parts: []session.Part{{Text: text, Untrusted: true}}, IsError: true}
}
