package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/plain"
)

// Bounds of a result besides Limits.ResultBytes, which its text has.
const (
	maxResultImages = 200      // images
	maxMetadata     = 16 << 10 // bytes of Metadata, names included
	minShown        = 64       // bytes: the least that a text is cut to
)

// Cut shortens what a client says came of a call to what the model is shown,
// before it is kept: however long the text is, it is an answer. The same answer
// is cut to the same, and another one to another.
func (s *Sessions) Cut(r Result) Result {
	short, cut := cutResult(r, s.cfg.Limits.ResultBytes)
	metadata, without := cutMetadata(r.Metadata)
	if short.Metadata = metadata; !cut && !without {
		return short
	}
	whole := sha256.New()
	_ = json.NewEncoder(whole).Encode(r) // its fields are texts, and JSON that was read
	short.Cut = hex.EncodeToString(whole.Sum(nil))
	return short
}

// cutResult shortens a result's texts to what the model is shown, and reports
// whether it did. Of many parts the last are left out, but for images.
func cutResult(r Result, left int) (short Result, cut bool) {
	var kept []Part
	images, without := maxResultImages, 0
	for _, p := range r.Parts {
		if p.Artifact != "" {
			images--
		}
		if images < 0 || p.Artifact == "" && left <= 0 {
			without++
			continue
		}
		cut = cut || len(p.Text) > max(left, minShown)
		p.Text = shorten(p.Text, left)
		left -= len(p.Text)
		kept = append(kept, p)
	}
	if without > 0 {
		kept = append(kept, Part{Text: fmt.Sprintf("[… %d parts are left out …]", without)})
	}
	r.Parts = kept
	return r, cut || without > 0
}

// leftOut is the name under which Metadata tells how many of its fields are not
// there.
const leftOut = "left_out"

// cutMetadata leaves out the fields of metadata that are too much, the first
// ones by name staying, and reports whether it did.
func cutMetadata(metadata map[string]json.RawMessage) (short map[string]json.RawMessage, cut bool) {
	kept, size := map[string]json.RawMessage{}, 0
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		if n := len(name) + len(metadata[name]); size+n <= maxMetadata {
			kept[name], size = metadata[name], size+n
		}
	}
	without := len(metadata) - len(kept)
	if without > 0 {
		kept[leftOut] = json.RawMessage(strconv.Itoa(without))
	}
	if len(kept) == 0 {
		return nil, false
	}
	return kept, without > 0
}

// shorten cuts a text that is longer than the model is shown, in the middle,
// as both ends of an output tell more.
func shorten(text string, most int) string {
	return plain.Middle(strings.ToValidUTF8(text, "\uFFFD"), max(most, minShown))
}
