package mcptools

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/internal/newfile"
)

// listed is a tool in a server's list, cleaned.
type listed struct {
	Name        string          `json:"name"` // the server's name of the tool
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// definition returns the part of the tool that the operator reviews: all fields except its name.
func (l listed) definition() *Definition { return &Definition{l.Description, l.Input, l.Output} }

// hash returns a hash of all fields of the tool. A pin is such a hash.
func (l listed) hash() string { return hashOf(l) }

// hashOf returns the SHA-256 hash of a value's JSON.
func hashOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return hashid.Of(string(raw), sha256.Size)
}

// listing is the last list of a server's tools. Short is a note on the tools that the gateway omitted; it is empty if
// the list is complete.
type listing struct {
	Spec  string   `json:"spec"` // Spec.print of the spec with which the list was fetched
	Tools []listed `json:"tools"`
	Short string   `json:"short,omitempty"`
}

// pins maps the server's names of its tools to their hashes, as first seen or as the operator
// accepted them. Removed tools keep their pins, because the server may offer them again in a changed form.
type pins map[string]string

// maxPins is the maximum number of pins of one server; further tools are omitted.
const maxPins = 4_000

// kept accesses a server's files. One has its list, which only the gateway writes. One has its accepted
// tools, and one has earlier definitions of changed tools.
type kept struct{ dir, server string }

// listingFile returns the path of the server's last list of tools.
func (k kept) listingFile() string { return filepath.Join(k.dir, k.server+".listed.json") }

// pinsFile returns the path of the server's accepted tools.
func (k kept) pinsFile() string { return filepath.Join(k.dir, k.server+".accepted.json") }

// wasFile returns the path of the earlier definitions of changed tools.
func (k kept) wasFile() string { return filepath.Join(k.dir, k.server+".was.json") }

// listing returns the server's list, or nil if the list is missing or unreadable.
func (k kept) listing() *listing {
	var l listing
	if err := readJSON(k.listingFile(), &l); err != nil {
		return nil // the server is asked again
	}
	return &l
}

// putListing replaces the server's list on disk.
func (k kept) putListing(l *listing) error { return writeJSON(k.listingFile(), l) }

// pins returns the accepted tools. If the file is missing, there are none. If the file is invalid, pins fails,
// because the gateway cannot recognise changes without it.
func (k kept) pins() (pins, error) {
	p := pins{}
	if err := readJSON(k.pinsFile(), &p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s cannot be read: %w; correct the file, or delete it to accept the server's current tools", k.pinsFile(), err)
	}
	return p, nil
}

// putPins replaces the accepted tools on disk. It does not merge: p must contain the earlier pins.
func (k kept) putPins(p pins) error { return writeJSON(k.pinsFile(), p) }

// was returns the accepted definitions of tools that have changed since, by the server's names.
// When a changed tool is accepted, its old definition stays until the next change.
func (k kept) was() map[string]listed {
	was := map[string]listed{}
	_ = readJSON(k.wasFile(), &was) // a change is refused without them too
	return was
}

// keepWas stores the previous definitions of changed tools, from the list on disk, and returns all
// such definitions.
func (k kept) keepWas(tools []listed, known pins) (map[string]listed, error) {
	was, found := k.was(), false
	for _, t := range tools {
		pin, seen := known[t.Name]
		if !seen || pin == t.hash() {
			continue
		}
		if old, kept := was[t.Name]; kept && old.hash() == pin {
			continue
		}
		delete(was, t.Name)
		if before := k.listing(); before != nil {
			if i := slices.IndexFunc(before.Tools, func(b listed) bool { return b.Name == t.Name && b.hash() == pin }); i >= 0 {
				was[t.Name], found = before.Tools[i], true
			}
		}
	}
	if !found {
		return was, nil
	}
	return was, writeJSON(k.wasFile(), was)
}

// print returns a value that changes when a process writes the accepted tools. It is empty if the file is missing.
func (k kept) print() string {
	info, err := os.Stat(k.pinsFile())
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// maxKeptBytes is the maximum size of a file that readJSON reads, in bytes.
const maxKeptBytes = 2 * maxListingBytes

// readJSON decodes the file at path into v. It fails with fs.ErrNotExist if the file is missing. It refuses a file
// larger than maxKeptBytes, and the JSON null, which would set a map to nil.
func readJSON(path string, v any) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > maxKeptBytes {
		return fmt.Errorf("the file has %d bytes; the limit is %d", info.Size(), maxKeptBytes)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if string(bytes.TrimSpace(raw)) == "null" {
		return errors.New("expected a JSON object, not null")
	}
	return json.Unmarshal(raw, v)
}

// writeJSON atomically writes a file that only its owner can read.
func writeJSON(path string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return newfile.Write(path, raw)
}
