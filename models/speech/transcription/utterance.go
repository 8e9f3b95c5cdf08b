package transcription

import (
	"strings"
	"time"
)

// utterance is one that a server has, or gets.
type utterance struct {
	name      string // that the server has for it, once that is known
	text      strings.Builder
	shown     string    // of it, so far
	ended     time.Time // when the end of its sound was queued; zero before
	tries     int       // lines on which the server said nothing of it in time
	done      bool      // its text is final
	err       error     // or there is none
	forgotten bool      // its text is for nobody
}

// report reports the text of the utterance as it is now, if that is new, and then whether it is over. Of an utterance without
// a word there is nothing to report.
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
