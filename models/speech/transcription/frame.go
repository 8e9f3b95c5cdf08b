package transcription

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/speech/pcm"
	"github.com/windieos/windie/sdkapi"
)

// Rates returns the valid sample rates, in Hz.
func Rates() []int { return []int{8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000} }

// Frame is a piece of sound: 16-bit PCM, little endian, one channel.
type Frame struct {
	Raw  []byte // the frame as received: length of the metadata, metadata, sound
	Rate int    // sample rate, in Hz
	PCM  []byte
}

// maxMetadata is the maximum size of a frame's metadata, in bytes.
const maxMetadata = 4 << 10

// ParseFrame parses a frame. A frame is the length of the metadata in four little-endian bytes,
// then the metadata, for example {"sampleRate":16000}, and then the sound. The sound in the result
// shares memory with raw, so raw must not change. ParseFrame fails with VALIDATION_ERROR for an
// invalid frame.
func ParseFrame(raw []byte) (Frame, error) {
	bad := func(path, expected string) error {
		return fault.New(op, sdkapi.ValidationError, "invalid frame of sound: %s: %s", path, expected).At(path, "%s", expected)
	}
	if len(raw) < 4 {
		return Frame{}, bad("frame", "expected at least four bytes, which hold the length of the metadata")
	}
	n := uint64(binary.LittleEndian.Uint32(raw))
	if n > maxMetadata || n > uint64(len(raw)-4) {
		return Frame{}, bad("frame", "expected metadata of at most 4 KiB, with its length in the first four bytes, little endian")
	}
	var meta struct {
		SampleRate int `json:"sampleRate"`
	}
	if err := json.Unmarshal(raw[4:4+n], &meta); err != nil {
		return Frame{}, bad("frame.metadata", `expected JSON such as {"sampleRate":16000}`)
	}
	if !slices.Contains(Rates(), meta.SampleRate) {
		return Frame{}, bad("frame.metadata.sampleRate", "expected 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100 or 48000")
	}
	sound := raw[4+n:]
	if len(sound)%2 != 0 {
		return Frame{}, bad("frame.sound", "expected samples of two bytes")
	}
	return Frame{Raw: raw, Rate: meta.SampleRate, PCM: sound}, nil
}

// Time returns the duration of the frame's sound.
func (f Frame) Time() time.Duration {
	return time.Duration(len(f.PCM)/2) * time.Second / time.Duration(f.Rate)
}

// samples returns the sound as samples.
func (f Frame) samples() []int16 { return pcm.Decode(f.PCM) }
