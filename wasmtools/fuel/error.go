package fuel

import "fmt"

// Kind is the reason why a module was refused.
type Kind string

// The kinds of refusal.
const (
	NotModule Kind = "not_a_module" // The bytes are not a WebAssembly module, or the module has an unknown version.
	// The bytes are a WebAssembly component, which contains modules but is not a module.
	Component   Kind = "component"
	Truncated   Kind = "truncated"   // The module ends too early.
	Malformed   Kind = "malformed"   // The module violates the rules of the binary format.
	Unsupported Kind = "unsupported" // The module needs a WebAssembly feature that is not available.
	TooLarge    Kind = "too_large"   // The module exceeds one of the Limits.
	Reserved    Kind = "reserved"    // The module uses a name that is reserved for Rewrite.
)

// Error reports why and where a module was refused, and what its author can do.
type Error struct {
	Kind    Kind
	Feature Features // missing feature if Kind is Unsupported; 0 if Features has no name for it
	Offset  int      // position in the module at which the problem is, in bytes
	Func    int      // index of the function with the problem; -1 if the problem is outside of functions
	Message string   // description of the problem
	Advice  string   // advice for the module's author; may be empty
}

// Error returns the problem, its place and the advice.
func (e *Error) Error() string {
	where := fmt.Sprintf("at byte %d", e.Offset)
	if e.Func >= 0 {
		where += fmt.Sprintf(" in function %d", e.Func)
	}
	s := fmt.Sprintf("%s (%s)", e.Message, where)
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}
