package abi

import (
	"context"

	"github.com/tetratelabs/wazero/api"
)

// bulkModule is the module of the functions that copy whole ranges.
const bulkModule = "windie"

// bulkFunctions are the functions of the bulk ABI, by name. Each takes its parameters from the
// stack and writes its result there.
var bulkFunctions = map[string]function{
	"input_len":    {"", "i", func(c *Call, _ context.Context, _ api.Module, s []uint64) { s[0] = uint64(len(c.input)) }},
	"input_read":   {"ii", "i", func(c *Call, _ context.Context, m api.Module, s []uint64) { s[0] = c.copyOut(m, c.input, s) }},
	"host_read":    {"ii", "i", func(c *Call, _ context.Context, m api.Module, s []uint64) { s[0] = c.copyOut(m, c.answer, s) }},
	"output_write": {"ii", "", func(c *Call, _ context.Context, m api.Module, s []uint64) { c.write(view(m, s[0], s[1])) }},
	"error_write":  {"ii", "", func(c *Call, _ context.Context, m api.Module, s []uint64) { c.fail(view(m, s[0], s[1])) }},
	"log": {"iii", "", func(c *Call, _ context.Context, m api.Module, s []uint64) {
		c.logText(Level(int32(s[0])), view(m, s[1], s[2]))
	}},
	"host_call": {"iiii", "i", func(c *Call, ctx context.Context, m api.Module, s []uint64) {
		op, input := string(view(m, s[0], min(uint64(uint32(s[1])), maxOpName))), view(m, s[2], s[3])
		s[0] = uint64(uint32(c.operate(ctx, op, input)))
	}},
}

// maxOpName limits the name of an operation, in bytes.
const maxOpName = 64

// copyOut copies b to the range of guest memory in s, as far as it fits, and returns the number of
// copied bytes.
func (c *Call) copyOut(m api.Module, b []byte, s []uint64) uint64 {
	c.check()
	n := min(uint64(uint32(s[1])), uint64(len(b)))
	copy(view(m, s[0], n), b)
	return n
}

// view returns a range of the guest's memory. A range outside of the memory traps, like a load. The
// slice is valid until the guest runs again.
func view(m api.Module, ptr, length uint64) []byte {
	memory := m.Memory()
	if memory == nil {
		panic(errNoMemory)
	}
	b, ok := memory.Read(uint32(ptr), uint32(length))
	if !ok {
		panic(errOutOfBounds)
	}
	return b
}
