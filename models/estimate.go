package models

import (
	"bytes"
	"image"
	_ "image/gif"  // images whose size Estimate reads
	_ "image/jpeg" // images whose size Estimate reads
	_ "image/png"  // images whose size Estimate reads
	"unicode/utf8"

	_ "golang.org/x/image/webp" // images whose size Estimate reads
)

// What Estimate counts. The figures are those that providers' documents give
// as a rule of thumb, rounded up: an estimate that is too high compacts a
// conversation early, and one that is too low fails it.
const (
	bytesPerToken    = 4    // of ASCII
	pixelsPerToken   = 750  // of an image
	leastImageTokens = 85   // of the smallest image
	mostImageTokens  = 1600 // of the largest, which providers scale down
	messageTokens    = 4    // of a message's frame, and of a part's
	toolTokens       = 12   // of a tool's frame
)

// Estimate returns about how many tokens a request has, for where no provider
// tells. A token is four bytes of ASCII or one other character, an image one
// per 750 pixels between 85 and 1600, and a tool the text of its schema. It
// knows no model's own alphabet, so that it may be off by a third and more.
func Estimate(req Request) int {
	total := EstimateText(req.System)
	for _, m := range req.Messages {
		total += messageTokens + estimateParts(m.Parts)
	}
	for _, t := range req.Tools {
		total += toolTokens + EstimateText(t.Name) + EstimateText(t.Description) + EstimateText(string(t.Schema))
	}
	return total
}

// EstimateText returns about how many tokens a text has.
func EstimateText(text string) int {
	var s size
	s.add(text)
	return s.tokens()
}

// EstimateImage returns about how many tokens an image has. One that cannot be
// read counts as a large one.
func EstimateImage(img Image) int {
	config, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
	if err != nil {
		return mostImageTokens
	}
	pixels := int64(config.Width) * int64(config.Height)
	return int(min(max(pixels/pixelsPerToken, leastImageTokens), mostImageTokens))
}

// estimateParts counts the parts of a message or a result.
func estimateParts(parts []Part) int {
	total := 0
	for _, p := range parts {
		switch {
		case p.Text != "":
			total += EstimateText(p.Text)
		case p.Image != nil:
			total += EstimateImage(*p.Image)
		case p.Thought != nil:
			total += EstimateText(p.Thought.Text)
		case p.Call != nil:
			total += messageTokens + EstimateText(p.Call.Name) + EstimateText(string(p.Call.Arguments))
		case p.Result != nil:
			total += messageTokens + estimateParts(p.Result.Parts)
		}
	}
	return total
}

// size is how long a text is that comes in pieces.
type size struct{ bytes, ascii, others int }

// add counts a piece.
func (s *size) add(piece string) {
	s.bytes += len(piece)
	for i := 0; i < len(piece); i++ {
		switch b := piece[i]; {
		case b < utf8.RuneSelf:
			s.ascii++
		case utf8.RuneStart(b):
			s.others++
		}
	}
}

// tokens returns about how many tokens the text has.
func (s *size) tokens() int { return (s.ascii+bytesPerToken-1)/bytesPerToken + s.others }
