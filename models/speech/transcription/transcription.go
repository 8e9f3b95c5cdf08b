// Package transcription converts speech to text while it is spoken: with a Nova gateway, with
// OpenAI's realtime protocol, or with a server that has OpenAI's route /audio/transcriptions.
//
//	listener := transcriber.Listen(ctx, func(e transcription.Event) { … })
//	err := listener.Hear(frame)
package transcription

import (
	"context"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Transcriber converts speech to text. Its methods are safe for concurrent use.
type Transcriber interface {
	// Name returns the name of the model, or else a name of the server for people.
	Name() string

	// Ready checks that speech can be transcribed now. Its error contains the fix.
	Ready(ctx context.Context) error

	// Listen returns a Listener to one speaker. The Listener works until ctx ends, or until its server
	// is unreachable for too long. report gets the events, one at a time, and must return quickly.
	Listen(ctx context.Context, report func(Event)) Listener
}

// Listener transcribes one speaker. Its methods, except Wait, must be called from one goroutine.
type Listener interface {
	// Hear adds sound. It blocks while too much sound is waiting. It returns an error if the
	// Listener has ended.
	Hear(frame Frame) error

	// Speak sets the spoken languages of the sound that follows.
	Speak(Languages)

	// StartOver discards all sound that is not yet transcribed.
	StartOver()

	// Wait waits until the Listener has ended. It returns the reason, or nil if its context ended.
	Wait() error
}

// Languages are the spoken language and the language of the translation, as codes such as "en". If
// Source is empty, the spoken language is unknown. If Target is empty, there is no translation.
type Languages struct{ Source, Target string }

// Event is an event of a Listener: Text, Ended or Failed.
type Event interface{ event() }

// Text is the text of an utterance so far, from the start of the utterance. If Final is not set,
// the next Text replaces it.
type Text struct {
	Text        string
	Translation string // translation of the text; empty if the server does not translate
	Final       bool
}

// Ended reports the end of an utterance.
type Ended struct{}

// Failed reports that a text is missing or late. The Listener continues after it.
type Failed struct{ Err *fault.Error }

// The methods event mark the types that are events. They do nothing.

func (Text) event()   {}
func (Ended) event()  {}
func (Failed) event() {}

// Limits of a listener.
const (
	maxKept  = 4 << 20          // bytes of sound without text: 43 s at 48 kHz
	patience = time.Minute      // time after which the listener ends if its server is unreachable
	dialTime = 10 * time.Second // time limit for connecting
)

// op is the operation in the package's faults.
const op = "transcription"

// away returns the fault of a server that does not respond.
func away(err error) *fault.Error {
	return fault.New(op, sdkapi.TranscriptionUnavailable, "the transcription server does not respond; the gateway buffers the sound and reconnects").Because(err)
}

// givenUp returns the fault of a server that has been unreachable for longer than patience.
func givenUp(err error) *fault.Error {
	return fault.New(op, sdkapi.TranscriptionUnavailable, "the transcription server has not responded for %v; connect again later", patience).Because(err)
}

// refused returns the fault of a server that refuses a message.
func refused(err error) *fault.Error {
	return fault.New(op, sdkapi.TranscriptionError, "the transcription server refuses the gateway's messages; ask the operator to read the reason in the gateway's log").Because(err)
}

// missing returns the fault of an utterance without a text.
func missing(err error) *fault.Error {
	return fault.New(op, sdkapi.TranscriptionError, "the transcription of an utterance failed; speak the utterance again").Because(err)
}
