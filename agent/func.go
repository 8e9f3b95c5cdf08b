package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Contenter is an interface that the answer of a Func may implement. Content returns the parts that the model gets in
// addition to the answer's fields, for example an image.
type Contenter interface {
	Content() []Part
}

// Warner is an interface that the answer of a Func may implement. Warns returns a warning for
// people who watch the session, or "". The warning becomes Result.Warning.
type Warner interface {
	Warns() string
}

// Func makes a built-in tool from a function. It derives the schemas from In and Out, which are structs with the tags
// of sdkapi, such as doc, minimum and default. The tool checks the arguments and fills in the defaults before it calls
// work. If work returns a Failure, the model gets the Failure. Any other error of work is treated like an error of
// Tool.Call. Func panics if In or Out is not a JSON object, or if d already has schemas or an origin.
func Func[In, Out any](d Descriptor, work func(ctx context.Context, call Call, in In) (Out, error)) Tool {
	if d.Input != nil || d.Output != nil || d.Origin != (Origin{}) {
		panic("agent.Func: " + d.Name + ": Input, Output and Origin are Func's to set")
	}
	input, defaults := derive[In](d.Name)
	output, _ := derive[Out](d.Name)
	d.Input, d.Output, d.Origin = input, output, Origin{Kind: Builtin}
	return &typed[In, Out]{descriptor: d, defaults: defaults, work: work}
}

// typed is the tool that Func returns.
type typed[In, Out any] struct {
	descriptor Descriptor
	defaults   json.RawMessage // a JSON object with In's defaults; nil if In has no defaults
	work       func(context.Context, Call, In) (Out, error)
}

func (t *typed[In, Out]) Descriptor() Descriptor { return t.descriptor }

// Call decodes the arguments, calls the function, and encodes its answer as structured output.
func (t *typed[In, Out]) Call(ctx context.Context, call Call) (Result, error) {
	in, err := decode[In](t.defaults, call.Arguments)
	if err != nil {
		return Result{}, err
	}
	out, err := t.work(ctx, call, in)
	var failure Failure
	if errors.As(err, &failure) {
		return failure.Result(), nil
	}
	if err != nil {
		return Result{}, err
	}
	res := Result{}
	if c, ok := any(out).(Contenter); ok {
		res.Content = c.Content()
	}
	if w, ok := any(out).(Warner); ok {
		res.Warning = w.Warns()
	}
	res.Structured, err = json.Marshal(out)
	return res, err
}

// decode fills an In with its defaults, and then with arguments that fit its schema. It fails with
// VALIDATION_ERROR for arguments that do not fit the Go type, for example 1.0 or 1e30 for an int.
func decode[In any](defaults, arguments json.RawMessage) (in In, err error) {
	if defaults != nil {
		err = json.Unmarshal(defaults, &in)
	}
	if err == nil {
		err = json.Unmarshal(arguments, &in)
	}
	if err == nil {
		return in, nil
	}
	path, expected := argumentsRoot, "values of the tool's types"
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		path, expected = path+"."+mismatch.Field, "a value that fits "+mismatch.Type.String()
	}
	return in, fault.New("agent.Func", sdkapi.ValidationError, "the arguments do not match the tool's schema").
		Because(err).At(path, "expected %s", expected)
}

// derive returns the JSON Schema of T, and a JSON object with the defaults of T's fields. defaults is nil if
// there are none. derive panics if T is not a JSON object, or if a field of a nested type has a default.
func derive[T any](tool string) (schema, defaults json.RawMessage) {
	t := reflect.TypeFor[T]()
	types := huma.NewMapRegistry("#/$defs/", huma.DefaultSchemaNamer)
	root := types.Schema(t, false, "Root")
	if root == nil || root.Type != huma.TypeObject {
		panic(fmt.Sprintf("agent.Func: %s: %s is no JSON object", tool, t))
	}
	values := map[string]any{}
	for name, property := range root.Properties {
		if property.Default != nil {
			values[name] = property.Default
		}
	}
	for name, def := range types.Map() {
		for field, property := range def.Properties {
			property.PatternDescription = "" // huma's own keyword
			if property.Default != nil && def != root {
				panic(fmt.Sprintf("agent.Func: %s: %s.%s has a default, which only fields of %s may", tool, name, field, t))
			}
		}
	}
	if len(values) > 0 {
		defaults = mustMarshal(values)
	}
	return withDefs(root, types.Map()), defaults
}

// withDefs returns root as JSON, with the definitions that it refers to. defs also has root itself,
// which is included only if something refers to it.
func withDefs(root *huma.Schema, defs map[string]*huma.Schema) json.RawMessage {
	whole, used := *root, maps.Clone(defs)
	for name, def := range defs {
		if def == root && !bytes.Contains(mustMarshal(defs), []byte(`"#/$defs/`+name+`"`)) {
			delete(used, name)
		}
	}
	if len(used) > 0 {
		whole.Extensions = map[string]any{"$defs": used}
	}
	return mustMarshal(&whole)
}

// mustMarshal returns v as JSON. Schemas of Go types always marshal.
func mustMarshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("agent.Func: %v", err))
	}
	return text
}
