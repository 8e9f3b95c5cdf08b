package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// Limits of the stored changes of one user. When a limit is reached, the oldest changes are
// deleted.
const (
	MaxChanges     = 200
	MaxChangeBytes = 4 << 20 // maximum size of all changes together as JSON, in bytes
)

// changesPath is the file of a user's changes, one JSON object a line, oldest first. It is not a note: no search and no
// model reads it. It is in the folder of the notes, so that backup and erasure include it.
const changesPath = notesDir + "/.changes.jsonl"

// Changed is the stored record of one Edit of a memory file. At is the time of the change, and the
// other fields have the values of the Edit.
type Changed struct {
	Path      string    `json:"path"`
	At        time.Time `json:"at"`
	By        string    `json:"by,omitempty"`
	LineStart int       `json:"line_start"`
	Was       string    `json:"was"`
	Text      string    `json:"text"`
}

// Changes returns the stored changes of a file, newest first, at most limit of them. Each Changed
// has the old and the new text, so a caller can undo the change with the method Change. Changes
// fails with MEMORY_NOT_FOUND if the user has no such file.
func (m *Memory) Changes(ctx context.Context, user, name string, limit int) ([]Changed, error) {
	const op = "memory.Changes"
	r, err := m.roomOf(op, user)
	if err != nil {
		return nil, err
	}
	leave, err := r.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	root, err := m.note(op, r, name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	all, err := changesIn(root)
	if err != nil {
		return nil, unusable(op, err)
	}
	of := slices.DeleteFunc(all, func(c Changed) bool { return c.Path != name })
	slices.Reverse(of)
	return of[:min(limit, len(of))], nil
}

// changesIn reads a user's changes. An invalid line is left out: a person may have edited the file.
func changesIn(root *os.Root) (list []Changed, err error) {
	text, _, err := read(root, changesPath)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var c Changed
		if json.Unmarshal(line, &c) == nil && c.Path != "" {
			list = append(list, c)
		}
	}
	return list, nil
}

// keepChanges replaces a user's stored changes. Beyond the limits it leaves out the oldest.
func keepChanges(root *os.Root, list []Changed) error {
	var lines [][]byte
	size := 0
	for _, c := range slices.Backward(list) {
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		size += len(line) + 1
		if len(lines) == MaxChanges || size > MaxChangeBytes {
			break
		}
		lines = append(lines, append(line, '\n'))
	}
	slices.Reverse(lines)
	return replace(root, changesPath, slices.Concat(lines...))
}

// noteChange adds a change to the stored changes.
func noteChange(root *os.Root, c Changed) error {
	list, err := changesIn(root)
	if err != nil {
		return err
	}
	return keepChanges(root, append(list, c))
}

// forgetChanges removes the stored changes of a file, including those from before it was archived. A user who deletes a
// file wants its words gone. If the stored changes are too large to read, another program has written them, and
// forgetChanges removes all of them.
func forgetChanges(root *os.Root, name string) error {
	all, err := changesIn(root)
	if errors.Is(err, errTooLarge) {
		return root.Remove(filepath.FromSlash(changesPath))
	}
	if err != nil {
		return err
	}
	before := name // its path before it was archived
	if kind, _ := kindOf(name); kind == Daily {
		before = notesDir + "/" + path.Base(name)
	}
	kept := slices.DeleteFunc(slices.Clone(all), func(c Changed) bool { return c.Path == name || c.Path == before })
	if len(kept) == len(all) {
		return nil // so that a file can be deleted on a full disk
	}
	return keepChanges(root, kept)
}
