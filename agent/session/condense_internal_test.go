package session

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/windieos/windie/models"
)

// anything returns a history with an open turn; every second one is impossible.
func anything(rng *rand.Rand) *State {
	s := &State{Turn: &Turn{ID: "t", Fence: "mark"}}
	full := false
	text := func() string {
		if full {
			return strings.Repeat("word ", 1000)
		}
		return strings.Repeat([]string{"a", "ä", "<&>", "\n", " ", "\xff", "word "}[rng.IntN(7)], []int{0, 1, 60, 70, 600, 1500, 5000}[rng.IntN(7)])
	}
	part := func() Part {
		if rng.IntN(5) == 0 {
			return Part{Artifact: fmt.Sprintf("%d.png", rng.IntN(100))}
		}
		return Part{Text: text(), Untrusted: rng.IntN(3) == 0, Aside: rng.IntN(6) == 0}
	}
	parts := func() []Part {
		list := make([]Part, []int{0, 1, 3, 50}[rng.IntN(4)])
		for i := range list {
			list[i] = part()
		}
		return list
	}
	roles := []models.Role{models.User, models.Assistant, models.ToolRole, models.Assistant}
	wild := rng.IntN(2) == 0
	full = rng.IntN(10) == 0
	for n := range 4 * rng.IntN(8) {
		m := Message{Role: roles[n%4], Fence: "old"}
		if wild {
			m.Role = roles[rng.IntN(4)]
		}
		switch m.Role {
		case models.User:
			m.Parts = parts()
		case models.Assistant:
			m.Parts = []Part{{Text: text()}, {Thought: &models.Thought{Text: text(), Signature: "s"}}}
			for i := range rng.IntN(20) {
				m.Parts = append(m.Parts, Part{Call: &models.Call{ID: fmt.Sprint(n, ".", i), Name: text(), Arguments: json.RawMessage(`{"a":"` + text() + `"}`)}})
			}
		case models.ToolRole:
			for i := range rng.IntN(20) {
				m.Parts = append(m.Parts, Part{Result: &Result{Call: fmt.Sprint(n-1, ".", i), Tool: "x", Parts: parts(), IsError: rng.IntN(4) == 0}})
			}
		}
		s.Messages = append(s.Messages, m)
	}
	s.Messages = append(s.Messages, Message{Role: models.User, Parts: parts(), Fence: "mark"})
	return s
}

// Whatever a history has, the condensed one is short, has text and images alone,
// ends with the user, and is the same each time. What is left out and was
// untrusted is so afterwards.
func TestCondense(t *testing.T) {
	t.Parallel()
	longest := 0
	for seed := range uint64(200) {
		s := anything(rand.New(rand.NewPCG(seed, 0)))
		messages, left := condense(s, BrokenOff)
		if again, _ := condense(s, BrokenOff); !reflect.DeepEqual(messages, again) {
			t.Fatalf("seed %d: another one each time", seed)
		}
		size := 0
		for i, m := range messages {
			if m.Role == models.ToolRole || len(m.Parts) == 0 {
				t.Errorf("seed %d: message %d is %+v", seed, i, m)
			}
			for _, p := range m.Parts {
				size += len(p.Text)
				if p.Untrusted {
					size += len(fenced("", "mark-as-long-as-they-are12"))
				}
				if p.Call != nil || p.Result != nil || p.Thought != nil || !utf8.ValidString(p.Text) {
					t.Errorf("seed %d: message %d has %+v", seed, i, p)
				}
			}
		}
		longest = max(longest, size)
		if last := messages[len(messages)-1]; size > maxCondensed || last.Role != models.User || last.Parts[0].Text != condensedNote {
			t.Errorf("seed %d: %d bytes, the last message begins with %+v", seed, size, last.Parts[0])
		}
		if left.Messages != len(s.Messages) || left.Bytes < 0 || left.Images < 0 {
			t.Errorf("seed %d: left out %+v", seed, left)
		}
		wary := s.untrusted(Policy{})
		if err := s.repaired(Repaired{Turn: "t", Reason: BrokenOff, Messages: messages}); err != nil || s.untrusted(Policy{}) != wary {
			t.Errorf("seed %d: untrusted %v, and was %v; %v", seed, s.untrusted(Policy{}), wary, err)
		}
		if s.repaired(Repaired{Turn: "t", Reason: BrokenOff, Messages: messages}) == nil {
			t.Errorf("seed %d: a turn is repaired twice", seed)
		}
	}
	if longest < maxCondensed/2 {
		t.Errorf("at most %d bytes: this test shows little", longest)
	}
	t.Logf("at most %d bytes", longest)
}

// A call stands with its result on one line, or not at all; of many the last are
// listed.
func TestCondensedCalls(t *testing.T) {
	t.Parallel()
	s := &State{Turn: &Turn{}, Messages: []Message{Text(models.User, "Do it.")}}
	for n := range 100 {
		id := fmt.Sprint(n)
		s.Messages = append(s.Messages,
			Message{Role: models.Assistant, Parts: []Part{{Text: "I do."}, {Call: &models.Call{ID: id, Name: "step", Arguments: json.RawMessage(`{"n":` + id + `}`)}}}},
			Message{Role: models.ToolRole, Parts: []Part{{Result: &Result{Call: id, IsError: n == 99, Parts: []Part{{Text: strings.Repeat("x", 400) + " end " + id, Untrusted: true}}}}}})
	}
	s.Messages = append(s.Messages, Message{Role: models.Assistant, Parts: []Part{{Call: &models.Call{ID: "u", Name: "step", Arguments: json.RawMessage(`{}`)}}}})
	messages, left := condense(s, ContextFull)
	if len(messages) != 1 || left.Messages != 202 || left.Bytes < 35_000 {
		t.Fatalf("%d messages, left out %+v", len(messages), left)
	}
	parts := messages[0].Parts
	list := parts[len(parts)-1]
	lines := strings.Split(list.Text, "\n")
	if !list.Untrusted || len(list.Text) > keptDone+100 || len(lines) < 10 {
		t.Errorf("%d bytes in %d lines, untrusted %v", len(list.Text), len(lines), list.Untrusted)
	}
	if want := fmt.Sprintf("[%d earlier calls left out]", 101-(len(lines)-1)); lines[0] != want {
		t.Errorf("begins with %q, and not %q", lines[0], want)
	}
	for i, line := range lines[1:] {
		n := 101 - (len(lines) - 1) + i
		want, end := fmt.Sprintf(`step {"n":%d} -> x`, n), fmt.Sprint("end ", n)
		switch n {
		case 99:
			want = `step {"n":99} -> failed: x`
		case 100:
			want, end = "step {} -> result unknown", ""
		}
		if !strings.HasPrefix(line, want) || !strings.HasSuffix(line, end) {
			t.Errorf("line %d is %q, and not %s", i, line, want)
		}
	}
}

// Fences count: a message of very many short parts is cut as a long one is.
func TestCondensedParts(t *testing.T) {
	t.Parallel()
	s := &State{Turn: &Turn{}, Messages: []Message{{Role: models.User}}}
	for range 1000 {
		s.Messages[0].Parts = append(s.Messages[0].Parts, Part{Text: "short", Untrusted: true})
	}
	messages, _ := condense(s, ContextFull)
	if n := len(messages[0].Parts); n < 20 || n > 1+keptWords/perPart {
		t.Errorf("%d parts", n)
	}
}
