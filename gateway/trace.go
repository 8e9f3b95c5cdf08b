package gateway

import (
	"context"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/sdkapi"
)

// tracedCalls records a span for each tool call.
type tracedCalls struct{ tracer *tracing.Tracer }

var _ agent.Observer = tracedCalls{}

// Begin implements agent.Observer.
func (t tracedCalls) Begin(ctx context.Context, tool string, origin agent.Origin) context.Context {
	return t.tracer.Call(ctx, tool, string(origin.Kind))
}

// End implements agent.Observer.
func (t tracedCalls) End(ctx context.Context, _ string, _ agent.Origin, _ agent.Call, res agent.Result, err error) {
	code := metrics.CallCode(res, err)
	if code == metrics.CodeOK {
		code = ""
	}
	t.tracer.EndCall(ctx, code, res.Usage.Fuel)
}

// Traced returns an engine that records a span for each Read of engine. It returns engine itself
// if t is nil.
func Traced(engine perception.Engine, t *tracing.Tracer) perception.Engine {
	if t == nil {
		return engine
	}
	return tracedEngine{engine, t}
}

type tracedEngine struct {
	perception.Engine
	tracer *tracing.Tracer
}

// Unwrap returns the wrapped engine, so that callers can find its optional interfaces.
func (e tracedEngine) Unwrap() perception.Engine { return e.Engine }

// Read implements perception.Engine.
func (e tracedEngine) Read(ctx context.Context, screen perception.Screen, how sdkapi.Reading) ([]perception.Row, error) {
	name, _, _ := strings.Cut(e.Name(), " ")
	size := screen.Bounds().Size()
	ctx, span := e.tracer.Reading(ctx, name, size.X, size.Y)
	rows, err := e.Engine.Read(ctx, screen, how)
	span.EndReading(len(rows), string(fault.CodeOf(err)))
	return rows, err
}
