package models

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// unreadable is the end of an answer whose last call the provider itself could not read.
const unreadable EndReason = "unreadable"

// endings has the providers' words for the end of an answer, in lower case. No two providers mean
// different things by one word. A word that is not here ends no answer.
var endings = map[string]EndReason{
	"stop": Stop, "end_turn": Stop, "stop_sequence": Stop, "eos": Stop, "eos_token": Stop,
	"tool_calls": ToolCalls, "tool_use": ToolCalls, "function_call": ToolCalls,

	"length": Length, "max_tokens": Length, "model_length": Length, "model_context_window_exceeded": Length,

	"content_filter": Refused, "refusal": Refused, "safety": Refused, "recitation": Refused, "language": Refused, "blocklist": Refused,
	"prohibited_content": Refused, "spii": Refused, "image_safety": Refused, "image_prohibited_content": Refused, "image_recitation": Refused,

	"malformed_function_call": unreadable, "unexpected_tool_call": unreadable, "too_many_tool_calls": unreadable,
}

// Ending is a provider's own word for the end of an answer.
type Ending struct {
	Word      string // in any case; some servers put their kind before it, as "content_filter: RECITATION". Empty for no end yet
	Written   string // what the model wrote as a call that the provider could not read, if the provider says so
	Signature string // of that call, if the provider wants one back
}

// Ends ends the answer for the reason that the provider's word means. If the word is unknown, the
// answer did not come to its end, and is the error of an answer that broke off. A call that the
// provider could not read becomes one that is Invalid and has no name: the model reads so, and
// writes it again.
func (a *Answer) Ends(e Ending) error {
	if e.Word == "" {
		return nil
	}
	reason, known := endings[strings.ToLower(e.Word[strings.LastIndexByte(e.Word, ' ')+1:])]
	switch {
	case !known:
		a.odd = e.Word
		a.End("")
	case reason == unreadable:
		a.End(ToolCalls)
		return a.calls.unreadable(cmp.Or(e.Written, e.Word), e.Signature)
	default:
		a.End(reason)
	}
	return nil
}

// plainWord matches a word that is shown to people. Others may hold anything, secrets too.
var plainWord = regexp.MustCompile(`^[A-Za-z_]{1,40}$`)

// brokenOff returns the error of an answer without an end.
func (a *Answer) brokenOff() error {
	if plainWord.MatchString(a.odd) {
		return fault.New("models.Stream", sdkapi.ModelUnavailable, "the model's provider ended the answer before it was whole (%s); ask again", a.odd)
	}
	return fault.New("models.Stream", sdkapi.ModelUnavailable, "the model's answer broke off")
}
