package transcription

import (
	"bytes"
	"math/bits"
	"strings"
)

// webmMagic is the beginning of a WebM file.
var webmMagic = []byte{0x1a, 0x45, 0xdf, 0xa3}

// Elements of WebM (RFC 9559). readWebM enters a container wherever it occurs. So it needs no stack, and does
// not rely on the sizes of containers, which a recording browser omits.
const (
	webmSegment    = 0x18538067
	webmTracks     = 0x1654ae6b
	webmCluster    = 0x1f43b675
	webmBlockGroup = 0xa0
	webmTrack      = 0xae

	webmNumber      = 0xd7 // number of a track
	webmCodec       = 0x86
	webmEncodings   = 0x6d80
	webmBlock       = 0xa1
	webmSimpleBlock = 0xa3
)

// webmTrackInfo is the known part of a track's description.
type webmTrackInfo struct {
	number  uint64
	codec   string
	encoded bool // its packets differ from the codec's output
}

// readWebM adds the blocks of a WebM file, up to the first incomplete element.
func (l *opusLength) readWebM(file []byte) {
	var tracks []*webmTrackInfo
	for {
		id, idBytes := variable(file, 4, false)
		size, sizeBytes := variable(file[idBytes:], 8, true)
		if idBytes == 0 || sizeBytes == 0 {
			break
		}
		rest := file[idBytes+sizeBytes:]
		switch id {
		case webmSegment, webmTracks, webmCluster, webmBlockGroup:
			file = rest
			continue
		case webmTrack:
			tracks, file = append(tracks, &webmTrackInfo{}), rest
			continue
		}
		if size > uint64(len(rest)) || len(tracks) > maxStreams {
			break
		}
		l.addElement(tracks, id, rest[:size])
		file = rest[size:]
	}
	l.unread += len(file)
}

// addElement adds an element that describes the last track, or plays a block.
func (l *opusLength) addElement(tracks []*webmTrackInfo, id uint64, body []byte) {
	if id == webmBlock || id == webmSimpleBlock {
		l.addBlock(tracks, body)
		return
	}
	if n := len(tracks); n > 0 {
		last := tracks[n-1]
		switch id {
		case webmNumber:
			last.number = 0
			for _, b := range body[:min(len(body), 8)] {
				last.number = last.number<<8 | uint64(b)
			}
		case webmCodec:
			last.codec = string(bytes.TrimRight(body[:min(len(body), 32)], "\x00"))
		case webmEncodings:
			last.encoded = true
		}
	}
	l.unread += len(body)
}

// addBlock adds a block of a track: its number, two bytes of time, flags, and a packet.
func (l *opusLength) addBlock(tracks []*webmTrackInfo, block []byte) {
	const laced = 0x06 // flags of a block with several packets
	number, n := variable(block, 8, true)
	codec := codecOf(tracks, number)
	switch {
	case n == 0 || len(block) < n+3:
		l.unread += len(block)
	case strings.HasPrefix(codec, "V_"): // video, which has no sound
	case codec != "A_OPUS" || block[n+2]&laced != 0:
		l.unread += len(block)
	default:
		packet := block[n+3:]
		l.add(packet[:min(len(packet), headBytes)], len(packet))
	}
}

// codecOf returns the codec of a track. It is empty if it is unknown, or if several tracks with the
// number differ.
func codecOf(tracks []*webmTrackInfo, number uint64) (codec string) {
	for _, t := range tracks {
		switch {
		case t.number != number:
		case t.encoded || codec != "" && codec != t.codec:
			return ""
		default:
			codec = t.codec
		}
	}
	return codec
}

// variable reads a number of at most limit bytes. The leading zeros of its first byte give its length n. If
// data is true, variable removes the marker bit, and returns 1<<63 for an unknown size. n is 0 if there is
// no valid number.
func variable(b []byte, limit int, data bool) (number uint64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	n = bits.LeadingZeros8(b[0]) + 1
	if n > limit || n > len(b) {
		return 0, 0
	}
	for _, one := range b[:n] {
		number = number<<8 | uint64(one)
	}
	if mark := uint64(1) << (7 * n); data {
		number &^= mark
		if number == mark-1 {
			number = 1 << 63
		}
	}
	return number, n
}
