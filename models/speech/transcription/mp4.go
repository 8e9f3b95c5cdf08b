package transcription

import (
	"encoding/binary"
	"time"
)

// Bounds of what a file of MPEG-4 may say of itself.
const (
	longestMP4 = 7 * 24 * time.Hour // one that claims more is taken for one that says nothing
	mp4Samples = 1024               // of a packet of AAC
	mp4Hertz   = 48_000             // of most recordings; packets of fewer play for longer
)

// mp4Length is what is known of how long a file of MPEG-4 plays.
type mp4Length struct {
	plays   time.Duration
	packets int
	unknown bool // it may play for longer
}

// readMP4 returns how long a file of MPEG-4 plays, as M4A, by ISO 14496-12: for as long as its header or one of its tracks says, and for
// no less than its packets need. It is 0 if the file does not say how many packets it has, or has more behind its header.
func readMP4(file []byte) time.Duration {
	if len(file) < 12 || string(file[4:8]) != "ftyp" {
		return 0
	}
	var l mp4Length
	for len(file) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(file)), 8
		switch {
		case size == 1 && len(file) >= 16:
			size, head = binary.BigEndian.Uint64(file[8:]), 16
		case size == 0:
			size = uint64(len(file))
		}
		if size < uint64(head) || size > uint64(len(file)) {
			break
		}
		switch kind := string(file[4:8]); kind {
		case "moov", "trak", "mdia", "minf", "stbl": // they hold others, which are entered: that needs no stack
			size = uint64(head)
		default:
			l.add(kind, file[head:size])
		}
		file = file[size:]
	}
	if l.unknown || l.packets == 0 || l.plays > longestMP4 {
		return 0
	}
	return max(l.plays, time.Duration(l.packets)*mp4Samples*time.Second/mp4Hertz)
}

// add adds what a box says of the length of the file.
func (l *mp4Length) add(kind string, body []byte) {
	switch kind {
	case "mvhd", "mdhd":
		l.plays = max(l.plays, durationOf(body))
	case "stsz":
		switch {
		case len(body) < 12 || binary.BigEndian.Uint32(body[4:]) != 0: // packets of one size may be single samples
			l.unknown = true
		default:
			l.packets = max(l.packets, min(int(binary.BigEndian.Uint32(body[8:])), len(body[12:])/4))
		}
	case "moof", "stz2":
		l.unknown = true
	}
}

// durationOf returns how long the header of a movie or of a track says that it plays, 0 if it does not.
func durationOf(body []byte) time.Duration {
	var scale, units uint64
	switch {
	case len(body) >= 32 && body[0] == 1:
		scale, units = uint64(binary.BigEndian.Uint32(body[20:])), binary.BigEndian.Uint64(body[24:])
	case len(body) >= 20 && body[0] == 0:
		scale, units = uint64(binary.BigEndian.Uint32(body[12:])), uint64(binary.BigEndian.Uint32(body[16:]))
	}
	if scale == 0 || units == 1<<32-1 || units == 1<<64-1 {
		return 0
	}
	return time.Duration(min(float64(units)/float64(scale), 2*longestMP4.Seconds()) * float64(time.Second))
}
