// Package speech speaks: it cuts a text that streams into sentences, and has a voice turn them into sound.
//
//	voice := speech.NewESpeak(speech.ESpeakOptions{})
//	talk := speech.Talk(ctx, voice, func(chunk []byte) bool { return send(chunk) })
//	talk.Add("The letter is ")
//	talk.Add("sorted. Anything else?")
//	talk.End()
//
// Sound is PCM: 16 bits, little endian, one channel, Rate samples a second.
package speech

import (
	"context"
	"iter"
	"time"
)

// Rate is the sample rate of all sound, in Hz.
const Rate = 22050

// Chunks of sound.
const (
	chunkBytes = 2 * Rate / 5                          // 200 ms
	leastBytes = 2 * Rate / 10                         // 100 ms, which the last chunk is filled up to
	chunkTime  = chunkBytes * time.Second / (2 * Rate) // of one
)

// Voice turns text into sound. Its methods may be called from several goroutines at once.
type Voice interface {
	// Speak yields the sound of a text in pieces of any size, whole samples each, until all is yielded, or with an error
	// at the end.
	Speak(ctx context.Context, text string) iter.Seq2[[]byte, error]

	// Name names the voice, for people.
	Name() string

	// Ready reports whether the voice can speak. Its error says what to do.
	Ready(ctx context.Context) error
}
