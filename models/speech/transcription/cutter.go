package transcription

import (
	"sync"
	"time"

	"github.com/windieos/windie/models/speech/pcm"
)

// DefaultSilence is the silence that ends an utterance.
const DefaultSilence = 500 * time.Millisecond

// How a stream of sound is cut into utterances.
const (
	beforeFrames = 300 / frameTime // kept of what is before the first speech
	onsetFrames  = 3               // of speech in a row begin an utterance
	leastFrames  = 250 / frameTime // a shorter sound is a noise
	mostTime     = 15 * time.Second
	mostFrames   = int(mostTime/time.Millisecond) / frameTime // a longer one is cut
	pauseFrames  = 2_000 / frameTime                          // before that, at a pause if there is one
	maxSilence   = 2 * time.Second                            // between two pieces of sound, which ends an utterance too
)

// hearer gets utterances while they are said.
type hearer interface {
	begun()
	heard(sound []int16)
	finished()
}

// cutter cuts sound into utterances.
type cutter struct {
	rate  int // of the sound of utterances, in Hz
	after int // frames without speech that end one
	to    hearer

	mu       sync.Mutex
	idle     *time.Timer // until no sound has come for long
	from     int         // rate of what comes, in Hz
	resample *pcm.Resampler
	detect   *detector
	rest     []int16 // less than a frame
	kept     []int16 // before an utterance begins, or of it to be handed on
	run      int     // frames of speech in a row
	quiet    int     // frames since speech
	length   int     // frames since the first speech; 0 in silence
	begun    bool
}

func newCutter(rate int, silence time.Duration, to hearer) *cutter {
	return &cutter{rate: rate, after: max(1, int(silence/(frameTime*time.Millisecond))), to: to, detect: newDetector(rate)}
}

// add takes sound.
func (c *cutter) add(frame Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == nil {
		c.idle = time.AfterFunc(maxSilence, c.pause)
	}
	c.idle.Reset(maxSilence)
	if frame.Rate != c.from {
		c.from, c.resample = frame.Rate, pcm.NewResampler(frame.Rate, c.rate)
	}
	size := c.rate * frameTime / 1000
	c.rest = append(c.rest, c.resample.Write(frame.samples())...)
	for ; len(c.rest) >= size; c.rest = c.rest[size:] {
		c.frame(c.rest[:size:size])
	}
	c.handOn()
}

// pause ends an utterance of whose speaker nothing comes any longer.
func (c *cutter) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish()
}

func (c *cutter) frame(frame []int16) {
	if c.detect.speech(frame) {
		c.run++
		if c.run > 1 { // a single loud frame is a click
			c.quiet = 0
		}
	} else {
		c.run, c.quiet = 0, c.quiet+1
	}
	c.kept = append(c.kept, frame...)
	switch {
	case c.length == 0 && c.run < onsetFrames:
		c.keep(beforeFrames + onsetFrames)
		return
	case c.length == 0:
		c.length = c.run
	default:
		c.length++
	}
	if !c.begun && c.length-c.quiet >= leastFrames {
		c.begun = true
		c.to.begun()
	}
	long := c.length >= mostFrames || c.length >= mostFrames-pauseFrames && c.run == 0
	if c.quiet >= c.after || c.begun && long {
		c.finish()
	}
}

// finish ends the utterance, if one has begun.
func (c *cutter) finish() {
	if c.begun {
		c.handOn()
		c.to.finished()
	}
	c.begun, c.length, c.run = false, 0, 0
	c.keep(beforeFrames)
}

// handOn hands on what has come of the utterance.
func (c *cutter) handOn() {
	if c.begun && len(c.kept) > 0 {
		c.to.heard(c.kept)
		c.kept = nil
	}
}

// keep drops all but the last frames of what is kept.
func (c *cutter) keep(frames int) {
	size := frames * c.rate * frameTime / 1000
	c.kept = append([]int16(nil), c.kept[max(0, len(c.kept)-size):]...)
}

// startOver forgets what has come, and the utterance that has begun.
func (c *cutter) startOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest, c.kept = nil, nil
	c.begun, c.length, c.run, c.quiet = false, 0, 0, 0
}
