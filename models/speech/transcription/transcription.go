// Package transcription makes text of speech while it is said: by a Nova gateway, by OpenAI's realtime protocol, or by a
// server with OpenAI's route /audio/transcriptions.
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

// Transcriber makes text of speech. Its methods may be called from several goroutines at once.
type Transcriber interface {
	// Name returns its model, or what people call it.
	Name() string

	// Ready reports whether speech can become text now; its error says what to do.
	Ready(ctx context.Context) error

	// Listen returns a Listener to one speaker. It works until ctx ends, or its server is given up. report gets what
	// it understands, one event after the other; it must return soon.
	Listen(ctx context.Context, report func(Event)) Listener
}

// Listener makes text of what one speaker says. Its methods are called by one goroutine, but Wait.
type Listener interface {
	// Hear takes the next sound. While as much is kept as may be, it waits. Its error says that the Listener has ended.
	Hear(frame Frame) error

	// Speak says which languages are spoken from now on.
	Speak(Languages)

	// StartOver forgets all sound of which there is no text yet.
	StartOver()

	// Wait waits until the Listener has ended, and returns why: nil if its context did.
	Wait() error
}

// Languages say what is spoken, and into what it is to be translated, as codes like "en". Empty is unknown, or nothing.
type Languages struct{ Source, Target string }

// Event is what a Listener reports: Text, Ended or Failed.
type Event interface{ event() }

// Text is what was said, of an utterance from its beginning. Until it is final, the next one replaces it.
type Text struct {
	Text        string
	Translation string // empty where the server makes none
	Final       bool
}

// Ended says that an utterance is over.
type Ended struct{}

// Failed says that something is missing, or will be. The Listener goes on.
type Failed struct{ Err *fault.Error }

func (Text) event()   {}
func (Ended) event()  {}
func (Failed) event() {}

// Bounds of a listener.
const (
	maxKept  = 4 << 20          // bytes of sound of which there is no text yet: 43 s at 48 kHz
	patience = time.Minute      // with a server that is away, after which the listener ends
	dialTime = 10 * time.Second // to connect
)

const op = "transcription"

// away is the fault of a server that does not answer.
func away(err error) *fault.Error {
	return fault.New(op, sdkapi.TranscriptionUnavailable, "the transcription server does not answer; sound waits for it").Because(err)
}

// givenUp is the fault of a server that does not answer for too long.
func givenUp(err error) *fault.Error {
	return fault.New(op, sdkapi.TranscriptionUnavailable, "the transcription server has not answered for %v; connect again later", patience).Because(err)
}

// refused is the fault of a server that does not take what it is sent.
func refused(err error) *fault.Error {
	return fault.New(op, sdkapi.TranscriptionError, "the transcription server refuses what it is sent; whoever runs the gateway finds the reason in its log").Because(err)
}

// missing is the fault of an utterance of which there is no text.
func missing(err error) *fault.Error {
	return fault.New(op, sdkapi.TranscriptionError, "an utterance could not be transcribed; say it again").Because(err)
}
