package transcription

import (
	"strings"
	"time"
)

// utterance is an utterance whose text is not final yet.
type utterance struct {
	name      string // the server's name for it; empty until it is known
	text      strings.Builder
	shown     string    // text that was reported so far
	ended     time.Time // time when the end of its sound was queued; zero before that
	tries     int       // number of connections on which the server sent no text of it in time
	done      bool      // its text is final
	err       error     // reason why it has no text; nil if it has one
	forgotten bool      // its text is to be discarded
}

// report reports the utterance's current text if it is new, and then the utterance's end. It
// reports nothing for an utterance without words.
func (u *utterance) report(to func(Event), text string) {
	final := u.done && !u.ended.IsZero()
	if final && u.err != nil {
		to(Failed{missing(u.err)})
		text = ""
	}
	if text == u.shown && (!final || text == "") {
		return
	}
	u.shown = text
	to(Text{Text: text, Final: final})
	if final {
		to(Ended{})
	}
}
