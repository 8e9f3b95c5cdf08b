package dialogue

import (
	"maps"
	"slices"
	"time"
)

// quiet is how long a server must say nothing for a record to be whole, and
// afterwards where all that is wanted came.
const (
	quiet      = 2 * time.Second
	afterwards = 200 * time.Millisecond
)

// record plays the frames of a socket's part, and returns them with what came
// in place of what differs. A dialogue begins as what the client sends.
func (s *socket) record(p Player, frames []frame) ([]frame, error) {
	var out []frame
	for first := true; first || len(frames) > 0; first = false {
		if len(frames) > 0 && frames[0].mark == fromClient {
			out = append(out, frames[0])
			if err := s.send(p, frames[0]); err != nil {
				return nil, err
			}
			frames = frames[1:]
		}
		n := untilClient(frames)
		about := n // remarks before what the client sends next are about that
		for about > 0 && frames[about-1].mark == remark {
			about--
		}
		out = append(out, s.compared(frames[:about])...)
		out = append(out, frames[about:n]...)
		frames = frames[n:]
	}
	return out, nil
}

// compared returns the wanted frames if they come, and else what does.
func (s *socket) compared(wanted []frame) []frame {
	before, taken := maps.Clone(s.vars.Values), len(s.taken)
	s.wait = quiet
	if len(wanted) > 0 && s.expect(wanted) == nil {
		return append(slices.Clone(wanted), s.recorded(nil, s.gather(afterwards))...)
	}
	s.vars.Values = before
	s.putBack(len(s.taken) - taken)
	return s.recorded(wanted, s.gather(quiet))
}

// gather returns what comes until the server is quiet, with texts whole.
func (s *socket) gather(quiet time.Duration) []frame {
	var came []frame
	for {
		f, err := s.take(quiet)
		if err != nil {
			return came
		}
		_, speaks := f.said()
		if last := len(came) - 1; speaks && last >= 0 && came[last].kind() == f.kind() {
			came[last] = join(came[last], f)
			continue
		}
		came = append(came, f)
	}
}

// recorded returns the wanted frames with what came in place of those that
// differ, and remarks and what is left open as they were.
func (s *socket) recorded(wanted, came []frame) []frame {
	var out []frame
	for i, want := range wanted {
		switch {
		case want.mark == remark:
			out = append(out, want)
			continue
		case want.text == skipped && i+1 < len(wanted):
			next := slices.IndexFunc(came, func(f frame) bool { return f.kind() == wanted[i+1].kind() })
			if next >= 0 {
				out, came = append(out, want), came[next:]
			}
			continue
		case len(came) == 0:
			continue
		}
		at := 0
		if want.mark == anyOrder {
			at = max(0, slices.IndexFunc(came, func(f frame) bool { return f.kind() == want.kind() && s.differs(want, f) == "" }))
		}
		out = append(out, s.shownAs(want, came[at]))
		came = slices.Delete(came, at, at+1)
	}
	for _, f := range came {
		out = append(out, s.shownAs(frame{mark: fromServer}, f))
	}
	return out
}

// shownAs returns a frame that came as it is recorded where want was.
func (s *socket) shownAs(want, came frame) frame {
	switch {
	case want.kind() == came.kind() && s.differs(want, came) == "":
		return want
	case came.isClose():
		return frame{want.mark, s.vars.Named(came.text)}
	case want.kind() != came.kind():
		want.text = ""
	}
	former := want.object()
	return frame{want.mark, render(s.vars, former, []byte(shown(came.text, former)), 0, len(want.mark)+1)}
}
