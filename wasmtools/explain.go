package wasmtools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// explain returns the error of a run as a fault that says what happened and what
// to do. i is nil if there is no instance.
func (g *guest) explain(s span, err error, i *instance) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*fault.Error](err); ok {
		if known.Code == sdkapi.Timeout && s.err() != nil {
			return g.late(s) // what the guest was waiting for does not matter
		}
		return known
	}
	if limit, ok := errors.AsType[*abi.LimitError](err); ok {
		return g.over(limit)
	}
	if bound, ok := errors.AsType[*abi.BoundError](err); ok {
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
		return g.late(s)
	}
	return fault.New("wasmtools.call", sdkapi.ToolError, "the plugin %q failed: %s", g.Name, g.reason(err, i)).Because(err)
}

func (g *guest) over(limit *abi.LimitError) error {
	return fault.New("wasmtools.call", sdkapi.ToolError,
		"the plugin %q was stopped: it went over its limit %s of %d; the operator can raise it in its grant", g.Name, limit.Limit, limit.Most).Because(limit)
}

// late is the fault for a run that time ended, or whose caller left.
func (g *guest) late(s span) error {
	why := s.err()
	if errors.Is(why, context.Canceled) {
		return why
	}
	if s.warms && g.Limits.wall() >= describeTime {
		return fault.New("wasmtools.describe", sdkapi.Timeout, "it took longer than %s", describeTime).Because(why)
	}
	return fault.New("wasmtools.call", sdkapi.Timeout,
		"the plugin %q was stopped: its time was over, which wall_ms sets to %d milliseconds unless the caller waits for less", g.Name, g.Limits.WallMS).Because(why)
}

// maxReason is the longest reason that a caller gets, in bytes.
const maxReason = 2 << 10

// reason returns why a run failed, in the guest's words or by how it ended. A guest that says why
// it fails may trap right after, as those of Rust and AssemblyScript do: its words come before the trap.
func (g *guest) reason(err error, i *instance) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	said, itself := errors.AsType[failed](err)
	if !itself && i != nil && len(i.call.Failure) > 0 {
		said, itself = failed(i.call.Failure), true
	}
	if itself {
		text = string(said)
	} else if exit, ok := errors.AsType[*sys.ExitError](err); ok {
		text = fmt.Sprintf("it exited with code %d", exit.ExitCode())
	}
	if i != nil && !itself && i.call.Tail() != "" {
		text += ": " + i.call.Tail()
	}
	if i != nil && g.MemoryBytes.Most > 0 && i.size() >= g.MemoryBytes.Most {
		text += fmt.Sprintf(" (its memory was at the limit memory_bytes of %d)", g.MemoryBytes.Most)
	}
	return plain.Short(text, maxReason)
}
