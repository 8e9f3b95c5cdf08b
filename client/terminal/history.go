package terminal

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
)

// maxHistory limits the stored entries.
const maxHistory = 500

// history is what the user has said, in a file with one JSON string per line.
type history struct {
	file string
	said []string
	at   int    // index in said of the shown entry; len(said) for the text being written
	kept string // the text being written when the user went back
}

func openHistory(file string) *history {
	h := &history{file: file}
	f, err := os.Open(file)
	if err != nil {
		return h // there is no file yet
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

// add appends an entry.
func (h *history) add(text string) {
	if n := len(h.said); n == 0 || h.said[n-1] != text {
		h.said = append(h.said, text)
		h.write(os.O_APPEND, text)
	}
	h.at = len(h.said)
}

// write writes to the file. If there is no file, the history ends with the program.
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

// back returns the entry before. now is the text in the line. ok is false at the beginning.
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

// forth returns the entry after. ok is false at the end.
func (h *history) forth() (text string, ok bool) {
	if h.at == len(h.said) {
		return "", false
	}
	if h.at++; h.at == len(h.said) {
		return h.kept, true
	}
	return h.said[h.at], true
}
