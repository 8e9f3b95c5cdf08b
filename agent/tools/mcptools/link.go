package mcptools

import (
	"context"
	"io"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// maxMessageBytes is the maximum size of a server's message, in bytes.
const maxMessageBytes = 16 << 20

// link connects one session to a server.
type link interface {
	// transport returns the session's transport. It is called once.
	transport() mcp.Transport

	// leave announces that the session will be closed. The server then has time to end by itself.
	// Without leave, closing the transport ends the server at once.
	leave()

	// cut ends the link at once, and returns when it has ended. Waiting calls get an error. It may
	// be called again, and from several goroutines.
	cut()

	// cause returns the reason why the server ended. It returns nil if the server runs, or if the
	// reason is unknown. It waits briefly for a server that is about to end.
	cause() error
}

// Limits of a server's speed, in units. Each line counts as one unit, and so do each bytesOfOne bytes.
// Lines count because reading many small notifications takes as long as reading a large answer.
const (
	paceRate   = 2_000   // units per second on average
	paceBurst  = 20_000  // units at once
	bytesOfOne = 4 << 10 // bytes of one unit
)

// paced reads from a server at a limited speed. Meanwhile the server's output waits.
type paced struct {
	r    io.Reader
	ctx  context.Context // ends with the link
	pace *rate.Limiter
}

// newPaced returns a reader of r. When ctx ends, its waiting reads fail.
func newPaced(ctx context.Context, r io.Reader) *paced {
	return &paced{r: r, ctx: ctx, pace: rate.NewLimiter(paceRate, paceBurst)}
}

// Read reads at most paceBurst bytes, and then waits until the pace allows another read.
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
