package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/models"
)

// maxCondensed bounds the text of a condensed history, in bytes: about 4,000
// tokens, which leaves room also in models that read 8,000.
const maxCondensed = 16 << 10

// What of a history is told in a condensed one, in bytes where nothing else is
// said. Together it is less than maxCondensed.
const (
	keptExchanges = 3       // of those before the turn
	keptWords     = 4 << 10 // of the user's message
	keptDone      = 5 << 10 // of what was done for it
	keptOldWords  = 512     // of each exchange before
	keptOldDone   = 1 << 10
	keptOldAnswer = 512
	keptArguments = 200 // of one call
	keptOutcome   = 300 // likewise
	keptNames     = 8   // ids of images in the user's message
	perPart       = 80  // of a part of a message, as a fence goes around some
)

// What a condensed history says besides.
const (
	condensedNote = "[The conversation until here could not be gone on with, and is told shortened.]"
	oldDoneNote   = "[What was done for this, a line for each call:]"
	doneNote      = "[What was done for this until now, a line for each call. It has been done: go on from there, and do none of it again without need.]"
	imageNote     = "[The newest image:]"
)

// condense returns a history in place of a state's, whose turn is open: the last
// few exchanges, in each of which stand what the user said, a line for each call
// with what came of it, and the answer. It is all text, of user and assistant
// alone: calls and results, thoughts and signatures are what providers refuse
// histories for. The same state gives the same.
func condense(s *State, reason RepairReason) ([]Message, LeftOut) {
	list, untrusted := exchanges(s.Messages), anyFrom(s.Messages)
	turn := list[len(list)-1]
	var out []Message
	for _, e := range list[max(0, len(list)-1-keptExchanges) : len(list)-1] {
		m := Message{Role: models.User, Parts: words(e.said, keptOldWords), Fence: s.Turn.Fence}
		m.Parts = append(m.Parts, done(e, oldDoneNote, keptOldDone, untrusted)...)
		if len(m.Parts) > 0 {
			out = append(out, m)
		}
		if e.answer != "" {
			out = append(out, Text(models.Assistant, cutTo(e.answer, keptOldAnswer)))
		}
	}
	m := Message{Role: models.User, Parts: []Part{{Text: condensedNote, Aside: true}}, Fence: s.Turn.Fence}
	m.Parts = append(m.Parts, words(turn.said, keptWords)...)
	newest := s.LatestImage()
	m.Parts = append(m.Parts, names(turn.said, newest)...)
	m.Parts = append(m.Parts, done(turn, doneNote, keptDone, untrusted)...)
	if newest != "" { // which may be what the provider refuses
		m.Parts = append(m.Parts, Part{Text: imageNote, Aside: true}, Part{Artifact: newest, Named: reason == ContextRefused})
	}
	out = append(out, m)
	return out, LeftOut{
		Messages: len(s.Messages), Images: max(0, min(countImages(s.Messages), keptImages)-countImages(out)), Bytes: max(0, textBytes(s.Messages)-textBytes(out)),
	}
}

// exchange is what the user said and what came of it.
type exchange struct {
	said    []Part
	calls   []*models.Call
	results map[string]*Result // by the call's id
	answer  string             // the last text; empty for none
}

// exchanges cuts a history in front of each user's message.
func exchanges(messages []Message) []exchange {
	var list []exchange
	for _, m := range messages {
		if m.Role == models.User || len(list) == 0 {
			list = append(list, exchange{results: map[string]*Result{}})
		}
		e := &list[len(list)-1]
		if m.Role == models.User {
			e.said = m.Parts
			continue
		}
		if text := m.text(); m.Role == models.Assistant && strings.TrimSpace(text) != "" {
			e.answer = text
			if m.Cut {
				e.answer += "\n" + cutNote
			}
		}
		e.calls = append(e.calls, m.calls()...)
		for _, p := range m.Parts {
			if p.Result != nil {
				e.results[p.Result.Call] = p.Result
			}
		}
	}
	return list
}

// words returns the texts of a user's message, cut to so many bytes: first
// what the user wrote, and what others did of what is left. They stay in order.
func words(said []Part, left int) []Part {
	kept := make([]string, len(said))
	for _, untrusted := range []bool{false, true} {
		for i, p := range said {
			if p.Text == "" || p.Aside || p.Untrusted != untrusted || left < minShown {
				continue
			}
			kept[i] = cutTo(p.Text, left)
			left -= len(kept[i]) + perPart
		}
	}
	var out []Part
	for i, text := range kept {
		if text != "" {
			out = append(out, Part{Text: text, Untrusted: said[i].Untrusted})
		}
	}
	return out
}

// names returns the images of a user's message but one, which models are told
// the ids of, as tools take them.
func names(said []Part, but string) []Part {
	var out []Part
	for _, p := range slices.Backward(said) {
		if p.Artifact != "" && p.Artifact != but && len(out) < keptNames {
			out = append(out, Part{Artifact: p.Artifact, Named: true})
		}
	}
	slices.Reverse(out)
	return out
}

// done lists the calls of an exchange, each with what came of it, within so many
// bytes: of many the first are left out. What tools gave may be anybody's words.
func done(e exchange, note string, left int, untrusted bool) []Part {
	var lines []string
	for i, c := range slices.Backward(e.calls) {
		line := outcome(c, e.results[c.ID])
		if left -= len(line) + 1; left < 0 {
			lines = append(lines, fmt.Sprintf("[%d calls before these are left out]", i+1))
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil
	}
	slices.Reverse(lines)
	return []Part{{Text: note, Aside: true}, {Text: strings.Join(lines, "\n"), Untrusted: untrusted, Aside: true}}
}

// outcome tells a call and what came of it on one line.
func outcome(c *models.Call, r *Result) string {
	line := cutTo(c.Name, minShown) + " " + oneLine(string(c.Arguments), keptArguments) + " -> "
	if r == nil {
		return line + "nobody knows what came of it"
	}
	if r.IsError {
		line += "failed: "
	}
	var told strings.Builder
	for _, p := range r.Parts {
		switch {
		case told.Len() > keptOutcome: // the rest is cut off anyhow
		case p.Artifact != "":
			told.WriteString("[image " + p.Artifact + "] ")
		default:
			told.WriteString(cutTo(p.Text, keptOutcome) + " ")
		}
	}
	return line + oneLine(told.String(), keptOutcome)
}

// oneLine returns a text on one line, cut to so many bytes.
func oneLine(text string, most int) string {
	return strings.Join(strings.Fields(cutTo(text, most)), " ")
}

// cutTo is shorten for a text that is to fit in all, what tells of the cut
// included, into at least minShown bytes.
func cutTo(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "")
	}
	const told = "\n[… left out …]\n"
	keep := (max(most, minShown) - len(told)) / 2
	return strings.ToValidUTF8(text[:keep], "") + told + strings.ToValidUTF8(text[len(text)-keep:], "")
}

// textBytes returns how many bytes of text messages have.
func textBytes(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += textBytesIn(m.Parts)
	}
	return n
}

func textBytesIn(parts []Part) int {
	n := 0
	for _, p := range parts {
		n += len(p.Text)
		switch {
		case p.Call != nil:
			n += len(p.Call.Arguments)
		case p.Result != nil:
			n += textBytesIn(p.Result.Parts)
		case p.Thought != nil:
			n += len(p.Thought.Text) + len(p.Thought.Signature)
		}
	}
	return n
}
