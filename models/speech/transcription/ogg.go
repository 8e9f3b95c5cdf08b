package transcription

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Constants of an Ogg page (RFC 3533, section 6).
const (
	oggHead    = 27 // bytes before the sizes of its segments
	maxStreams = 16 // streams of one file; if a file has more, its rest is not read
	headBytes  = 8  // bytes at the start of a packet that identify its kind
)

// oggStream has the incomplete packet of a stream.
type oggStream struct {
	serial uint32
	opus   bool
	head   []byte // start of the packet, at most headBytes bytes
	size   int    // bytes of the packet so far
}

// readOgg adds the pages of an Ogg file, up to the first page that decoders would skip. The rest counts as
// unread.
func (l *opusLength) readOgg(file []byte) {
	var streams []*oggStream
	for {
		page, sizes, body := pageOf(file)
		if page == nil {
			break
		}
		serial := binary.LittleEndian.Uint32(page[14:])
		at := slices.IndexFunc(streams, func(s *oggStream) bool { return s.serial == serial })
		if at < 0 {
			if len(streams) == maxStreams {
				break
			}
			at, streams = len(streams), append(streams, &oggStream{serial: serial})
		}
		l.addPage(streams[at], page[5], sizes, body)
		file = file[len(page):]
	}
	l.unread += len(file)
}

// addPage adds the packets that end on a page of a stream.
func (l *opusLength) addPage(s *oggStream, flags byte, sizes, body []byte) {
	const continued, begins = 1, 2
	if flags&begins != 0 {
		s.opus = bytes.HasPrefix(body, opusHead)
	}
	if !s.opus {
		l.unread += len(body)
		return
	}
	if flags&continued == 0 {
		l.unread += s.size // of an incomplete packet
		s.head, s.size = nil, 0
	}
	for _, size := range sizes {
		s.head = append(s.head, body[:min(int(size), headBytes-len(s.head))]...)
		s.size += int(size)
		body = body[size:]
		if size < 255 {
			l.add(s.head, s.size)
			s.head, s.size = s.head[:0], 0
		}
	}
}

// pageOf returns the first page of a file, the sizes of its segments and their content. It returns
// nil if there is no complete page.
func pageOf(file []byte) (page, sizes, body []byte) {
	if len(file) < oggHead || string(file[:5]) != "OggS\x00" || len(file) < oggHead+int(file[26]) {
		return nil, nil, nil
	}
	head := oggHead + int(file[26])
	sizes, end := file[oggHead:head], head
	for _, n := range sizes {
		end += int(n)
	}
	if len(file) < end || oggSum(file[:end]) != binary.LittleEndian.Uint32(file[22:]) {
		return nil, nil, nil
	}
	return file[:end], sizes, file[head:end]
}

// oggTable is the table of Ogg's CRC. The standard library has it only in another bit order.
var oggTable = func() (table [256]uint32) {
	for i := range table {
		sum := uint32(i) << 24
		for range 8 {
			sum = sum<<1 ^ 0x04c11db7*(sum>>31)
		}
		table[i] = sum
	}
	return table
}()

// oggSum returns the checksum of a page. The checksum's own bytes count as 0.
func oggSum(page []byte) (sum uint32) {
	for i, b := range page {
		if i >= 22 && i < 26 {
			b = 0
		}
		sum = sum<<8 ^ oggTable[byte(sum>>24)^b]
	}
	return sum
}
