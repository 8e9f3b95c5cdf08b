package mcptools

import (
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

// listed is a tool as a server listed it, made clean.
type listed struct {
	Name        string          `json:"name"` // the server's own
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

func (l listed) definition() *Definition { return &Definition{l.Description, l.Input, l.Output} }

// hash changes with all that describes the tool.
func (l listed) hash() string { return hashOf(l) }

// hashOf returns the SHA-256 of a value from JSON. Schemas are written in one way.
func hashOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return hashid.Of(string(raw), sha256.Size)
}

// listing is the last list of a server. Short says what was left out of it.
type listing struct {
	Spec  string   `json:"spec"` // the print of the spec it was reached by
	Tools []listed `json:"tools"`
	Short string   `json:"short,omitempty"`
}

// pins are the hashes of a server's tools by their own names, as first seen or as
// accepted by the operator. A tool that is gone stays: it may come back changed.
type pins map[string]string

// maxPins bounds the tools of one server that are ever known; others are left out.
const maxPins = 4_000

// kept are a server's files: one for its list, which the gateway alone writes, one for its accepted
// tools, and one for what tools were that changed.
type kept struct{ dir, server string }

func (k kept) listingFile() string { return filepath.Join(k.dir, k.server+".listed.json") }
func (k kept) pinsFile() string    { return filepath.Join(k.dir, k.server+".accepted.json") }
func (k kept) wasFile() string     { return filepath.Join(k.dir, k.server+".was.json") }

// listing returns the server's list, nil if it is unknown.
func (k kept) listing() *listing {
	var l listing
	if err := readJSON(k.listingFile(), &l); err != nil {
		return nil // it is asked again
	}
	return &l
}

func (k kept) putListing(l *listing) error { return writeJSON(k.listingFile(), l) }

// pins returns the accepted tools. Without them nothing is known to be unchanged.
func (k kept) pins() (pins, error) {
	p := pins{}
	if err := readJSON(k.pinsFile(), &p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s cannot be read: %w; mend it, or remove it to accept the server's tools as they are now", k.pinsFile(), err)
	}
	return p, nil
}

func (k kept) putPins(p pins) error { return writeJSON(k.pinsFile(), p) }

// was are the definitions of tools that were accepted, and are others by now, by their own names. Those of tools that
// are accepted again stay until they change.
func (k kept) was() map[string]listed {
	was := map[string]listed{}
	_ = readJSON(k.wasFile(), &was) // without them a change is refused all the same
	return was
}

// keepWas keeps what the accepted ones among tools were before, of the list on disk, and returns all such definitions.
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

// print changes when others write what is accepted.
func (k kept) print() string {
	info, err := os.Stat(k.pinsFile())
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// maxKeptBytes is the largest file that is read again.
const maxKeptBytes = 2 * maxListingBytes

func readJSON(path string, v any) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > maxKeptBytes {
		return fmt.Errorf("it has %d bytes, of at most %d", info.Size(), maxKeptBytes)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// writeJSON puts a file in place whole, for its owner alone.
func writeJSON(path string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return newfile.Write(path, raw)
}
