// Package vlm asks a vision model for the position of something on a screen, or for a description
// of the screen. The model's server must support OpenAI's chat completions.
//
//	client, err := vlm.Open(vlm.Config{URL: "http://127.0.0.1:8000/v1", Model: "Qwen/Qwen2.5-VL-7B-Instruct"})
//	found, err := client.Locate(ctx, screen, "the search button")
//	click(found.Point)
//
// Models differ in the form of the question, in the size of image that they accept, and in the unit
// of their numbers: pixels of the image as sent, thousandths of its sides, fractions, or percent.
// The family of a model defines all three; the model's name indicates the family. The package
// parses answers in all documented forms, and converts them to pixels of the screen.
//
// A look is one question with one image. The first look shows the whole screen, reduced to a size
// that the model accepts. If the screen was reduced, a second look shows a part around the found
// point in its original size.
//
// A model without eyes chooses among elements that are described in one line each: see Choose.
package vlm

import (
	"cmp"
	"context"
	"errors"
	"image"
	"net/http"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/openai"
	"github.com/windieos/windie/sdkapi"
)

// Config selects the model. URL and Model are required.
type Config struct {
	URL     string        // URL of the server, without "/chat/completions"
	Model   string        // the model's name at the server
	APIKey  models.Secret // empty for servers that need no key
	Family  string        // one of Families; default: the family that fits the model's name
	Timeout time.Duration // time limit of each call of Locate or Describe; default 20 s
	Blind   bool          // whether the model gets no images: then only Choose is useful
	Looks   Looks         // number of questions for one target; default LooksAsNeeded
	// HTTPClient has the transport that requests use; nil means a new client.
	HTTPClient *http.Client

	// Meter returns a wrapper of the model that counts the model's requests; nil means no wrapper.
	Meter func(models.Model) models.Model
}

// Looks is the number of questions that Locate asks the model for one target. The second question
// shows only the part of the screen around the first answer.
type Looks int

// Values of Looks.
const (
	LooksAsNeeded Looks = iota // one question, or two questions if the screen had to be shrunk
	LooksOnce
	LooksTwice
)

// Limits of questions and answers.
const (
	DefaultTimeout = 20 * time.Second
	MaxDescription = 1000     // maximum bytes of the description of a target
	maxTokens      = 2048     // of an answer, including a model's thoughts
	maxAnswer      = 32 << 10 // bytes of an answer
	maxSaid        = 200      // bytes of an answer in messages and results
	maxAttempts    = 3        // of a look, if the server is busy or unreachable
	firstWait      = 250 * time.Millisecond
)

// Client sends questions to one vision model. Its methods are safe for concurrent use.
type Client struct {
	model   models.Model
	name    string
	family  family
	looks   Looks
	blind   bool
	timeout time.Duration
}

// Open returns a client. It sends no request. It fails with ValidationError for an invalid Config.
func Open(cfg Config) (*Client, error) {
	wrong := func(path, expected string) error {
		return fault.New("vlm.Open", sdkapi.ValidationError, "invalid %s of the vision model", path).At(path, "%s", expected)
	}
	if cfg.URL == "" {
		return nil, wrong("url", "expected the base URL of the model's server, such as http://127.0.0.1:8000/v1")
	}
	if cfg.Model == "" {
		return nil, wrong("model", "expected the model's name on the server")
	}
	f := familyOf(cfg.Model)
	if cfg.Family != "" {
		var ok bool
		if f, ok = familyCalled(cfg.Family); !ok {
			return nil, wrong("family", "expected one of: "+strings.Join(Families(), ", "))
		}
	}
	model, err := openai.Open(openai.Config{BaseURL: cfg.URL, APIKey: cfg.APIKey, HTTPClient: cfg.HTTPClient})
	if err != nil {
		return nil, err
	}
	timeout := cmp.Or(max(cfg.Timeout, 0), DefaultTimeout)
	never := 2 * timeout // the client's timeout ends first
	model = models.Retry(model, models.RetryOptions{
		Attempts: maxAttempts, FirstWait: firstWait, MaxWait: timeout, FirstEvent: never, Idle: never,
	})
	if cfg.Meter != nil {
		model = cfg.Meter(model)
	}
	return &Client{
		model: model,
		name:  cfg.Model, family: f, looks: cfg.Looks, blind: cfg.Blind, timeout: timeout,
	}, nil
}

// Family returns the name of the model's family.
func (c *Client) Family() string { return c.family.name }

// Blind reports whether the model gets no images.
func (c *Client) Blind() bool { return c.blind }

// Timeout returns the time limit of each Locate or Describe.
func (c *Client) Timeout() time.Duration { return c.timeout }

// Description is a model's description of a screen.
type Description struct {
	// Text is the description, in the model's words.
	Text string
	Cut  bool // whether the answer reached the maximum length
	// Model is the name of the model at the server.
	Model string
	// Took is the duration of Describe.
	Took time.Duration
	// Usage has the tokens of the question and the answer.
	Usage models.Usage
}

// describe is the question of Describe.
const describe = "Describe this screenshot for someone who automates it and cannot see it. Say first what it shows, then list " +
	"its parts from top to bottom: texts as they are written, and what can be clicked or typed into, with its state and " +
	"where it is. Say only what you see."

// Describe asks the model for a description of the screen. The bounds of the screen must begin at
// (0,0). Describe fails with the errors of Locate, except the errors about points.
func (c *Client) Describe(ctx context.Context, screen *image.NRGBA) (Description, error) {
	if err := checkScreen("vlm.Describe", screen); err != nil {
		return Description{}, err
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	p, err := c.family.limits.picture(screen, screen.Rect)
	if err != nil {
		return Description{}, err
	}
	reply, err := c.ask(limited, p.ask(describe)...)
	if err == nil && reply.refused {
		err = missed("vlm.Describe", &Miss{Why: Refused, Said: reply.shortened()})
	}
	return Description{Text: reply.text, Cut: reply.cut, Model: c.name, Took: time.Since(began), Usage: reply.usage}, c.inTime(ctx, err)
}

// WorkingBytes returns the maximum memory that a question about a screen of this size needs, in
// bytes, without the screen's own pixels.
func (c *Client) WorkingBytes(size image.Point) int64 {
	sent := c.family.limits.fit(size)
	return 2<<20 + 2*4*int64(sent.X)*int64(sent.Y)
}

// checkScreen returns INVALID_IMAGE for a screen that is nil, empty, or does not begin at (0,0).
func checkScreen(op string, screen *image.NRGBA) error {
	if screen == nil || screen.Rect.Empty() || screen.Rect.Min != (image.Point{}) {
		return fault.New(op, sdkapi.InvalidImage, "the request for the vision model has no image")
	}
	return nil
}

// inTime returns err. If ctx has ended, it returns the error of ctx instead; if the client's time
// limit has ended, a Timeout.
func (c *Client) inTime(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New("vlm.ask", sdkapi.Timeout, "the vision model did not answer within %v", c.timeout).Because(err)
	}
	return err
}
