package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/models"
)

// maxCondensed is the maximum size of a condensed history's text, in bytes: about 4,000 tokens,
// which leaves room even in models with a window of 8,000.
const maxCondensed = 16 << 10

// Limits of the parts of a condensed history, in bytes. Together they are less than maxCondensed.
const (
	keptExchanges = 3       // exchanges before the turn
	keptWords     = 4 << 10 // of the user's last message
	keptDone      = 5 << 10 // of the calls after it
	keptOldWords  = 512     // of each earlier user's message
	keptOldDone   = 1 << 10
	keptOldAnswer = 512
	keptArguments = 200 // of the arguments of one call
	keptOutcome   = 300 // of the result of one call
	keptNames     = 8   // ids of images in the user's message
	perPart       = 80  // around a part of a message, for a fence
)

const (
	condensedNote = "[The conversation so far was shortened, as the model could not continue it.]"
	oldDoneNote   = "[The tool calls for this, one on each line:]"
	doneNote      = "[The tool calls for this so far, one on each line. They are done. Continue from there, and repeat a call only if you must.]"
	imageNote     = "[Latest image:]"
)

// condense returns a shorter history for a state with an open turn: the last few exchanges, each
// with the user's text, a line for each call with its result, and the answer. It has only text of
// user and assistant, because providers refuse histories for their calls, results, thoughts and
// signatures. Equal states give equal results.
func condense(s *State, reason RepairReason) ([]Message, LeftOut) {
	list, untrusted := exchanges(s.Messages), anyUntrusted(s.Messages)
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
	if newest != "" { // the provider may have refused it
		m.Parts = append(m.Parts, Part{Text: imageNote, Aside: true}, Part{Artifact: newest, Named: reason == ContextRefused})
	}
	out = append(out, m)
	return out, LeftOut{
		Messages: len(s.Messages), Images: max(0, min(countImages(s.Messages), keptImages)-countImages(out)), Bytes: max(0, textBytes(s.Messages)-textBytes(out)),
	}
}

// exchange is a user's message, with the calls and the answer that follow.
type exchange struct {
	said    []Part
	calls   []*models.Call
	results map[string]*Result // by call id
	answer  string             // the last text; may be empty
}

// exchanges splits a history before each user's message.
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

// words returns the texts of a user's message in order, cut to left bytes in total. The user's own
// texts get the bytes first, untrusted ones the rest.
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

// names returns the last images of a user's message by their ids, except but.
func names(said []Part, but string) []Part {
	var out []Part
	for _, p := range said {
		if p.Artifact != "" && p.Artifact != but {
			out = append(out, Part{Artifact: p.Artifact, Named: true})
		}
	}
	return out[max(0, len(out)-keptNames):]
}

// done lists the calls of an exchange with their results, in at most left bytes. If there are too
// many, it omits the first ones.
func done(e exchange, note string, left int, untrusted bool) []Part {
	var lines []string
	for i, c := range slices.Backward(e.calls) {
		line := outcome(c, e.results[c.ID])
		if left -= len(line) + 1; left < 0 {
			lines = append(lines, fmt.Sprintf("[%d earlier calls left out]", i+1))
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

// outcome returns a call and its result on one line.
func outcome(c *models.Call, r *Result) string {
	line := cutTo(c.Name, minShown) + " " + oneLine(string(c.Arguments), keptArguments) + " -> "
	if r == nil {
		return line + "result unknown"
	}
	if r.IsError {
		line += "failed: "
	}
	var text strings.Builder
	for _, p := range r.Parts {
		switch {
		case text.Len() > keptOutcome: // the rest would be cut
		case p.Artifact != "":
			text.WriteString("[image " + p.Artifact + "] ")
		default:
			text.WriteString(cutTo(p.Text, keptOutcome) + " ")
		}
	}
	return line + oneLine(text.String(), keptOutcome)
}

// oneLine returns at most limit bytes of a text on one line.
func oneLine(text string, limit int) string {
	return strings.Join(strings.Fields(cutTo(text, limit)), " ")
}

// cutTo works like shorten, but limit includes the note about the cut. A limit below minShown bytes
// counts as minShown.
func cutTo(text string, limit int) string {
	if len(text) <= limit {
		return strings.ToValidUTF8(text, "")
	}
	const note = "\n[… left out …]\n"
	keep := (max(limit, minShown) - len(note)) / 2
	return strings.ToValidUTF8(text[:keep], "") + note + strings.ToValidUTF8(text[len(text)-keep:], "")
}

// textBytes returns the size of all text in messages, in bytes.
func textBytes(messages []Message) (n int) {
	for p := range partsOf(messages) {
		n += len(p.Text)
		if p.Call != nil {
			n += len(p.Call.Arguments)
		}
		if p.Thought != nil {
			n += len(p.Thought.Text) + len(p.Thought.Signature)
		}
	}
	return n
}
