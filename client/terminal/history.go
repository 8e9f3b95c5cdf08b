package terminal

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
)

// maxHistory bounds what is remembered of what was said.
const maxHistory = 500

// history is what the user has said, in a file; a JSON text on each line.
type history struct {
	file string
	said []string
	at   int    // of said that is shown; len(said) for what is being written
	kept string // what was being written when the user went back
}

func openHistory(file string) *history {
	h := &history{file: file}
	f, err := os.Open(file)
	if err != nil {
		return h // there is none yet
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		var text string
		if json.Unmarshal(in.Bytes(), &text) == nil {
			h.said = append(h.said, text)
		}
	}
	if len(h.said) > maxHistory {
		h.said = h.said[len(h.said)-maxHistory:]
		h.write(os.O_TRUNC, h.said...)
	}
	h.at = len(h.said)
	return h
}

// add remembers what was said.
func (h *history) add(text string) {
	if n := len(h.said); n == 0 || h.said[n-1] != text {
		h.said = append(h.said, text)
		h.write(os.O_APPEND, text)
	}
	h.at = len(h.said)
}

// write writes to the file; without one, the history ends with the program.
func (h *history) write(how int, texts ...string) {
	if h.file == "" || os.MkdirAll(filepath.Dir(h.file), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(h.file, os.O_CREATE|os.O_WRONLY|how, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	e := json.NewEncoder(f)
	for _, text := range texts {
		if e.Encode(text) != nil {
			return
		}
	}
}

// back returns what was said before, given what is in the line now; not ok at the beginning.
func (h *history) back(now string) (text string, ok bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.said) {
		h.kept = now
	}
	h.at--
	return h.said[h.at], true
}

// forth returns what was said after it; not ok at the end.
func (h *history) forth() (text string, ok bool) {
	if h.at == len(h.said) {
		return "", false
	}
	if h.at++; h.at == len(h.said) {
		return h.kept, true
	}
	return h.said[h.at], true
}
