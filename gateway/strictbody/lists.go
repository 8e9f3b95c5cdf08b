package strictbody

import (
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// encoding/json writes a nil slice as null, but the API document promises lists, and clients
// iterate over them without a check. So responses have [] for each nil slice.

// write writes v as JSON with [] for nil slices.
func write(w io.Writer, v any) error { return huma.DefaultJSONFormat.Marshal(w, Lists(v)) }

// Lists returns v with an empty slice in place of each nil slice that JSON would write as null. It
// does not change v, which may be shared: it copies each value that holds such a slice.
func Lists(v any) any {
	if v == nil {
		return nil
	}
	of := reflect.ValueOf(v)
	if whole, changed := listed(of); changed {
		return whole.Interface()
	}
	return v
}

// listed returns v without nil slices, and reports whether that differs from v.
func listed(v reflect.Value) (reflect.Value, bool) {
	if !holdsLists(v.Type()) {
		return v, false
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		whole, changed := listed(v.Elem())
		if !changed {
			return v, false
		}
		to := reflect.New(v.Type().Elem())
		to.Elem().Set(whole)
		return to, true
	case reflect.Interface:
		if v.IsNil() {
			return v, false
		}
		return listed(v.Elem())
	case reflect.Slice:
		return listedElements(v)
	}
	return listedFields(v) // no other kind holds lists
}

// listedElements is listed for the elements of a slice. A nil slice stays nil: its holder replaces
// it.
func listedElements(v reflect.Value) (reflect.Value, bool) {
	out := v
	for i := range v.Len() {
		whole, changed := listed(v.Index(i))
		if !changed {
			continue
		}
		if out == v {
			out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(out, v)
		}
		out.Index(i).Set(whole)
	}
	return out, out != v
}

// listedFields is listed for the fields of a struct.
func listedFields(v reflect.Value) (reflect.Value, bool) {
	var out reflect.Value
	set := func(i int, to reflect.Value) {
		if !out.IsValid() {
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		out.Field(i).Set(to)
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if len(f.Index) > 1 || !f.IsExported() {
			continue
		}
		field := v.Field(f.Index[0])
		if isList(f.Type) && field.IsNil() {
			if !leftOut(f) {
				set(f.Index[0], reflect.MakeSlice(f.Type, 0, 0))
			}
			continue
		}
		if whole, changed := listed(field); changed {
			set(f.Index[0], whole)
		}
	}
	if out.IsValid() {
		return out, true
	}
	return v, false
}

// leftOut reports whether JSON omits a field that is nil.
func leftOut(f reflect.StructField) bool {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name == "-" && options == "" || strings.Contains(options, "omit")
}

// isList reports whether encoding/json writes a type as an array.
func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && !writesItself(t)
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// writesItself reports whether a type, or a pointer to it, has a JSON or text form of its own.
func writesItself(t reflect.Type) bool {
	return slices.ContainsFunc([]reflect.Type{t, reflect.PointerTo(t)}, func(t reflect.Type) bool {
		return t.Implements(marshaler) || t.Implements(textMarshaler)
	})
}

// known caches the results of holdsLists, by type.
var known sync.Map

// holdsLists reports whether a value of type t can contain a slice that JSON must not write as
// null.
func holdsLists(t reflect.Type) bool {
	if has, ok := known.Load(t); ok {
		return has.(bool)
	}
	has := findLists(t, map[reflect.Type]bool{})
	known.Store(t, has)
	return has
}

// findLists is holdsLists without the cache. within has the visited types, so that a recursive type ends.
func findLists(t reflect.Type, within map[reflect.Type]bool) bool {
	if within[t] || writesItself(t) {
		return false
	}
	within[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return findLists(t.Elem(), within)
	case reflect.Struct:
		return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
			return len(f.Index) == 1 && f.IsExported() && (isList(f.Type) && !leftOut(f) || findLists(f.Type, within))
		})
	}
	return t.Kind() == reflect.Interface
}
