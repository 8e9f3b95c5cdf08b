package wasmtools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// explain makes the error of a run one that says what happened and what to do.
// I is where it ran, nil if there is no instance. What was a fault stays one.
func (g *guest) explain(s span, err error, i *instance) error {
	if err == nil {
		return nil
	}
	var known *fault.Error
	if errors.As(err, &known) {
		if known.Code == sdkapi.Timeout && s.err() != nil {
			return g.late(s.err()) // what the guest was waiting for does not matter
		}
		return known
	}
	var limit *abi.LimitError
	if errors.As(err, &limit) {
		return g.over(limit)
	}
	var bound *abi.BoundError
	if errors.As(err, &bound) {
		return fault.New("wasmtools.call", sdkapi.ToolError, "the plugin %q was stopped: it had %s", g.Name, bound).Because(bound)
	}
	reason := fuel.None
	if i != nil {
		reason = i.meter.Reason()
	}
	switch {
	case reason == fuel.OutOfFuel:
		return g.over(&abi.LimitError{Limit: "fuel", Most: g.Limits.Fuel})
	case reason == fuel.TooDeep:
		return g.over(&abi.LimitError{Limit: "stack_depth", Most: g.Limits.StackDepth})
	case s.err() != nil:
		return g.late(s.err())
	}
	return fault.New("wasmtools.call", sdkapi.ToolError, "the plugin %q failed: %s", g.Name, g.reason(err, i)).Because(err)
}

// over is the fault for a limit that ended a run.
func (g *guest) over(limit *abi.LimitError) error {
	return fault.New("wasmtools.call", sdkapi.ToolError,
		"the plugin %q was stopped: it went over its limit %s of %d; the operator can raise it in its grant", g.Name, limit.Limit, limit.Most).Because(limit)
}

// late is the fault for a run that time ended, or whose caller left.
func (g *guest) late(why error) error {
	if errors.Is(why, context.Canceled) {
		return why
	}
	return fault.New("wasmtools.call", sdkapi.Timeout,
		"the plugin %q was stopped: its time was over, which wall_ms sets to %d milliseconds unless the caller waits for less", g.Name, g.Limits.WallMS).Because(why)
}

// maxReason is the longest reason that a caller gets, in bytes.
const maxReason = 2 << 10

// reason explains to a caller why a run failed: what the guest says, or how it
// ended.
func (g *guest) reason(err error, i *instance) string {
	var said failed
	var exit *sys.ExitError
	var text string
	switch {
	case errors.As(err, &said):
		text = string(said)
	case errors.As(err, &exit):
		text = fmt.Sprintf("it exited with code %d", exit.ExitCode())
	default:
		text, _, _ = strings.Cut(err.Error(), "\n")
	}
	if i == nil {
		return shorten(text)
	}
	if tail := i.call.Tail(); tail != "" && !errors.As(err, &said) {
		text += ": " + tail
	}
	if g.MemoryBytes.Most > 0 && i.size() >= g.MemoryBytes.Most {
		text += fmt.Sprintf(" (its memory was at the limit memory_bytes of %d)", g.MemoryBytes.Most)
	}
	return shorten(text)
}

// shorten cuts a text that is too long for a message.
func shorten(text string) string {
	if len(text) > maxReason {
		return strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
