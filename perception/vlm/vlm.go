// Package vlm asks a vision model, served in the way of OpenAI's chat completions, where something
// is on a screen, or what is on it.
//
//	client, err := vlm.Open(vlm.Config{URL: "http://127.0.0.1:8000/v1", Model: "Qwen/Qwen2.5-VL-7B-Instruct"})
//	found, err := client.Locate(ctx, screen, "the search button")
//	click(found.Point)
//
// Models differ in how they are asked, in the size of image that they see, and in what their
// numbers mean: pixels of the image as sent, thousandths of its sides, fractions, or per cent. A
// Family, which the model's name indicates, knows that. Answers are read in all documented shapes,
// and converted to pixels of the screen.
//
// A look is one question with one image. The first shows the whole screen, shrunk to what the model
// takes. If it was shrunk, a second look shows a part around the point found, pixel for pixel.
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

// Config says which model is asked, and how.
type Config struct {
	URL        string        // of the server, up to "/chat/completions"
	Model      string        // as the server calls it
	APIKey     models.Secret // none for servers that want none
	Family     string        // one of Families; empty to go by Model
	Timeout    time.Duration // of a Locate or a Describe in all; 20 s when zero
	Looks      Looks         // zero for a second look where the screen had to be shrunk
	HTTPClient *http.Client  // whose transport is used; nil for one of its own

	Meter func(models.Model) models.Model // returns a model whose requests are booked; nil for the model as it is
}

// Looks says how often Locate looks.
type Looks int

// The choices.
const (
	LooksAsNeeded Looks = iota // twice where the screen had to be shrunk
	LooksOnce
	LooksTwice
)

// Limits of what is asked and answered.
const (
	DefaultTimeout = 20 * time.Second
	MaxDescription = 1000     // bytes of what is to be located
	maxTokens      = 2048     // of an answer; models that think before they speak need some
	maxAnswer      = 32 << 10 // bytes of an answer
	maxSaid        = 200      // bytes of an answer that are shown
	maxAttempts    = 3        // of a look, where the server is busy or away
	firstWait      = 250 * time.Millisecond
)

// Client asks one model. Its methods are safe for concurrent use.
type Client struct {
	model   models.Model
	name    string
	family  family
	looks   Looks
	timeout time.Duration
}

// Open returns a client. It does not ask for anything yet.
func Open(cfg Config) (*Client, error) {
	wrong := func(path, expected string) error {
		return fault.New("vlm.Open", sdkapi.ValidationError, "invalid %s of the vision model", path).At(path, "%s", expected)
	}
	if cfg.URL == "" {
		return nil, wrong("url", "expected where the model is served, as http://127.0.0.1:8000/v1")
	}
	if cfg.Model == "" {
		return nil, wrong("model", "expected what the server calls the model")
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
	never := 2 * timeout // all is over before
	model = models.Retry(model, models.RetryOptions{
		Attempts: maxAttempts, FirstWait: firstWait, MaxWait: timeout, FirstEvent: never, Idle: never,
	})
	if cfg.Meter != nil {
		model = cfg.Meter(model)
	}
	return &Client{
		model: model,
		name:  cfg.Model, family: f, looks: cfg.Looks, timeout: timeout,
	}, nil
}

// Family returns the name of the family that the model is taken for.
func (c *Client) Family() string { return c.family.name }

// Timeout returns how long a Locate or a Describe may take.
func (c *Client) Timeout() time.Duration { return c.timeout }

// Description is what a model says that is on a screen.
type Description struct {
	Text  string
	Cut   bool // the model had more to say than it may
	Model string
	Took  time.Duration
	Usage models.Usage
}

// describe is what Describe asks.
const describe = "Describe this screenshot for someone who automates it and cannot see it. Say first what it shows, then list " +
	"its parts from top to bottom: texts as they are written, and what can be clicked or typed into, with its state and " +
	"where it is. Say only what you see."

// Describe asks what is on the screen, whose bounds begin at (0,0). Its errors
// are those of Locate, less the ones about points.
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
	said, err := c.ask(limited, p, describe)
	if err == nil && said.refused {
		err = missed("vlm.Describe", &Miss{Why: Refused, Said: said.shortened()})
	}
	return Description{Text: said.text, Cut: said.cut, Model: c.name, Took: time.Since(began), Usage: said.usage}, c.inTime(ctx, err)
}

// WorkingBytes returns the most memory that a question takes besides the pixels of its screen.
func (c *Client) WorkingBytes(size image.Point) int64 {
	sent := c.family.limits.fit(size)
	return 2<<20 + 2*4*int64(sent.X)*int64(sent.Y)
}

func checkScreen(op string, screen *image.NRGBA) error {
	if screen == nil || screen.Rect.Empty() || screen.Rect.Min != (image.Point{}) {
		return fault.New(op, sdkapi.InvalidImage, "there is no image to look at")
	}
	return nil
}

// inTime returns err, or ctx's error, or Timeout when the client's own time ran out.
func (c *Client) inTime(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New("vlm.ask", sdkapi.Timeout, "the vision model did not answer within %v", c.timeout).Because(err)
	}
	return err
}
