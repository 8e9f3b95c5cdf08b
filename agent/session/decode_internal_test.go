package session

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/state/journal"
)

// Every kind of event has a decoder: one that was forgotten is named.
func TestEveryKindIsDecoded(t *testing.T) {
	t.Parallel()
	kinds := kindsInSource(t)
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			e, err := Decode(journal.Event{Kind: kind, Data: json.RawMessage(`{}`)})
			switch {
			case err != nil:
				t.Fatal(err)
			case e == nil:
				t.Fatalf("decoders has no row for %s, %q", name, kind)
			case e.kind() != kind:
				t.Errorf("the row for %s decodes a %T, whose kind is %q", name, e, e.kind())
			}
		})
	}
	if len(kinds)+1 != len(decoders) { // the journal's resync besides
		t.Errorf("%d constants have names that begin with Kind, and decoders has %d rows: %v", len(kinds), len(decoders), slices.Sorted(maps.Keys(decoders)))
	}
}

// Every event comes back from the journal as it was appended.
func TestEventsComeBack(t *testing.T) {
	t.Parallel()
	for kind := range decoders {
		t.Run(kind, func(t *testing.T) {
			blank, err := Decode(journal.Event{Kind: kind, Data: json.RawMessage(`{}`)})
			if err != nil {
				t.Fatal(err)
			}
			if kind == journal.Resync {
				if got := blank.(Resync); string(got.Snapshot) != "{}" {
					t.Errorf("the snapshot is %s", got.Snapshot)
				}
				return
			}
			full := reflect.New(reflect.TypeOf(blank)).Elem()
			fill(full, 4)
			events, err := encode([]Event{full.Interface().(Event)})
			if err != nil {
				t.Fatal(err)
			}
			if events[0].Kind != kind {
				t.Errorf("it is appended as %q", events[0].Kind)
			}
			if back, err := Decode(events[0]); err != nil || !reflect.DeepEqual(back, full.Interface()) {
				t.Errorf("appended was\n%+v\nand back comes\n%+v, %v", full, back, err)
			}
		})
	}
}

// An event of a newer gateway is no error, and one that cannot be read is.
func TestDecodeWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	if e, err := Decode(journal.Event{Kind: "turn.dreamt", Data: json.RawMessage(`{"turn":7}`)}); e != nil || err != nil {
		t.Errorf("an unknown kind is decoded to %v, %v", e, err)
	}
	if _, err := Decode(journal.Event{Kind: KindTurnEnded, Data: json.RawMessage(`{"turn":7}`)}); err == nil {
		t.Error("a turn whose name is a number is no error")
	}
	if _, is, err := As[TurnEnded](journal.Event{Kind: KindTurnStarted, Data: json.RawMessage(`{"turn":7}`)}); is || err != nil {
		t.Errorf("a beginning is read as an end: %v, %v", is, err)
	}
}

// kindsInSource returns the constants of the package whose names begin with Kind.
func kindsInSource(t *testing.T) map[string]string {
	t.Helper()
	shipped := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), ".", shipped, parser.SkipObjectResolution) //nolint:staticcheck // one package without build tags
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	ast.Inspect(packages["session"], func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		for i, name := range spec.Names {
			if !strings.HasPrefix(name.Name, "Kind") {
				continue
			}
			if kinds[name.Name], err = strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value); err != nil {
				t.Fatal(err)
			}
		}
		return true
	})
	return kinds
}

// fill gives v a value in each field that JSON has, behind at most depth pointers,
// slices and maps.
func fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 5, 4, 3, 2, 1, 123456000, time.UTC)))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"a":["<",1]}`))
		return
	}
	if depth == 0 && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, v.Kind()) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("<text> & \u2028 " + v.Type().Name())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth-1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth-1)
		fill(value, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), depth)
			}
		}
	}
}
