package transcription_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/models/speech/transcription"
)

// browserFile is a file that Chromium recorded with 6 kbit/s asked for: MediaRecorder, audio/webm;codecs=opus, for 5 s.
func browserFile(t testing.TB) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "recorded.webm"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// packet returns a packet of Opus with a frame of 20 ms.
func packet(size int) []byte { return append([]byte{9 << 3}, make([]byte, size-1)...) }

// page returns a page of Ogg with whole packets.
func page(serial, flags byte, packets ...[]byte) []byte {
	var sizes, body []byte
	for _, p := range packets {
		sizes, body = append(append(sizes, bytes.Repeat([]byte{255}, len(p)/255)...), byte(len(p)%255)), append(body, p...)
	}
	head := append([]byte("OggS\x00"), flags, 0, 0, 0, 0, 0, 0, 0, 0, serial, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte(len(sizes)))
	all := slices.Concat(head, sizes, body)
	binary.LittleEndian.PutUint32(all[22:], slowSum(all))
	return all
}

// slowSum is the checksum of a page, bit by bit.
func slowSum(all []byte) (sum uint32) {
	for _, b := range all {
		for bit := 7; bit >= 0; bit-- {
			carry := sum>>31 ^ uint32(b>>bit)&1
			sum = sum<<1 ^ carry*0x04c11db7
		}
	}
	return sum
}

// ogg returns a file that plays for n seconds, with 50 packets of a size in each.
func ogg(n, size int) []byte {
	file := slices.Concat(page(7, 2, []byte("OpusHead\x01\x01\x00\x00\x80\xbb\x00\x00\x00\x00\x00")), page(7, 0, []byte("OpusTags\x00\x00\x00\x00\x00\x00\x00\x00")))
	for range n {
		file = append(file, page(7, 0, slices.Repeat([][]byte{packet(size)}, 50)...)...)
	}
	return file
}

// element returns an element of WebM.
func element(id string, body ...byte) []byte {
	return append(append([]byte(id), 0x10|byte(len(body)>>24), byte(len(body)>>16), byte(len(body)>>8), byte(len(body))), body...)
}

func track(number byte, codec string, more ...byte) []byte {
	return element("\xae", slices.Concat(element("\xd7", number), element("\x86", []byte(codec)...), more)...)
}

// webm returns a file of tracks with a cluster of n blocks of track 1, each 20 ms.
func webm(n int, flags byte, tracks ...[]byte) []byte {
	file := slices.Concat([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"), element("\x16\x54\xae\x6b", bytes.Join(tracks, nil)...), []byte("\x1f\x43\xb6\x75\xff"))
	for i := range n {
		block := append([]byte{0x81, 0, 0, flags}, packet(40)...)
		if i%2 == 0 {
			file = append(file, element("\xa3", block...)...)
		} else {
			file = append(file, element("\xa0", element("\xa1", block...)...)...)
		}
	}
	return file
}

// Opus plays for as long as its packets say, whatever the container says, and what cannot be read is not taken for nothing.
func TestOpusLength(t *testing.T) {
	t.Parallel()
	opus, vp8 := track(1, "A_OPUS"), track(1, "V_VP8")
	whole := ogg(60, 15)
	broken := slices.Clone(whole)
	broken[len(broken)/2]++
	for name, tt := range map[string]struct {
		file   []byte
		plays  time.Duration
		unread [2]int // at least, at most
	}{
		"recorded by a browser":         {browserFile(t), 5 * time.Second, [2]int{0, 400}},
		"Ogg, 6 kbit/s":                 {whole, time.Minute, [2]int{}},
		"packets over many segments":    {ogg(10, 255), 10 * time.Second, [2]int{}},
		"a page that is damaged":        {broken, 29 * time.Second, [2]int{len(whole) / 2, len(whole)/2 + 900}},
		"a file behind it":              {append(slices.Clone(whole), make([]byte, 5000)...), time.Minute, [2]int{5000, 5000}},
		"another stream beside it":      {append(slices.Clone(whole), page(8, 2, []byte("Speex   "), packet(200))...), time.Minute, [2]int{208, 208}},
		"a file in a packet":            {append(slices.Clone(whole), page(7, 0, packet(32_000))...), 62 * time.Second, [2]int{}},
		"no file of Opus":               {make([]byte, 1000), 0, [2]int{1000, 1000}},
		"WebM":                          {webm(3000, 0, opus), time.Minute, [2]int{0, 20}},
		"a track of pictures":           {webm(3000, 0, vp8), 0, [2]int{0, 20}},
		"two tracks of one number":      {webm(3000, 0, vp8, opus), 0, [2]int{3000 * 44, 3000*44 + 40}},
		"a track that is encoded":       {webm(3000, 0, track(1, "A_OPUS", element("\x6d\x80", 1)...)), 0, [2]int{3000 * 44, 3000*44 + 40}},
		"several packets in each block": {webm(3000, 4, opus), 0, [2]int{3000 * 44, 3000*44 + 40}},
		"too many tracks":               {webm(3000, 0, slices.Repeat([][]byte{opus}, 17)...), 0, [2]int{3000 * 44, 3000 * 60}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plays, unread := transcription.OpusLength(tt.file)
			if plays.Round(time.Second) != tt.plays || unread < tt.unread[0] || unread > tt.unread[1] {
				t.Errorf("it plays for %v, and %d of %d bytes are not read; expected %v and %d", plays, unread, len(tt.file), tt.plays, tt.unread)
			}
		})
	}
}

// Whatever a file is, it is read, and what is not read of it is no more than it has.
func FuzzOpusLength(f *testing.F) {
	f.Add(ogg(1, 15))
	f.Add(webm(10, 0, track(1, "A_OPUS")))
	f.Add(browserFile(f))
	f.Fuzz(func(t *testing.T, file []byte) {
		plays, unread := transcription.OpusLength(file)
		if plays < 0 || unread < 0 || unread > len(file) || plays > time.Duration(len(file)+1)*4*time.Second {
			t.Errorf("it plays for %v, and %d of %d bytes are not read", plays, unread, len(file))
		}
	})
}
