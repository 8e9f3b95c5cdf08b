package wasmtest

import "bytes"

// Instructions that nothing follows.
var (
	Unreachable, Nop, End, Return, Drop = Op(0x00), Op(0x01), Op(0x0b), Op(0x0f), Op(0x1a)
	Eq, LtU, Add, Sub, Mul              = Op(0x46), Op(0x49), Op(0x6a), Op(0x6b), Op(0x6c)
	Wrap, Extend                        = Op(0xa7), Op(0xad) // i64 to i32, and back
)

// Block is a block without parameters and results.
func Block(body ...[]byte) []byte { return Op(0x02, []byte{0x40}, Seq(body...), End) }

// Loop is a loop, which ends unless its body branches to 0.
func Loop(body ...[]byte) []byte { return Op(0x03, []byte{0x40}, Seq(body...), End) }

// Forever repeats its body.
func Forever(body ...[]byte) []byte { return Loop(Seq(body...), Br(0)) }

// When is an if, on the i32 on the stack.
func When(body ...[]byte) []byte { return Op(0x04, []byte{0x40}, Seq(body...), End) }

// Br and BrIf jump to a label.
func Br(label int) []byte { return Op(0x0c, U(label)) }

// BrIf is conditional.
func BrIf(label int) []byte { return Op(0x0d, U(label)) }

// BrTable jumps to one of labels, else to the last.
func BrTable(labels ...int) []byte {
	var b [][]byte
	for _, l := range labels {
		b = append(b, U(l))
	}
	return Op(0x0e, U(len(b)-1), Seq(b...))
}

// Call calls a function by its index, imported ones first.
func Call(fn int) []byte { return Op(0x10, U(fn)) }

// CallIndirect calls what table 0 has at the i32 on the stack.
func CallIndirect(sig int) []byte { return Op(0x11, U(sig), U(0)) }

// TailCall is return_call.
func TailCall(fn int) []byte { return Op(0x12, U(fn)) }

// Get, Set and Tee use a local.
func Get(local int) []byte { return Op(0x20, U(local)) }

// Set takes it from the stack.
func Set(local int) []byte { return Op(0x21, U(local)) }

// Tee leaves it there.
func Tee(local int) []byte { return Op(0x22, U(local)) }

// Global and SetGlobal use a global.
func Global(g int) []byte { return Op(0x23, U(g)) }

// SetGlobal takes it from the stack.
func SetGlobal(g int) []byte { return Op(0x24, U(g)) }

// I32 and I64 are constants.
func I32(v int) []byte { return Op(0x41, S(v)) }

// I64 is one of 64 bits.
func I64(v int) []byte { return Op(0x42, S(v)) }

// Load, Load8 and Store use an i32, or a byte of it.
func Load(offset int) []byte { return Op(0x28, U(2), U(offset)) }

// Load8 is i32.load8_u.
func Load8(offset int) []byte { return Op(0x2d, U(0), U(offset)) }

// Store is i32.store.
func Store(offset int) []byte { return Op(0x36, U(2), U(offset)) }

// MemoryGrow grows the memory by the i32 on the stack.
func MemoryGrow() []byte { return Op(0x40, U(0)) }

// MemoryFill fills a range of the memory.
func MemoryFill() []byte { return Misc(11, U(0)) }

// Misc is an instruction with the prefix 0xfc.
func Misc(code int, rest ...[]byte) []byte { return Op(0xfc, U(code), Seq(rest...)) }

// Repeat is body n times.
func Repeat(n int, body ...[]byte) []byte { return bytes.Repeat(Seq(body...), n) }
