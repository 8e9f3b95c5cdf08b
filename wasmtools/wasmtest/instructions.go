package wasmtest

import "bytes"

// Instructions without operands.
var (
	Unreachable = Op(0x00) // instruction unreachable, which traps
	Nop         = Op(0x01)
	End         = Op(0x0b) // instruction end, which ends a block or the body of a function
	Return      = Op(0x0f)
	Drop        = Op(0x1a)
	Eq          = Op(0x46) // instruction i32.eq
	LtU         = Op(0x49) // instruction i32.lt_u
	Add         = Op(0x6a) // instruction i32.add
	Sub         = Op(0x6b) // instruction i32.sub
	Mul         = Op(0x6c) // instruction i32.mul
	Wrap        = Op(0xa7) // instruction i32.wrap_i64
	Extend      = Op(0xad) // instruction i64.extend_i32_u
)

// Block returns a block without parameters or results.
func Block(body ...[]byte) []byte { return Op(0x02, []byte{0x40}, Seq(body...), End) }

// Loop returns a loop instruction with a body. The loop ends after the body, unless the body
// branches to the label 0.
func Loop(body ...[]byte) []byte { return Op(0x03, []byte{0x40}, Seq(body...), End) }

// Forever returns a loop that repeats its body forever.
func Forever(body ...[]byte) []byte { return Loop(Seq(body...), Br(0)) }

// When returns an if instruction without else. It runs its body if the i32 on the stack is not 0.
func When(body ...[]byte) []byte { return Op(0x04, []byte{0x40}, Seq(body...), End) }

// Br returns an instruction that jumps to a label.
func Br(label int) []byte { return Op(0x0c, U(label)) }

// BrIf returns an instruction that jumps to a label if the i32 on the stack is not 0.
func BrIf(label int) []byte { return Op(0x0d, U(label)) }

// BrTable jumps to one of labels. The i32 on the stack is the index of the label. An index that is
// too large selects the last label.
func BrTable(labels ...int) []byte {
	return Op(0x0e, U(len(labels)-1), Seq(us(labels)...))
}

// Call calls a function by its index. Imported functions have the first indexes.
func Call(fn int) []byte { return Op(0x10, U(fn)) }

// CallIndirect calls a function in table 0. The i32 on the stack is the index of the table's entry.
// sig is the index of the function's type.
func CallIndirect(sig int) []byte { return Op(0x11, U(sig), U(0)) }

// TailCall returns the instruction return_call, which calls a function by its index.
func TailCall(fn int) []byte { return Op(0x12, U(fn)) }

// Get puts the value of a local on the stack. local is the index of the local.
func Get(local int) []byte { return Op(0x20, U(local)) }

// Set sets a local to the value on the stack. local is the index of the local.
func Set(local int) []byte { return Op(0x21, U(local)) }

// Tee sets a local to the value on the stack, and keeps the value on the stack.
func Tee(local int) []byte { return Op(0x22, U(local)) }

// Global puts the value of a global on the stack. g is the index of the global.
func Global(g int) []byte { return Op(0x23, U(g)) }

// SetGlobal sets a global to the value on the stack. g is the index of the global.
func SetGlobal(g int) []byte { return Op(0x24, U(g)) }

// I32 puts the 32-bit constant v on the stack.
func I32(v int) []byte { return Op(0x41, S(v)) }

// I64 puts the 64-bit constant v on the stack.
func I64(v int) []byte { return Op(0x42, S(v)) }

// Load returns the instruction i32.load.
func Load(offset int) []byte { return Op(0x28, U(2), U(offset)) }

// Load8 returns the instruction i32.load8_u.
func Load8(offset int) []byte { return Op(0x2d, U(0), U(offset)) }

// Store returns the instruction i32.store.
func Store(offset int) []byte { return Op(0x36, U(2), U(offset)) }

// MemoryGrow returns the instruction memory.grow. The i32 on the stack is the number of pages to
// add.
func MemoryGrow() []byte { return Op(0x40, U(0)) }

// MemoryFill returns the instruction memory.fill, which fills a range of the memory.
func MemoryFill() []byte { return Misc(11, U(0)) }

// Misc returns an instruction with the prefix 0xfc. code is the number after the prefix.
func Misc(code int, rest ...[]byte) []byte { return Op(0xfc, U(code), Seq(rest...)) }

// Repeat returns n copies of body, one after another.
func Repeat(n int, body ...[]byte) []byte { return bytes.Repeat(Seq(body...), n) }
