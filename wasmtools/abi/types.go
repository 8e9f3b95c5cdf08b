package abi

import (
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// typeOf are the value types by the letters of a function, and by their names.
var typeOf = map[string]api.ValueType{
	"i": api.ValueTypeI32, "j": api.ValueTypeI64,
	"i32": api.ValueTypeI32, "i64": api.ValueTypeI64, "f32": api.ValueTypeF32, "f64": api.ValueTypeF64,
	"externref": api.ValueTypeExternref,
}

// types returns the types that letters stand for.
func types(letters string) (list []api.ValueType) {
	for _, l := range letters {
		list = append(list, typeOf[string(l)])
	}
	return list
}

// signature returns the type of f in the form of a fuel.Import.
func (f function) signature() string {
	name := strings.NewReplacer("i", "i32, ", "j", "i64, ")
	side := func(letters string) string { return strings.TrimSuffix(name.Replace(letters), ", ") }
	return "(" + side(f.params) + ") -> (" + side(f.results) + ")"
}

// parseSignature returns the types of a signature such as "(i32, i64) -> ()".
func parseSignature(s string) (params, results []api.ValueType, err error) {
	left, right, _ := strings.Cut(s, " -> ")
	if params, err = parseTypes(left); err != nil {
		return nil, nil, err
	}
	results, err = parseTypes(right)
	return params, results, err
}

func parseTypes(s string) (list []api.ValueType, err error) {
	s = strings.Trim(s, "()")
	if s == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(s, ", ") {
		t, ok := typeOf[name]
		if !ok {
			return nil, fmt.Errorf("the gateway has no functions with values of type %s", name)
		}
		list = append(list, t)
	}
	return list, nil
}
