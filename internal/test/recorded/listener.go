package recorded

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Listener compares the frames that come over a WebSocket with recorded ones.
type Listener struct {
	Vars  *Variables
	Came  <-chan Frame      // closed once the connection is
	Wait  time.Duration     // for a frame that must come
	Check func(Frame) error // of what dialogues do not show; may be nil
	Next  []Frame           // came, and is not taken yet
	Taken []Frame           // in order
}

// ErrSilent is the error of a wait in which nothing came.
var ErrSilent = errors.New("nothing more came")

// Take returns the next frame, if it comes within a time.
func (l *Listener) Take(within time.Duration) (Frame, error) {
	if len(l.Next) > 0 {
		f := l.Next[0]
		l.Next, l.Taken = l.Next[1:], append(l.Taken, f)
		return f, nil
	}
	select {
	case f, open := <-l.Came:
		if !open {
			return Frame{}, errors.New("the connection is gone")
		}
		l.Taken = append(l.Taken, f)
		if l.Check == nil {
			return f, nil
		}
		return f, l.Check(f)
	case <-time.After(within):
		return Frame{}, ErrSilent
	}
}

// PutBack undoes the last takes.
func (l *Listener) PutBack(n int) {
	from := len(l.Taken) - n
	l.Next = append(slices.Clone(l.Taken[from:]), l.Next...)
	l.Taken = l.Taken[:from]
}

// Expect says how what comes differs from the wanted frames.
func (l *Listener) Expect(wanted []Frame) error {
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(f Frame) bool { return f.Mark == Remark })
	for len(wanted) > 0 {
		group := 1
		for wanted[0].Mark == AnyOrder && group < len(wanted) && wanted[group].Mark == AnyOrder {
			group++
		}
		skip := wanted[0].Text == Skipped
		if skip {
			wanted = wanted[1:]
			if len(wanted) == 0 || wanted[0].Mark != FromServer {
				return fmt.Errorf("%s needs a frame behind it", Skipped)
			}
		}
		got, err := l.wholeOf(wanted[0], skip)
		if err != nil {
			return fmt.Errorf("%w; waiting for\n%s", err, wanted[0].Text)
		}
		i, diff := l.find(wanted[:group], got)
		if i < 0 {
			return fmt.Errorf("%s\n--- want\n%s\n--- got\n%s", diff, wanted[0].Text, got.Text)
		}
		wanted = slices.Delete(wanted, i, i+1)
	}
	return nil
}

// wholeOf returns the next frame, with as many pieces of text as the wanted one
// has. Frames of other types may be passed over.
func (l *Listener) wholeOf(want Frame, skip bool) (Frame, error) {
	got, err := l.Take(l.Wait)
	for err == nil && skip && got.Kind() != want.Kind() && got.Kind() != "error" && !got.IsClose() {
		got, err = l.Take(l.Wait)
	}
	whole, _ := want.Said()
	for {
		part, ok := got.Said()
		if err != nil || !ok || got.Kind() != want.Kind() || part == whole || !strings.HasPrefix(whole, part) {
			return got, err
		}
		var more Frame
		if more, err = l.Take(l.Wait); err == nil && more.Kind() != got.Kind() {
			l.PutBack(1)
			return got, nil
		}
		if err == nil {
			got = Join(got, more)
		}
	}
}

// find returns which of the wanted frames came, -1 and a difference if none did.
func (l *Listener) find(wanted []Frame, got Frame) (int, string) {
	diff := ""
	for i, want := range wanted {
		before := maps.Clone(l.Vars.Values)
		if diff = l.Differs(want, got); diff == "" {
			return i, ""
		}
		l.Vars.Values = before
	}
	return -1, diff
}

// Differs returns how a frame that came differs from the wanted one, or "".
func (l *Listener) Differs(want, got Frame) string {
	switch {
	case want.IsClose() || got.IsClose():
		if !l.Vars.Match(want.Text, got.Text) {
			return "something else came"
		}
		return ""
	case want.Kind() != got.Kind():
		return "a message of another type came"
	}
	return SameJSON(want.Text, Shown(got.Text, want.Object()), l.Vars.Match)
}
