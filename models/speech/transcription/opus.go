package transcription

import (
	"bytes"
	"time"
)

// opusLength collects the known duration of an Opus file.
type opusLength struct {
	plays  time.Duration
	unread int // bytes of unknown content
}

// OpusLength returns the duration of the Opus sound in an Ogg or WebM file, and the number of bytes
// that it could not read as Opus. It accepts any bytes. It adds up the durations that the packets
// state, because decoders use these durations. It ignores the times of the container, because
// decoders ignore them and a sender can forge them.
func OpusLength(file []byte) (plays time.Duration, unread int) {
	var l opusLength
	if bytes.HasPrefix(file, webmMagic) {
		l.readWebM(file)
	} else {
		l.readOgg(file)
	}
	return l.plays, l.unread
}

// mostOpusRate is the maximum number of bytes in one second of sound: 128 kbit/s. A larger packet counts as
// longer, so that a sender cannot hide data in it.
const mostOpusRate = 16_000

// add adds a packet, by its first bytes and its size.
func (l *opusLength) add(head []byte, size int) {
	if !bytes.HasPrefix(head, opusHead) && !bytes.HasPrefix(head, opusTags) {
		l.plays += max(packetTime(head), time.Duration(size)*time.Second/mostOpusRate)
	}
}

// opusHead and opusTags begin the packets of an Opus stream that have no sound.
var opusHead, opusTags = []byte("OpusHead"), []byte("OpusTags")

// packetTime returns the duration of a packet, by its first bytes (RFC 6716, section 3.1).
func packetTime(head []byte) time.Duration {
	if len(head) == 0 {
		return 0
	}
	const ms = time.Millisecond
	config := head[0] >> 3
	var frame time.Duration
	switch {
	case config < 12: // SILK
		frame = []time.Duration{10 * ms, 20 * ms, 40 * ms, 60 * ms}[config%4]
	case config < 16: // hybrid
		frame = []time.Duration{10 * ms, 20 * ms}[config%2]
	default: // CELT
		frame = []time.Duration{5 * ms / 2, 5 * ms, 10 * ms, 20 * ms}[config%4]
	}
	switch {
	case head[0]&3 == 0:
		return frame
	case head[0]&3 < 3:
		return 2 * frame
	case len(head) == 1:
		return 0
	}
	return time.Duration(head[1]&63) * frame
}
