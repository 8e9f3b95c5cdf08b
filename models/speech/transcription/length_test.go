package transcription_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/models/speech/transcription"
)

// mp3 returns frames of MP3, each with a head, its size in bytes and nothing in it.
func mp3(n, size int, head ...byte) (file []byte) {
	for range n {
		file = append(file, append(slices.Clone(head), make([]byte, size-len(head))...)...)
	}
	return file
}

// box returns a box of MPEG-4 with parts in it.
func box(kind string, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), []byte(kind), body)
}

// numbers returns numbers of 32 bits.
func numbers(list ...uint32) (b []byte) {
	for _, n := range list {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// m4a returns a file of AAC with 16 kHz, by the length that its header has, in thousandths of a second, and its packets.
func m4a(units uint32, packets int, more ...[]byte) []byte {
	sizes := box("stsz", numbers(0, 0, uint32(packets)), numbers(make([]uint32, packets)...))
	track := box("trak", box("mdia", box("mdhd", numbers(0, 0, 0, 1000, units, 0)), box("minf", box("stbl", sizes))))
	return slices.Concat(box("ftyp", []byte("M4A \x00\x00\x00\x00")), box("mdat", make([]byte, 2000)), box("moov", box("mvhd", numbers(0, 0, 0, 1000, units)), track), slices.Concat(more...))
}

// What a file says of its length is taken from its frames or its header, and what it could say falsely is bounded by its packets.
func TestFileLength(t *testing.T) {
	t.Parallel()
	quiet := mp3(1000, 36, 0xff, 0xf3, 0x18, 0xc0) // version 2, 16 kHz, 8 kbit/s: 36 ms each
	music := mp3(100, 417, 0xff, 0xfb, 0x90, 0x00) // version 1, 44.1 kHz, 128 kbit/s
	music = append(music, mp3(100, 1044, 0xff, 0xfb, 0xe0, 0x00)...)
	tags := slices.Concat([]byte("ID3\x04\x00\x00\x00\x00\x02\x00"), make([]byte, 256))
	frames := func(n int) time.Duration { return time.Duration(n) * 1152 * time.Second / 44100 }
	for name, tt := range map[string]struct {
		file   []byte
		plays  time.Duration
		unread int
	}{
		"MP3 of 8 kbit/s":          {quiet, 36 * time.Second, 0},
		"MP3 of several rates":     {music, frames(200), 0},
		"a number of frames in it": {slices.Concat(mp3(1, 417, 0xff, 0xfb, 0x90, 0x00, 'X', 'i', 'n', 'g', 0, 0, 0, 1, 0, 0, 0, 1), music), frames(201), 0},
		"with tags":                {slices.Concat(tags, quiet, []byte("TAG"), make([]byte, 125)), 36 * time.Second, 128},
		"with something before it": {append([]byte("no music"), quiet...), 36 * time.Second, 8},
		"with something within":    {slices.Concat(quiet, []byte("no music"), quiet), 72 * time.Second, 8},
		"layer II":                 {mp3(100, 96, 0xff, 0xfd, 0x14, 0xc0), 2400 * time.Millisecond, 0},
		"layer I":                  {mp3(100, 32, 0xff, 0xff, 0x14, 0xc0), 800 * time.Millisecond, 0},
		"version 2.5":              {mp3(100, 72, 0xff, 0xe3, 0x18, 0xc0), 7200 * time.Millisecond, 0},
		"a frame alone":            {quiet[:36], 0, 36},
		"M4A":                      {m4a(60_000, 937), time.Minute, 0},
		"a length of none":         {m4a(0, 937), 937 * 1024 * time.Second / 48_000, 0},
		"a length that is unknown": {m4a(1<<32-1, 937), 937 * 1024 * time.Second / 48_000, 0},
		"a track longer than said": {m4a(1000, 0, box("moov", box("trak", box("mdia", box("mdhd", []byte{1, 0, 0, 0}, numbers(0, 0, 0, 0, 1000, 0, 90_000)), box("stsz", numbers(0, 0, 1, 0)))))), 90 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plays, unread := transcription.FileLength(tt.file)
			if (plays-tt.plays).Abs() > 10*time.Millisecond || unread != tt.unread {
				t.Errorf("it plays for %v, and %d bytes are not read; want %v and %d", plays, unread, tt.plays, tt.unread)
			}
		})
	}
	for name, file := range map[string][]byte{
		"in fragments": m4a(60_000, 937, box("moof")), "packets of one size": m4a(60_000, 937, box("stsz", numbers(0, 1, 9))), "no packets": m4a(60_000, 0),
		"more packets than sizes": slices.Concat(box("ftyp", make([]byte, 8)), box("stsz", numbers(0, 0, 1<<32-1))), "years": m4a(1<<32-2, 937, box("mvhd", numbers(0, 0, 0, 1, 1<<31))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if plays, unread := transcription.FileLength(file); plays != 0 || unread != len(file) {
				t.Errorf("it plays for %v, and %d of %d bytes are not read", plays, unread, len(file))
			}
		})
	}
}

func FuzzFileLength(f *testing.F) {
	f.Add(mp3(2, 36, 0xff, 0xf3, 0x18, 0xc0))
	f.Add(m4a(60_000, 3))
	f.Fuzz(func(t *testing.T, file []byte) {
		if plays, unread := transcription.FileLength(file); plays < 0 || unread < 0 || unread > len(file) {
			t.Errorf("it plays for %v, and %d of %d bytes are not read", plays, unread, len(file))
		}
	})
}
