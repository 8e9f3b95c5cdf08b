package fuel

import "strings"

// Features is a set of WebAssembly features beyond the first version of WebAssembly.
type Features uint32

// Features that are always accepted: those of WebAssembly 2.0.
const (
	MultiValue Features = 1 << iota
	BulkMemory
	ReferenceTypes
	SignExtension
	SaturatingConversions
	SIMD
)

// Features that Options.Allow can accept, if the engine accepts them too.
const (
	TailCalls Features = 1 << (iota + 8)
	ExtendedConst
)

// Features that are always refused.
const (
	Threads Features = 1 << (iota + 16)
	Exceptions
	GC
	FunctionReferences
	Memory64
	MultiMemory
	RelaxedSIMD
	WideArithmetic
	CustomPageSizes
)

// allowable are the features that Options.Allow can accept.
const allowable = TailCalls | ExtendedConst

// featureInfo has the name of each feature, in the form of clang -m<name>, and the way to build without the
// feature. The advice is empty for features that are always accepted.
var featureInfo = []struct {
	feature      Features
	name, advice string
}{
	{MultiValue, "multivalue", ""},
	{BulkMemory, "bulk-memory", ""},
	{ReferenceTypes, "reference-types", ""},
	{SignExtension, "sign-ext", ""},
	{SaturatingConversions, "nontrapping-fptoint", ""},
	{SIMD, "simd128", ""},
	{TailCalls, "tail-call", "build without tail calls (clang: -mno-tail-call) or have the host allow them"},
	{ExtendedConst, "extended-const", "build without it (clang: -mno-extended-const) or have the host allow it"},
	{Threads, "threads", "build without -pthread and without atomics"},
	{Exceptions, "exception-handling", "build without WebAssembly exceptions (clang: -fno-exceptions; Emscripten: no -fwasm-exceptions)"},
	{GC, "gc", "build with a compiler that manages memory itself, for WebAssembly 2.0"},
	{FunctionReferences, "function-references", "build for WebAssembly 2.0"},
	{Memory64, "memory64", "build for wasm32, not wasm64"},
	{MultiMemory, "multi-memory", "use one memory"},
	{RelaxedSIMD, "relaxed-simd", "build without -mrelaxed-simd; -msimd128 is fine"},
	{WideArithmetic, "wide-arithmetic", "build without -mwide-arithmetic"},
	{CustomPageSizes, "custom-page-sizes", "use pages of 64 KiB"},
}

// Names lists the features in f, by the names that compilers use. It returns nil if f is empty.
func (f Features) Names() []string {
	var names []string
	for _, info := range featureInfo {
		if f&info.feature != 0 {
			names = append(names, info.name)
		}
	}
	return names
}

// String returns the names of the features with commas between them, or "" for the empty set.
func (f Features) String() string { return strings.Join(f.Names(), ", ") }

// advice returns what an author can do to avoid a single feature, or "".
func (f Features) advice() string {
	for _, info := range featureInfo {
		if f == info.feature {
			return info.advice
		}
	}
	return ""
}
