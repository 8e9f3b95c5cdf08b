package mcptools

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMessages(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("l", 100<<10)
	in := "hello\n" + `{"a":1}` + "\n\n  " + `[{"b":2}]` + "\r\n" + "warning: {}\n" + long + "\n" + `{"c":"` + long + `"}` + "\nlast"
	want := `{"a":1}` + "\n" + `[{"b":2}]` + "\r\n" + `{"c":"` + long + `"}` + "\n"
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "by bytes": iotest.OneByteReader(strings.NewReader(in)), "at the end": iotest.DataErrReader(strings.NewReader(in))} {
		t.Run(name, func(t *testing.T) {
			var notes []string
			got, err := io.ReadAll(newMessages(r, func(line []byte) { notes = append(notes, string(line)) }))
			if err != nil || string(got) != want {
				t.Errorf("%s: %.100q, %v", name, got, err)
			}
			if len(notes) != 4 || notes[0] != "hello" || notes[1] != "warning: {}" || len(notes[2]) != maxNoteBytes || notes[3] != "last" {
				t.Errorf("%s: %.100q", name, notes)
			}
		})
	}
}
