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

// Limits of a result in addition to Limits.ResultBytes.
const (
	maxResultImages = 200      // images
	maxMetadata     = 16 << 10 // in bytes of Metadata, names included
	minShown        = 64       // in bytes, the minimum length of a cut text
)

// Cut shortens a client's result to the length that the model reads, before the result is stored.
// Equal results stay equal, and different results stay different.
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

// cutResult shortens a result's texts to left bytes in total, and reports whether it did. It drops
// the last parts if there are too many, but no images within maxResultImages.
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
		kept = append(kept, Part{Text: fmt.Sprintf("[… %d parts left out …]", without)})
	}
	r.Parts = kept
	return r, cut || without > 0
}

// leftOut is the field of Metadata with the number of omitted fields.
const leftOut = "left_out"

// cutMetadata keeps the first fields of metadata by name, within maxMetadata. cut reports whether
// it omitted some.
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

// shorten cuts the middle out of a long text, because the ends of an output matter most.
func shorten(text string, limit int) string {
	return plain.Middle(strings.ToValidUTF8(text, "\uFFFD"), max(limit, minShown))
}
