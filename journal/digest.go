package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Digest returns the digest of a call: SHA-256, in lower-case hex, of the
// tool's name and its arguments in canonical form. It is the same for arguments
// that mean the same.
func Digest(tool string, arguments json.RawMessage) (string, error) {
	canonical, err := Canonical(arguments)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s", len(tool), tool)
	h.Write(canonical)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Canonical writes JSON in one form: no white space, fields sorted by name,
// numbers as they were written. Nil is null.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("null"), nil
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // 2^53+1 must not become 2^53
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return json.Marshal(value)
}
