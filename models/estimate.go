package models

import (
	"bytes"
	"context"
	"image"
	_ "image/gif"  // images whose size Estimate reads
	_ "image/jpeg" // images whose size Estimate reads
	_ "image/png"  // images whose size Estimate reads
	"iter"
	"unicode/utf8"

	_ "golang.org/x/image/webp" // images whose size Estimate reads

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Sizes that Estimate adds to the text. They are rules of thumb from providers' documentation, rounded
// up. If an estimate is too high, a conversation is compacted early. If it is too low, a request fails.
const (
	pixelsPerToken   = 750  // pixels of an image for one token
	leastImageTokens = 85   // minimum for an image
	mostImageTokens  = 1600 // maximum for an image; providers scale larger ones down
	messageTokens    = 4    // in addition to the text of each message and of each part
	toolTokens       = 12   // in addition to the text of each tool
)

// Estimate returns the approximate number of tokens of a request, for providers that report no
// usage. An image counts as one token per 750 pixels, at least 85 and at most 1600 tokens. A tool
// counts as the text of its name, description and schema.
func Estimate(req Request) int {
	return scale{EstimateText, EstimateImage}.request(req)
}

// scale measures texts and images in tokens.
type scale struct {
	text  func(string) int
	image func(Image) int
}

// request returns the tokens of a request.
func (s scale) request(req Request) int {
	total := s.text(req.System)
	for _, m := range req.Messages {
		total += messageTokens + s.parts(m.Parts)
	}
	for _, t := range req.Tools {
		total += toolTokens + s.text(t.Name) + s.text(t.Description) + s.text(string(t.Schema))
	}
	return total
}

// EstimateText returns the approximate number of tokens of a text. Four letters count as one token,
// and so do two punctuation marks. A digit, a line end or a non-ASCII character counts as one
// token. Blanks do not count.
//
// On average the estimate equals the count of OpenAI's o200k_base on 319 files of English, Go,
// Python, JavaScript and JSON. For 98 % of these files the difference is at most 15 %. The largest
// differences are 41 % too low (random letters) and 37 % too high (tables). Other models may count
// a fifth more or less.
func EstimateText(text string) int {
	var s size
	s.add(text)
	return s.tokens()
}

// EstimateImage returns the approximate number of tokens of an image, 85 to 1600: one token per 750
// pixels. If the image cannot be decoded, it returns 1600.
func EstimateImage(img Image) int {
	config, _, err := image.DecodeConfig(bytes.NewReader(img.Data))
	if err != nil {
		return mostImageTokens
	}
	pixels := int64(config.Width) * int64(config.Height)
	return int(min(max(pixels/pixelsPerToken, leastImageTokens), mostImageTokens))
}

// parts returns the tokens of the parts of a message or a result.
func (s scale) parts(parts []Part) int {
	total := 0
	for _, p := range parts {
		switch {
		case p.Text != "":
			total += s.text(p.Text)
		case p.Image != nil:
			total += s.image(*p.Image)
		case p.Thought != nil:
			total += s.text(p.Thought.Text)
		case p.Call != nil:
			total += messageTokens + s.text(p.Call.Name) + s.text(string(p.Call.Arguments))
		case p.Result != nil:
			total += messageTokens + s.parts(p.Result.Parts)
		}
	}
	return total
}

// size measures text that arrives in pieces, in bytes and in quarters of a token.
type size struct {
	bytes, quarters int
	last            byte // last byte that was counted
}

// quartersOf has the quarters of a token for each ASCII byte.
var quartersOf = func() (of [utf8.RuneSelf]int) {
	for b := range of {
		switch c := byte(b); {
		case c == ' ', c == '\t', c == '\r':
			of[b] = 0
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			of[b] = 1
		case '0' <= c && c <= '9', c < ' ':
			of[b] = 4
		default:
			of[b] = 2
		}
	}
	return of
}()

// add measures the next piece of the text. A piece may end inside a character.
func (s *size) add(piece string) {
	s.bytes += len(piece)
	for i := 0; i < len(piece); i++ {
		switch b := piece[i]; {
		case b == '\n' && s.last == '\n': // empty lines count with the line end before them
		case b < utf8.RuneSelf:
			s.quarters += quartersOf[b]
		case utf8.RuneStart(b):
			s.quarters += 4
		}
		s.last = piece[i]
	}
}

// tokens returns the estimated number of tokens, rounded up.
func (s *size) tokens() int { return (s.quarters + 3) / 4 }

// contextSlack is the factor by which a request's estimate may exceed the context window. Within refuses
// larger requests only, because an estimate may be too high.
const contextSlack = 2

// Within returns a model that fails with MODEL_CONTEXT_FULL if a request is far too long for
// window, the context window of model in tokens. Without this check, a provider might take minutes
// to refuse the request, or drop the start of the conversation without an error. If window is 0,
// the context window is unknown, and Within returns model unchanged.
func Within(model Model, window int) Model {
	if window <= 0 {
		return model
	}
	return within{model, window}
}

// within implements Within.
type within struct {
	Model
	window int
}

// Stream implements Model.
func (m within) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	most := contextSlack * m.window
	if atMost.request(req) <= most {
		return m.Model.Stream(ctx, req)
	}
	tokens := Estimate(req)
	if tokens <= most {
		return m.Model.Stream(ctx, req)
	}
	return func(yield func(Event, error) bool) {
		yield(Event{}, fault.New("models.Within", sdkapi.ModelContextFull,
			"the conversation is too long for the model: it has about %d tokens, and the model accepts %d; start a new conversation or choose another model", tokens, m.window))
	}
}

// atMost measures a request by its bytes. That is faster than Estimate and never less, because
// every token has at least one byte.
var atMost = scale{func(text string) int { return len(text) }, func(Image) int { return mostImageTokens }}
