package transcription

import (
	"bytes"
	"time"
)

// mpegFrame is the header of an MPEG audio frame (ISO 11172-3, and 13818-3 for the lower rates).
type mpegFrame struct {
	kind    byte // version and layer
	size    int  // bytes, header included
	samples int
	hertz   int
}

// mpegHead is the size of a frame's header, in bytes.
const mpegHead = 4

// mpegRates has the bit rates in kbit/s. The first index is 0 for version 1, and 1 for versions 2 and 2.5. The
// second is the layer less 1, and the third is the header's index less 1.
var mpegRates = [2][3][14]int{
	{
		{32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
		{32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
		{32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	},
	{
		{32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
		{8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	},
}

// frameOf parses the frame at the start of b. It refuses frames without a bit rate, such as those
// in free format.
func frameOf(b []byte) (f mpegFrame, ok bool) {
	if len(b) < mpegHead || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return f, false
	}
	version, layer := b[1]>>3&3, 4-int(b[1]>>1&3) // 3: version 1, 2: version 2, 0: version 2.5
	rate, hertz := int(b[2]>>4), int(b[2]>>2&3)
	if version == 1 || layer == 4 || rate == 0 || rate == 15 || hertz == 3 {
		return f, false
	}
	low, half := 0, 0
	if version != 3 {
		low, half = 1, int(3-version+1)/2 // version 2.5 has a quarter of the sample rate
	}
	f = mpegFrame{kind: b[1] >> 1 & 15, samples: []int{384, 1152, 1152 >> low}[layer-1], hertz: []int{44100, 48000, 32000}[hertz] >> half}
	bits, padding := mpegRates[low][layer-1][rate-1]*1000, int(b[2]>>1&1)
	if f.size = f.samples/8*bits/f.hertz + padding; layer == 1 {
		f.size = (12*bits/f.hertz + padding) * 4
	}
	return f, true
}

// readMP3 returns the duration of the frames of an MP3 file, and the number of bytes outside of
// frames. For a file of another kind, nearly all bytes are outside of frames. Two consecutive frames
// mark the start. readMP3 counts each frame. It ignores the number of frames in a Xing or Info frame,
// because the sender of a file could write 1 there.
func readMP3(file []byte) (plays time.Duration, unread int) {
	file, begun := file[id3Size(file):], false
	for len(file) > 0 {
		f, ok := frameOf(file)
		if ok && !begun {
			next, follows := frameOf(file[min(f.size, len(file)):])
			begun = follows && next.kind == f.kind && next.hertz == f.hertz
		}
		if !ok || !begun {
			unread, file = unread+1, file[1:]
			continue
		}
		plays += time.Duration(f.samples) * time.Second / time.Duration(f.hertz)
		file = file[min(f.size, len(file)):]
	}
	return plays, unread
}

// id3Size returns the size of the tags at the start of a file, in bytes.
func id3Size(file []byte) int {
	const head, footer = 10, 0x10
	if len(file) < head || !bytes.HasPrefix(file, []byte("ID3")) {
		return 0
	}
	size := head
	if file[5]&footer != 0 {
		size += head
	}
	return min(len(file), size+int(file[6]&127)<<21+int(file[7]&127)<<14+int(file[8]&127)<<7+int(file[9]&127))
}
