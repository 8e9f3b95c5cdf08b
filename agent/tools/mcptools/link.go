package mcptools

import (
	"context"
	"io"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// maxMessageBytes is the size of one message of a server at most.
const maxMessageBytes = 16 << 20

// link is the way to a server, of one session.
type link interface {
	// transport returns what the session speaks by. It is called once.
	transport() mcp.Transport

	// leave says that the session is about to be closed, so that the server may
	// end by itself. One that breaks off is ended at once.
	leave()

	// cut ends the link at once, and returns when it is ended. What waits for the
	// server gets an error. It may be called again, and from several goroutines.
	cut()

	// cause says how the server has ended, nil if it has not or that is not known.
	// It gives one that is about to end a moment for it.
	cause() error
}

// How fast a server may speak for long, and at once. A line and bytesOfOne count as one:
// reading many small notifications takes as long as reading a large answer.
const (
	paceRate   = 2_000
	paceBurst  = 20_000
	bytesOfOne = 4 << 10
)

// paced reads from a server no faster than it may speak; its output fills meanwhile.
type paced struct {
	r    io.Reader
	ctx  context.Context // ends with the link
	pace *rate.Limiter
}

func newPaced(ctx context.Context, r io.Reader) *paced {
	return &paced{r: r, ctx: ctx, pace: rate.NewLimiter(paceRate, paceBurst)}
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.r.Read(b[:min(len(b), paceBurst)]) // one read costs less than the burst
	cost := int(math.Ceil(float64(n) / bytesOfOne))
	for _, c := range b[:n] {
		if c == '\n' {
			cost++
		}
	}
	if paceErr := p.pace.WaitN(p.ctx, min(cost, paceBurst)); paceErr != nil && err == nil {
		err = paceErr
	}
	return n, err
}
