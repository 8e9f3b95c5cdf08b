// Package speech converts a text to sound while the text arrives. It splits the text into
// sentences, and a voice speaks each sentence.
//
//	voice := speech.NewESpeak(speech.ESpeakOptions{})
//	talk := speech.Talk(ctx, voice, func(chunk []byte) bool { return send(chunk) })
//	talk.Add("The letter is ")
//	talk.Add("sorted. Anything else?")
//	talk.End()
//
// Sound is PCM: 16 bits, little endian, one channel, Rate samples per second.
package speech

import (
	"context"
	"iter"
	"time"
)

// Rate is the sample rate of all sound, in Hz.
const Rate = 22050

// Sizes of chunks of sound.
const (
	chunkBytes = 2 * Rate / 5                          // 200 ms
	leastBytes = 2 * Rate / 10                         // 100 ms; silence fills a shorter last chunk up to this
	chunkTime  = chunkBytes * time.Second / (2 * Rate) // duration of a chunk
)

// Voice converts text to sound. Its methods are safe for concurrent use.
type Voice interface {
	// Speak yields the sound of a text in pieces of any size, each of whole samples. An error ends
	// it. If the voice takes longer than its limit, the error wraps context.DeadlineExceeded.
	Speak(ctx context.Context, text string) iter.Seq2[[]byte, error]

	// Name returns the voice's name for people.
	Name() string

	// Ready checks that the voice can speak. Its error says what to do.
	Ready(ctx context.Context) error
}
