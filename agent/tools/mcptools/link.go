package mcptools

import (
	"context"
	"io"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// maxMessageBytes is the maximum size of a server's message.
const maxMessageBytes = 16 << 20

// link connects one session to a server.
type link interface {
	// transport returns the session's transport. It is called once.
	transport() mcp.Transport

	// leave announces that the session will be closed, so that the server may end by itself.
	// Without it, Close ends the server at once.
	leave()

	// cut ends the link at once, and returns when it has ended. Waiting calls get an error. It may
	// be called again, and from several goroutines.
	cut()

	// cause returns how the server has ended, nil if it has not ended or the reason is unknown. It
	// waits briefly for a server that is about to end.
	cause() error
}

// Limits of a server's speed: on average per second, and at once. Each line counts one, and each
// bytesOfOne bytes count one: reading many small notifications takes as long as reading a large
// answer.
const (
	paceRate   = 2_000
	paceBurst  = 20_000
	bytesOfOne = 4 << 10
)

// paced reads from a server at a limited speed. Meanwhile the server's output waits.
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
