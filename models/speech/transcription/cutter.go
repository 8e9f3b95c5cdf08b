package transcription

import (
	"sync"
	"time"

	"github.com/windieos/windie/models/speech/pcm"
)

// DefaultSilence is the default duration of the silence that ends an utterance.
const DefaultSilence = 500 * time.Millisecond

// Parameters of splitting sound into utterances.
const (
	beforeFrames = 300 / frameTime // sound before the first speech that belongs to the utterance
	onsetFrames  = 3               // consecutive frames of speech that begin an utterance
	leastFrames  = 250 / frameTime // a shorter sound is noise
	mostTime     = 15 * time.Second
	mostFrames   = int(mostTime/time.Millisecond) / frameTime // a longer utterance is split
	pauseFrames  = 2_000 / frameTime                          // this long before the limit, a pause splits
	maxSilence   = 2 * time.Second                            // time without input that ends an utterance
)

// hearer receives utterances while they are spoken. For each utterance, the cutter calls begun, then heard for
// each piece of sound, then finished. It holds its mutex meanwhile.
type hearer interface {
	begun()
	heard(sound []int16)
	finished()
}

// cutter splits sound into utterances.
type cutter struct {
	rate  int // of the output sound, in Hz
	after int // frames without speech that end an utterance
	to    hearer

	mu       sync.Mutex
	idle     *time.Timer // fires after maxSilence without input
	from     int         // sample rate of the input, in Hz
	resample *pcm.Resampler
	detect   *detector
	rest     []int16 // incomplete frame
	kept     []int16 // sound before an utterance, or sound of it that the hearer has not got yet
	run      int     // consecutive frames of speech
	quiet    int     // frames since the last speech
	length   int     // frames since the first speech; 0 in silence
	begun    bool
}

// newCutter returns a cutter that gives utterances to the hearer, at rate Hz. silence is the duration of the silence
// that ends an utterance.
func newCutter(rate int, silence time.Duration, to hearer) *cutter {
	return &cutter{rate: rate, after: max(1, int(silence/(frameTime*time.Millisecond))), to: to, detect: newDetector(rate)}
}

// add adds sound. If the sample rate changes, add starts with a new resampler.
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

// pause ends the current utterance, because no sound has arrived for maxSilence.
func (c *cutter) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish()
}

// frame adds one frame of sound, and begins or ends an utterance if it decides so. The caller holds mu.
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

// finish ends the current utterance, if there is one.
func (c *cutter) finish() {
	if c.begun {
		c.handOn()
		c.to.finished()
	}
	c.begun, c.length, c.run = false, 0, 0
	c.keep(beforeFrames)
}

// handOn gives the new sound of the current utterance to the hearer.
func (c *cutter) handOn() {
	if c.begun && len(c.kept) > 0 {
		c.to.heard(c.kept)
		c.kept = nil
	}
}

// keep drops the kept sound, except its last frames.
func (c *cutter) keep(frames int) {
	size := frames * c.rate * frameTime / 1000
	c.kept = append([]int16(nil), c.kept[max(0, len(c.kept)-size):]...)
}

// startOver discards all sound and the current utterance.
func (c *cutter) startOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest, c.kept = nil, nil
	c.begun, c.length, c.run, c.quiet = false, 0, 0, 0
}
