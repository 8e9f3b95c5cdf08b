package transcription

import (
	"bytes"
	"time"
)

// opusLength is what is known of how long a file of Opus plays.
type opusLength struct {
	plays  time.Duration
	unread int // bytes that nothing is known of
}

// OpusLength returns how long the Opus in an Ogg or WebM file plays, and how many bytes of the file are something else, or are behind
// a place that cannot be read. It takes any bytes. Each packet says how long it plays, and is decoded for as long; what a container says
// besides, as the positions of Ogg and the times of WebM, decoders pass over, and whoever sends a file could write anything there.
func OpusLength(file []byte) (plays time.Duration, unread int) {
	var l opusLength
	if bytes.HasPrefix(file, webmMagic) {
		l.readWebM(file)
	} else {
		l.readOgg(file)
	}
	return l.plays, l.unread
}

// mostOpusRate is how many bytes of one packet play in a second at most: 128 kbit/s. Bytes behind that are charged all the same,
// so that no file is hidden in a packet.
const mostOpusRate = 16_000

// add adds a packet, of which there are the first bytes, by its size.
func (l *opusLength) add(head []byte, size int) {
	if !bytes.HasPrefix(head, opusHead) && !bytes.HasPrefix(head, opusTags) {
		l.plays += max(packetTime(head), time.Duration(size)*time.Second/mostOpusRate)
	}
}

var opusHead, opusTags = []byte("OpusHead"), []byte("OpusTags")

// packetTime returns how long a packet plays, by its first bytes (RFC 6716, section 3.1).
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
