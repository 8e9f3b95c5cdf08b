package transcription

import (
	"encoding/binary"
	"time"
)

// Limits of the claims in an MPEG-4 file.
const (
	longestMP4 = 7 * 24 * time.Hour // a longer claimed duration is ignored
	mp4Samples = 1024               // samples in a packet of AAC
	mp4Hertz   = 48_000             // sample rate of most recordings; at lower rates packets last longer
)

// mp4Length collects the known duration of an MPEG-4 file.
type mp4Length struct {
	plays   time.Duration
	packets int
	unknown bool // the file may last longer
}

// readMP4 returns the duration of an MPEG-4 file, such as M4A, by ISO 14496-12: the maximum of the
// durations in its header and its tracks, and at least the duration of its packets. It returns 0 if
// the number of packets is unknown, or if more packets follow outside of the header.
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
		case "moov", "trak", "mdia", "minf", "stbl": // containers are entered, which needs no stack
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

// add adds the claims of a box.
func (l *mp4Length) add(kind string, body []byte) {
	switch kind {
	case "mvhd", "mdhd":
		l.plays = max(l.plays, durationOf(body))
	case "stsz":
		switch {
		// Packets of equal size may be single samples.
		case len(body) < 12 || binary.BigEndian.Uint32(body[4:]) != 0:
			l.unknown = true
		default:
			l.packets = max(l.packets, min(int(binary.BigEndian.Uint32(body[8:])), len(body[12:])/4))
		}
	case "moof", "stz2":
		l.unknown = true
	}
}

// durationOf returns the duration in the header of a movie or a track. It returns 0 if there is none.
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
