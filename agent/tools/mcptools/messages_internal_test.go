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
	in := "hello\n" + `{"a":1}` + "\n\n  " + `[{"b":2}]` + "\r\n" + "warning: {}\n[1/3] loads\n[INFO] ready\n{ name }\n" + long + "\n" + `{"c":"` + long + `"}` + "\nlast\n{"
	want := `{"a":1}` + "\n" + `[{"b":2}]` + "\r\n" + `{"c":"` + long + `"}` + "\n"
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "by bytes": iotest.OneByteReader(strings.NewReader(in)), "at the end": iotest.DataErrReader(strings.NewReader(in))} {
		t.Run(name, func(t *testing.T) {
			var notes []string
			got, err := io.ReadAll(newMessages(r, func(line []byte) { notes = append(notes, string(line)) }))
			if err != nil || string(got) != want {
				t.Errorf("%s: %.100q, %v", name, got, err)
			}
			if len(notes) != 8 || strings.Join(notes[:5], "|") != "hello|warning: {}|[1/3] loads|[INFO] ready|{ name }" || len(notes[5]) != maxNoteBytes || notes[6] != "last" || notes[7] != "{" {
				t.Errorf("%s: %.100q", name, notes)
			}
		})
	}
}
