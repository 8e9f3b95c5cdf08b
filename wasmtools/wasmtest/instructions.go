package wasmtest

import "bytes"

// Instructions without operands.
var (
	Unreachable = Op(0x00) // traps
	Nop         = Op(0x01)
	End         = Op(0x0b) // of a block or a body
	Return      = Op(0x0f)
	Drop        = Op(0x1a)
	Eq          = Op(0x46) // i32.eq
	LtU         = Op(0x49) // i32.lt_u
	Add         = Op(0x6a) // i32.add
	Sub         = Op(0x6b) // i32.sub
	Mul         = Op(0x6c) // i32.mul
	Wrap        = Op(0xa7) // i32.wrap_i64
	Extend      = Op(0xad) // i64.extend_i32_u
)

// Block returns a block without parameters and results.
func Block(body ...[]byte) []byte { return Op(0x02, []byte{0x40}, Seq(body...), End) }

// Loop returns a loop, which ends unless its body branches to 0.
func Loop(body ...[]byte) []byte { return Op(0x03, []byte{0x40}, Seq(body...), End) }

// Forever repeats its body.
func Forever(body ...[]byte) []byte { return Loop(Seq(body...), Br(0)) }

// When runs its body if the i32 on the stack is not 0. When is the if instruction without else.
func When(body ...[]byte) []byte { return Op(0x04, []byte{0x40}, Seq(body...), End) }

// Br jumps to a label.
func Br(label int) []byte { return Op(0x0c, U(label)) }

// BrIf jumps to a label if the i32 on the stack is not 0.
func BrIf(label int) []byte { return Op(0x0d, U(label)) }

// BrTable jumps to one of labels, by the index on the stack. An index that is too large selects the
// last label.
func BrTable(labels ...int) []byte {
	return Op(0x0e, U(len(labels)-1), Seq(us(labels)...))
}

// Call calls a function by its index, imported ones first.
func Call(fn int) []byte { return Op(0x10, U(fn)) }

// CallIndirect calls a function in table 0. The index of the function is on the stack; sig is the
// index of its type.
func CallIndirect(sig int) []byte { return Op(0x11, U(sig), U(0)) }

// TailCall is return_call.
func TailCall(fn int) []byte { return Op(0x12, U(fn)) }

// Get puts a local on the stack.
func Get(local int) []byte { return Op(0x20, U(local)) }

// Set sets a local to the value on the stack.
func Set(local int) []byte { return Op(0x21, U(local)) }

// Tee sets a local to the value on the stack, and leaves the value there.
func Tee(local int) []byte { return Op(0x22, U(local)) }

// Global puts a global on the stack.
func Global(g int) []byte { return Op(0x23, U(g)) }

// SetGlobal sets a global from the stack.
func SetGlobal(g int) []byte { return Op(0x24, U(g)) }

// I32 puts a constant on the stack.
func I32(v int) []byte { return Op(0x41, S(v)) }

// I64 puts a 64-bit constant on the stack.
func I64(v int) []byte { return Op(0x42, S(v)) }

// Load is i32.load.
func Load(offset int) []byte { return Op(0x28, U(2), U(offset)) }

// Load8 is i32.load8_u.
func Load8(offset int) []byte { return Op(0x2d, U(0), U(offset)) }

// Store is i32.store.
func Store(offset int) []byte { return Op(0x36, U(2), U(offset)) }

// MemoryGrow grows the memory by the i32 on the stack.
func MemoryGrow() []byte { return Op(0x40, U(0)) }

// MemoryFill fills a range of the memory.
func MemoryFill() []byte { return Misc(11, U(0)) }

// Misc returns an instruction with the prefix 0xfc.
func Misc(code int, rest ...[]byte) []byte { return Op(0xfc, U(code), Seq(rest...)) }

// Repeat returns body n times.
func Repeat(n int, body ...[]byte) []byte { return bytes.Repeat(Seq(body...), n) }
