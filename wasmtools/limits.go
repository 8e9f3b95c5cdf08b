package wasmtools

import (
	"reflect"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// Limits limits the resources of a plugin. All fields except the last two apply to each call. If a
// field is zero, its default applies; see Defaults. No field is negative.
type Limits struct {
	WallMS int64 `json:"wall_ms,omitempty"` // total time in milliseconds; default 30 000
	// approximate number of instructions; default 20 billion, which is about three seconds of one
	// core
	Fuel        int64 `json:"fuel,omitempty"`
	InputBytes  int64 `json:"input_bytes,omitempty"`  // size of the arguments, in the guest's format; default 4 MiB
	OutputBytes int64 `json:"output_bytes,omitempty"` // size of the answer; default 4 MiB
	LogLines    int64 `json:"log_lines,omitempty"`    // number of log lines; default 1 000; more lines are dropped
	// size of all log lines together; default 256 KiB; more bytes are dropped
	LogBytes int64 `json:"log_bytes,omitempty"`
	// number of calls of host functions, for example requests, settings, values, tools or log
	// lines; default 10 000
	HostCalls    int64 `json:"host_calls,omitempty"`
	RandomBytes  int64 `json:"random_bytes,omitempty"`  // number of random bytes that the guest gets; default 1 MiB
	HTTPRequests int64 `json:"http_requests,omitempty"` // number of HTTP requests, including redirects; default 20
	HTTPBytes    int64 `json:"http_bytes,omitempty"`    // number of sent and received bytes together; default 8 MiB
	// number of bytes that the guest writes to files; default 64 MiB
	FileBytes    int64 `json:"file_bytes,omitempty"`
	MemoryBytes  int64 `json:"memory_bytes,omitempty"`  // size of the guest's memory; default 64 MiB
	TableEntries int64 `json:"table_entries,omitempty"` // number of entries in one table; default 100 000
	// number of nested function calls, where large functions count more than once; default 10 000
	StackDepth int64 `json:"stack_depth,omitempty"`
	// number of calls that run at the same time; default 4; more calls wait
	ConcurrentCalls int64 `json:"concurrent_calls,omitempty"`
	// number of waiting calls of one user; default 64; more calls are refused
	QueuedCalls int64 `json:"queued_calls,omitempty"`
}

// Defaults returns the default limits.
func Defaults() Limits {
	return Limits{
		WallMS: 30_000, Fuel: 20_000_000_000,
		InputBytes: 4 << 20, OutputBytes: 4 << 20,
		LogLines: 1_000, LogBytes: 256 << 10, HostCalls: 10_000, RandomBytes: 1 << 20,
		HTTPRequests: 20, HTTPBytes: 8 << 20, FileBytes: 64 << 20,
		MemoryBytes: 64 << 20, TableEntries: 100_000, StackDepth: 10_000,
		ConcurrentCalls: 4, QueuedCalls: 64,
	}
}

// highest are the largest allowed limits. A guest's addresses have 32 bits. The host's stack is limited.
// One instruction can fill a whole table, which takes up to a millisecond, and the host cannot interrupt it.
var highest = Limits{
	WallMS: 24 * 3_600_000, Fuel: 1 << 60,
	InputBytes: 256 << 20, OutputBytes: 256 << 20,
	LogLines: 1 << 20, LogBytes: 256 << 20, HostCalls: 1 << 40, RandomBytes: 1 << 30,
	HTTPRequests: 1 << 20, HTTPBytes: 4 << 30, FileBytes: 1 << 40,
	MemoryBytes: 4 << 30, TableEntries: 1_000_000, StackDepth: 100_000,
	ConcurrentCalls: 256, QueuedCalls: 1 << 20,
}

// each calls f once for each field of Limits, in order, with the field's JSON name and its value in each
// of limits.
func each(f func(name string, fields []reflect.Value), limits ...*Limits) {
	t := reflect.TypeFor[Limits]()
	for i := range t.NumField() {
		values := make([]reflect.Value, len(limits))
		for n, l := range limits {
			values[n] = reflect.ValueOf(l).Elem().Field(i)
		}
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		f(name, values)
	}
}

// check adds the problems of l to f and returns f. path is the path of l in its file.
func (l Limits) check(f *fault.Error, path string) *fault.Error {
	most := highest
	each(func(name string, v []reflect.Value) {
		if v[0].Int() < 0 || v[0].Int() > v[1].Int() {
			f = f.At(path+"."+name, "expected 0 to %d", v[1].Int())
		}
	}, &l, &most)
	return f
}

// over returns l with its zero fields replaced by those of base.
func (l Limits) over(base Limits) Limits {
	each(func(_ string, v []reflect.Value) {
		if v[0].Int() == 0 {
			v[0].Set(v[1])
		}
	}, &l, &base)
	return l
}

// within returns l with each field lowered to at most that of limit, and the names of the lowered
// fields.
func (l Limits) within(limit Limits) (_ Limits, cut []string) {
	each(func(name string, v []reflect.Value) {
		if v[0].Int() > v[1].Int() {
			cut = append(cut, name)
			v[0].Set(v[1])
		}
	}, &l, &limit)
	return l, cut
}

// pageBytes is the size of a page of a guest's memory.
const pageBytes = 64 << 10

// pass returns the limits for fuel.Rewrite of a module of at most moduleBytes bytes.
func (l Limits) pass(moduleBytes int) fuel.Limits {
	return fuel.Limits{
		ModuleBytes:  moduleBytes,
		MemoryPages:  uint32(max(1, l.MemoryBytes/pageBytes)),
		TableEntries: uint32(l.TableEntries),
		CallDepth:    uint32(l.StackDepth),
	}
}

// exchange returns the limits on a guest's exchange with the host. Its deadline is not set.
func (l Limits) exchange() abi.Limits {
	return abi.Limits{
		InputBytes: int(l.InputBytes), OutputBytes: int(l.OutputBytes),
		LogLines: int(l.LogLines), LogBytes: int(l.LogBytes),
		HostCalls: int(l.HostCalls), RandomBytes: int(l.RandomBytes),
	}
}

// wall returns the maximum duration of a call.
func (l Limits) wall() time.Duration { return time.Duration(l.WallMS) * time.Millisecond }
