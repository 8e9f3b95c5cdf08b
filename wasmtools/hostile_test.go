package wasmtools_test

import (
	"context"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// The tests in hostile_*_test.go give plugins that want to harm: an attack
// ends in time and with a reason, takes no more memory than it may, and
// meanwhile all others go on. How long an attack takes, what others wait and what
// memory it takes is looked at with the tag system alone.

var noContext = context.Background()

// attackWall is the wall_ms of attacks, unless one sets another.
const attackWall = 300 * time.Millisecond

// attack is something that a plugin does, and what must become of it.
type attack struct {
	name    string
	kind    abi.Kind // default windie
	pages   int      // of memory at the start; default 1
	imports []string // besides those of the kind
	body    func(g *handmade) []byte
	grant   wasmtools.Grant
	cfg     wasmtools.Config
	input   string // default {}
	code    sdkapi.Code
	says    string // in the fault's message
}

// A limit of zero means the default, and memory is 16 MiB to begin with.
func (a attack) withDefaults() attack {
	if a.kind == "" {
		a.kind = abi.Bulk
	}
	if a.input == "" {
		a.input = `{}`
	}
	a.pages = max(a.pages, 1)
	l := &a.grant.Limits
	if l.WallMS == 0 && a.code != sdkapi.Timeout {
		l.WallMS = otherWall // another limit is to end it
	}
	if l.WallMS == 0 {
		l.WallMS = attackWall.Milliseconds()
	}
	if l.MemoryBytes == 0 {
		l.MemoryBytes = 16 << 20
	}
	return a
}

// refused opens a plugin that must not open, and returns the fault.
func refused(t *testing.T, src wasmtools.Source, grant wasmtools.Grant) *fault.Error {
	t.Helper()
	src.Name = "hostile"
	p, err := newEngine(t, wasmtools.Config{}).Open(t.Context(), src, grant)
	if err == nil {
		p.Close()
		t.Fatal("it opened")
	}
	return fault.From(err)
}
