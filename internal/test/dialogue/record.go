package dialogue

import (
	"maps"
	"slices"
	"time"

	"github.com/windieos/windie/internal/test/recorded"
)

// quiet is how long a server must say nothing for a record to be whole, and
// afterwards where all that is wanted came.
const (
	quiet      = 2 * time.Second
	afterwards = 200 * time.Millisecond
)

// record plays the frames of a socket's part, and returns them with what came
// in place of what differs. A dialogue begins as what the client sends.
func (s *socket) record(p Player, frames []recorded.Frame) ([]recorded.Frame, error) {
	var out []recorded.Frame
	for first := true; first || len(frames) > 0; first = false {
		if len(frames) > 0 && frames[0].Mark == recorded.FromClient {
			out = append(out, frames[0])
			if err := s.send(p, frames[0]); err != nil {
				return nil, err
			}
			frames = frames[1:]
		}
		n := recorded.UntilClient(frames)
		about := n // remarks before what the client sends next are about that
		for about > 0 && frames[about-1].Mark == recorded.Remark {
			about--
		}
		out = append(out, s.compared(frames[:about])...)
		out = append(out, frames[about:n]...)
		frames = frames[n:]
	}
	return out, nil
}

// compared returns the wanted frames if they come, and else what does.
func (s *socket) compared(wanted []recorded.Frame) []recorded.Frame {
	before, taken := maps.Clone(s.Vars.Values), len(s.Taken)
	s.Wait = quiet
	if len(wanted) > 0 && s.Expect(wanted) == nil {
		return append(slices.Clone(wanted), s.recorded(nil, s.gather(afterwards))...)
	}
	s.Vars.Values = before
	s.PutBack(len(s.Taken) - taken)
	return s.recorded(wanted, s.gather(quiet))
}

// gather returns what comes until the server is quiet, with texts whole.
func (s *socket) gather(quiet time.Duration) []recorded.Frame {
	var came []recorded.Frame
	for {
		f, err := s.Take(quiet)
		if err != nil {
			return came
		}
		_, speaks := f.Said()
		if last := len(came) - 1; speaks && last >= 0 && came[last].Kind() == f.Kind() {
			came[last] = recorded.Join(came[last], f)
			continue
		}
		came = append(came, f)
	}
}

// recorded returns the wanted frames with what came in place of those that
// differ, and remarks and what is left open as they were.
func (s *socket) recorded(wanted, came []recorded.Frame) []recorded.Frame {
	var out []recorded.Frame
	for i, want := range wanted {
		switch {
		case want.Mark == recorded.Remark:
			out = append(out, want)
			continue
		case want.Text == recorded.Skipped && i+1 < len(wanted):
			next := slices.IndexFunc(came, func(f recorded.Frame) bool { return f.Kind() == wanted[i+1].Kind() })
			if next >= 0 {
				out, came = append(out, want), came[next:]
			}
			continue
		case len(came) == 0:
			continue
		}
		at := 0
		if want.Mark == recorded.AnyOrder {
			at = max(0, slices.IndexFunc(came, func(f recorded.Frame) bool { return f.Kind() == want.Kind() && s.Differs(want, f) == "" }))
		}
		out = append(out, s.shownAs(want, came[at]))
		came = slices.Delete(came, at, at+1)
	}
	for _, f := range came {
		out = append(out, s.shownAs(recorded.Frame{Mark: recorded.FromServer}, f))
	}
	return out
}

// shownAs returns a frame that came as it is recorded where want was.
func (s *socket) shownAs(want, came recorded.Frame) recorded.Frame {
	switch {
	case want.Kind() == came.Kind() && s.Differs(want, came) == "":
		return want
	case came.IsClose():
		return recorded.Frame{Mark: want.Mark, Text: s.Vars.Named(came.Text)}
	case want.Kind() != came.Kind():
		want.Text = ""
	}
	former := want.Object()
	return recorded.Frame{Mark: want.Mark, Text: render(s.Vars, former, []byte(recorded.Shown(came.Text, former)), 0, len(want.Mark)+1)}
}
