package agent

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// Limits of an explanation.
const (
	maxFields  = 20  // reported fields
	maxLeaves  = 500 // problems from which the fields are chosen
	maxQuoted  = 300 // bytes of a schema in one message
	maxKeyPart = 100 // bytes of one field's name in a path
)

// explain returns a field for each problem of value, sorted by path. Paths begin with root. It
// quotes the schema, but never a value, which may be secret or long.
func explain(root string, value any, err *jsonschema.ValidationError) []sdkapi.FieldError {
	e := explainer{root: root, value: value}
	e.add(err)
	slices.SortFunc(e.fields, func(a, b sdkapi.FieldError) int {
		return strings.Compare(a.Path+"\n"+a.Message, b.Path+"\n"+b.Message)
	})
	fields := slices.Compact(e.fields)
	return fields[:min(len(fields), maxFields)]
}

// explainer collects up to maxLeaves fields.
type explainer struct {
	root   string
	value  any
	fields []sdkapi.FieldError
}

// add adds the leaves of err. For alternatives it adds only the leaves of the best branch, or one
// field if no branch is best.
func (e *explainer) add(err *jsonschema.ValidationError) {
	if len(e.fields) >= maxLeaves {
		return
	}
	causes := err.Causes
	switch err.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		if causes = bestBranch(err); len(causes) == 0 {
			e.leaf(err)
			return
		}
	case *kind.Contains, *kind.MinContains, *kind.PropertyNames:
		causes = nil
	}
	for _, cause := range causes {
		e.add(cause)
	}
	if len(causes) == 0 {
		e.leaf(err)
	}
}

// bestBranch returns the errors of the best alternative in err. That is the only alternative with the
// value's type. If several have the type, it is the only one of them whose constant fields match. If
// no alternative or several remain, bestBranch returns nil.
func bestBranch(err *jsonschema.ValidationError) []*jsonschema.ValidationError {
	depth := len(err.InstanceLocation)
	likely := slices.DeleteFunc(slices.Clone(err.Causes), func(cause *jsonschema.ValidationError) bool {
		return anyLeaf(cause, func(leaf *jsonschema.ValidationError) bool {
			_, wrongType := leaf.ErrorKind.(*kind.Type)
			return wrongType && len(leaf.InstanceLocation) == depth
		})
	})
	if len(likely) > 1 {
		likely = slices.DeleteFunc(likely, func(cause *jsonschema.ValidationError) bool {
			return anyLeaf(cause, func(leaf *jsonschema.ValidationError) bool {
				switch leaf.ErrorKind.(type) {
				case *kind.Const, *kind.Enum:
					return len(leaf.InstanceLocation) == depth+1
				}
				return false
			})
		})
	}
	if len(likely) != 1 {
		return nil
	}
	return likely
}

// anyLeaf reports whether the function is returns true for err or for an error below err.
func anyLeaf(err *jsonschema.ValidationError, is func(*jsonschema.ValidationError) bool) bool {
	return is(err) || slices.ContainsFunc(err.Causes, func(cause *jsonschema.ValidationError) bool { return anyLeaf(cause, is) })
}

// leaf adds a field, or one for each name in err.
func (e *explainer) leaf(err *jsonschema.ValidationError) {
	path := e.path(err.InstanceLocation)
	switch k := err.ErrorKind.(type) {
	case *kind.Required:
		e.each(path, k.Missing, "this field, which is required")
	case *kind.DependentRequired:
		e.each(path, k.Missing, "this field, which is required beside "+quoted(k.Prop))
	case *kind.Dependency:
		e.each(path, k.Missing, "this field, which is required beside "+quoted(k.Prop))
	case *kind.AdditionalProperties:
		e.each(path, k.Properties, "no such field")
	case *kind.PropertyNames:
		e.each(path, []string{k.Property}, "another name for this field")
	default:
		e.fields = append(e.fields, expected(path, "%s", phrase(k))...)
	}
}

// each adds a field for each name below path.
func (e *explainer) each(path string, names []string, what string) {
	for _, name := range names[:min(len(names), maxLeaves)] {
		e.fields = append(e.fields, expected(path+"."+plain.Short(name, maxKeyPart), "%s", what)...)
	}
}

// path returns a location in the value, in the form "root.field[0].field".
func (e *explainer) path(location []string) string {
	var b strings.Builder
	b.WriteString(e.root)
	at := e.value
	for _, step := range location {
		switch v := at.(type) {
		case []any:
			b.WriteString("[" + step + "]")
			at = nil
			if i, err := strconv.Atoi(step); err == nil && i < len(v) {
				at = v[i]
			}
		case map[string]any:
			b.WriteString("." + plain.Short(step, maxKeyPart))
			at = v[step]
		}
	}
	return b.String()
}

// phrase returns the expectation of a schema keyword.
func phrase(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return strings.Join(k.Want, " or ") + ", not " + k.Got
	case *kind.Enum:
		return "one of " + quotedAll(k.Want)
	case *kind.Const:
		return quoted(k.Want)
	case *kind.Pattern:
		return "text that matches " + quoted(k.Want)
	case *kind.Format:
		if k.Want == "regex" {
			return fmt.Sprintf("a regular expression without look-around and back-references, of at most %d steps", MaxPatternSize)
		}
		return "text of the format " + plain.Short(k.Want, maxQuoted)
	case *kind.UniqueItems:
		return "items that all differ"
	case *kind.Contains, *kind.MinContains, *kind.MaxContains:
		return "a different number of items that match the schema's contains"
	case *kind.AnyOf:
		return "one of the schema's alternatives"
	case *kind.OneOf:
		if k.Subschemas != nil {
			return "only one of the schema's alternatives, not several"
		}
		return "one of the schema's alternatives"
	case *kind.Not:
		return "a value that the schema's not allows"
	case *kind.FalseSchema:
		return "nothing here"
	}
	if text := bound(k); text != "" {
		return text
	}
	return "a value that fits the schema"
}

// bound is phrase for the keywords about size. It returns "" for other keywords.
func bound(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "a number >= " + number(k.Want)
	case *kind.Maximum:
		return "a number <= " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "a number > " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "a number < " + number(k.Want)
	case *kind.MultipleOf:
		return "a multiple of " + number(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("length >= %d", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("length <= %d", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("at most %d items", k.Want)
	case *kind.AdditionalItems:
		return fmt.Sprintf("at most the items of the schema: remove %d", k.Count)
	case *kind.MinProperties:
		return fmt.Sprintf("at least %d fields", k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("at most %d fields", k.Want)
	}
	return ""
}

// number returns a number of a schema in decimal form. A large or fractional number may be rounded.
func number(n *big.Rat) string {
	if n.IsInt() && n.Num().BitLen() < 64 {
		return n.Num().String()
	}
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// quoted returns a value of a schema as JSON, shortened.
func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "what the schema says" // unreachable: the value was read from JSON
	}
	return plain.Short(string(text), maxQuoted)
}

// quotedAll returns values as a JSON list without brackets, shortened.
func quotedAll(values []any) string {
	parts := make([]string, min(len(values), maxQuoted/2))
	for i := range parts {
		parts[i] = quoted(values[i])
	}
	return plain.Short(strings.Join(parts, ", "), maxQuoted)
}
