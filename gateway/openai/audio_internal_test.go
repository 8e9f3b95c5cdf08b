package openai

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/windieos/windie/models/speech/pcm"
)

// A recording is charged for as long as it plays, whatever its header says of its bytes.
func TestSecondsOf(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile("../../models/speech/transcription/testdata/recorded.webm") // 882 bytes a second
	if err != nil {
		t.Fatal(err)
	}
	minutes := pcm.WAV(make([]int16, 16000*600), 16000)
	with := func(at int, number ...byte) []byte {
		return slices.Concat(minutes[:at], number, minutes[at+len(number):])
	}
	compressed := len(minutes) / compressedRate
	for name, tt := range map[string]struct {
		data []byte
		want int
	}{
		"ten minutes":          {minutes, 600},
		"more bytes a second":  {with(28, 0xff, 0xff, 0xff, 0x7f), 600},
		"fewer bytes a second": {with(28, 0, 0, 0, 0), 600},
		"two channels":         {with(22, 2), 300},
		"eight bits":           {with(34, 8), 1200},
		"the most hertz":       {with(24, binary.LittleEndian.AppendUint32(nil, mostHertz)...), 25},
		"more":                 {with(24, binary.LittleEndian.AppendUint32(nil, mostHertz+1)...), compressed},
		"no hertz":             {with(24, 0, 0, 0, 0), compressed},
		"too many channels":    {with(22, mostChannels+1), compressed},
		"too many bits":        {with(34, 72), compressed},
		"an adaptive format":   {with(20, 0x11), compressed},
		"another file":         {with(0, 'O', 'g', 'g', 'S'), compressed},
		"Opus of a browser":    {recorded, 5},
		"with a text behind":   {append(slices.Clone(recorded), make([]byte, 2250)...), 8},
		"Opus that is damaged": {append([]byte{0}, recorded...), (len(recorded) + 1) / leastRate},
		"a codec for speech":   {append([]byte("#!AMR\n"), make([]byte, 7500)...), 10},
		"MP3 of 8 kbit/s":      {bytes.Repeat(append([]byte{0xff, 0xf3, 0x18, 0xc0}, make([]byte, 32)...), 1000), 36},
		"a head alone":         {minutes[:35], 1},
		"nothing":              {nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := secondsOf(tt.data); got != tt.want {
				t.Errorf("%d s, want %d", got, tt.want)
			}
		})
	}
}
