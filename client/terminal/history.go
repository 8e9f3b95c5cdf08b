package terminal

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
)

// maxHistory limits the stored entries.
const maxHistory = 500

// history has the messages that the user has sent. Its file has one JSON string per line.
type history struct {
	file string
	said []string
	at   int    // index in said of the shown entry; len(said) for the text being written
	kept string // the text being written when the user went back
}

// openHistory reads the history from a file. A missing or unreadable file gives an empty history.
// If the file has more than maxHistory entries, openHistory shortens it.
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

// back returns the previous entry. now is the text in the input line, which forth returns after the
// last entry. ok is false at the first entry.
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

// forth returns the next entry, or after the last one the text that was being written. ok is false
// if that text is shown already.
func (h *history) forth() (text string, ok bool) {
	if h.at == len(h.said) {
		return "", false
	}
	if h.at++; h.at == len(h.said) {
		return h.kept, true
	}
	return h.said[h.at], true
}
