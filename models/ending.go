package models

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// unreadable ends an answer whose last call the provider could not parse.
const unreadable EndReason = "unreadable"

// endings maps the providers' words for the end of an answer, in lower case, to the reason. No two
// providers use one word for different reasons. An answer with a word that is missing here counts as
// interrupted.
var endings = map[string]EndReason{
	"stop": Stop, "end_turn": Stop, "stop_sequence": Stop, "eos": Stop, "eos_token": Stop,
	"tool_calls": ToolCalls, "tool_use": ToolCalls, "function_call": ToolCalls,

	"length": Length, "max_tokens": Length, "model_length": Length, "model_context_window_exceeded": Length,

	"content_filter": Refused, "refusal": Refused, "safety": Refused, "recitation": Refused, "language": Refused, "blocklist": Refused,
	"prohibited_content": Refused, "spii": Refused, "image_safety": Refused, "image_prohibited_content": Refused, "image_recitation": Refused,

	"malformed_function_call": unreadable, "unexpected_tool_call": unreadable, "too_many_tool_calls": unreadable,
}

// Ending describes how a provider ended an answer.
type Ending struct {
	// Word is the provider's word for the reason of the end, in upper or lower case. Some servers
	// put a word of their own before it, for example "content_filter: RECITATION". If Word is
	// empty, the answer has not ended.
	Word    string
	Written string // text that the model wrote for a call that the provider could not parse; may be empty
	// Signature is the signature of the call that the provider could not parse. It is empty if the
	// provider does not require it in the next request.
	Signature string
}

// Ends sets the reason for the end of the answer. It derives the reason from e.Word, the provider's
// word. An unknown word means that the answer was interrupted, and the error of the answer contains
// the word. If the provider could not parse a tool call, Ends adds an Invalid call, whose result
// asks the model to repeat the call.
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

// plainWord matches a word that a message may contain. Other text could contain secrets.
var plainWord = regexp.MustCompile(`^[A-Za-z_]{1,40}$`)

// brokenOff returns the MODEL_UNAVAILABLE of an answer without an end.
func (a *Answer) brokenOff() error {
	if plainWord.MatchString(a.odd) {
		return fault.New("models.Stream", sdkapi.ModelUnavailable, "the model's provider ended the answer early (%s); try again", a.odd)
	}
	return fault.New("models.Stream", sdkapi.ModelUnavailable, "the connection to the model's provider ended before the answer was complete; try again")
}
