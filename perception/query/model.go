package query

import (
	"context"
	"errors"
	"image"
	"slices"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/locate"
	"github.com/windieos/windie/perception/vlm"
)

// ask asks the model for the meaning of a description. No match, or several, are valid answers; an
// error means that the model failed.
func (f *Finder) ask(ctx context.Context, on *View, description string) (Answer, error) {
	var result vlm.Result
	err := f.withPicture(ctx, on, func(picture *image.NRGBA) (err error) {
		result, err = f.model.Locate(ctx, picture, description)
		return err
	})
	answer := Answer{Provider: result.Model}
	switch miss, _ := errors.AsType[*vlm.Miss](err); {
	case err == nil:
		by := "pointed at by " + result.Model
		if result.Doubt != "" {
			by += ": " + result.Doubt
		}
		answer.Matches = []locate.Match{on.match(result.Point, description, result.Confidence, by)}
	case miss != nil && miss.Why == vlm.Several:
		for _, p := range miss.Points {
			answer.Matches = append(answer.Matches, on.match(p, description, severalScore, "pointed at by "+result.Model))
		}
		answer.Matches = distinct(answer.Matches)
	case miss != nil && miss.Why == vlm.Absent:
		answer.Said, answer.Unmet = miss.Said, []string{description}
		answer.Nearest = nearest(locate.Find(on.Screen, description))
	default:
		f.count(err)
		return Answer{}, err
	}
	f.count(nil)
	return answer, nil
}

// count counts a request to the vision model by the code of its error. A nil error has the code "".
func (f *Finder) count(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outcomes[fault.CodeOf(err)]++
}

const (
	severalScore = 0.5 // score of each of several points from a model
	snapRadius   = 12  // maximum distance in pixels between a point and the element that it means
)

// withPicture calls use with the view's pixels on white. At most maxAsking calls run at once.
func (f *Finder) withPicture(ctx context.Context, on *View, use func(*image.NRGBA) error) error {
	turn, err := f.asking.Take(ctx, on.source.User, 1, fair.Short)
	if err != nil {
		return err
	}
	defer turn.Give()
	return f.scenes.WithPixels(ctx, f.model.WorkingBytes, func(ctx context.Context, list ...perception.Pixels) error {
		if err := perception.MakeOpaque(ctx, list[0].NRGBA); err != nil {
			return err
		}
		perception.Rest(ctx)
		return use(atZero(list[0].SubImage(on.Region).(*image.NRGBA)))
	}, on.source)
}

// atZero returns img with bounds that begin at (0,0). It shares the pixels.
func atZero(img *image.NRGBA) *image.NRGBA {
	return &image.NRGBA{Pix: img.Pix, Stride: img.Stride, Rect: image.Rectangle{Max: img.Rect.Size()}}
}

// match returns a match for the element that a point means. If there is none, Element is -1.
func (v *View) match(point image.Point, description string, confidence float64, by string) locate.Match {
	boxes := make([]image.Rectangle, len(v.Elements))
	for i, e := range v.Elements {
		if !e.Role.Holds() {
			boxes[i] = e.Box
		}
	}
	i, snapped := vlm.Snap(point, boxes, snapRadius)
	if i >= 0 {
		i = v.target(i)
	}
	return locate.Match{
		Element: i, Score: confidence, Point: snapped,
		Evidence: []locate.Evidence{{Term: description, Met: confidence, By: by}},
	}
}

// target returns the clickable element that contains element i as its text or icon; without one it
// returns i.
func (v *View) target(i int) int {
	for at := i; at >= 0; at = v.Elements[at].Parent {
		if clickable(v.Elements[at].Role) {
			return at
		}
		if v.Elements[at].Role.Holds() {
			break
		}
	}
	return i
}

// clickable reports whether elements of a role can be clicked or typed into.
func clickable(r elements.Role) bool {
	return !r.Holds() && !slices.Contains([]elements.Role{
		elements.Progress, elements.Avatar, elements.Badge, elements.Heading, elements.Text, elements.Icon, elements.Picture,
	}, r)
}

// distinct keeps the first match of each element.
func distinct(list []locate.Match) (out []locate.Match) {
	for _, m := range list {
		if m.Element < 0 || !slices.ContainsFunc(out, func(o locate.Match) bool { return o.Element == m.Element }) {
			out = append(out, m)
		}
	}
	return out
}

// nearest returns the matches of an answer, or else the elements that fit best.
func nearest(a locate.Answer) []locate.Match {
	if len(a.Matches) > 0 {
		return a.Matches[:min(len(a.Matches), locate.MostNearest)]
	}
	return a.Nearest
}
