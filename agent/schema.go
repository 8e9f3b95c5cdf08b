package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/windieos/windie/sdkapi"
)

// Limits of a schema.
const (
	MaxSchemaLen = 256 << 10 // maximum length of a schema, in bytes
	// MaxSchemaValues is the maximum number of JSON values in a schema. The compile time grows with
	// the square of this number.
	MaxSchemaValues = 5_000
	MaxPatternSize  = 5_000 // maximum size of one compiled regular expression, in instructions
)

// schemaURL is the URL of a schema without an $id.
const schemaURL = "tool:///schema"

// schema is a compiled JSON Schema. It is safe for concurrent use.
type schema struct {
	root      *jsonschema.Schema
	plans     map[*jsonschema.Schema]*plan
	anyObject bool // the schema is {"type":"object"}
}

// compileInput is compile for a schema of arguments. The schema must describe an object and nothing else,
// because models and MCP clients require that.
func compileInput(path string, raw json.RawMessage) (*schema, []sdkapi.FieldError) {
	s, wrong := compile(path, raw)
	if s != nil && (s.root.Types == nil || !slices.Equal(s.root.Types.ToStrings(), []string{"object"})) {
		return s, expected(path+".type", `"object", because arguments are always an object`)
	}
	return s, wrong
}

// compile compiles a JSON Schema of draft 2020-12, or of the draft that its $schema names. It loads
// no other schema, so the schema must have everything that it refers to. For an invalid schema it
// returns fields with the reasons, at path and below.
func compile(path string, raw json.RawMessage) (*schema, []sdkapi.FieldError) {
	if len(raw) > MaxSchemaLen {
		return nil, expected(path, "at most %d bytes", MaxSchemaLen)
	}
	doc, err := parse(raw, MaxSchemaValues, true)
	if err != nil {
		return nil, []sdkapi.FieldError{{Path: path, Message: err.Error()}}
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothingElse{})
	c.UseRegexpEngine(compilePattern)
	if err := c.AddResource(schemaURL, doc.value); err != nil {
		return nil, notSchema(path, doc.value, err)
	}
	root, err := c.Compile(schemaURL)
	if err != nil {
		return nil, notSchema(path, doc.value, err)
	}
	plans, err := survey(root)
	if err != nil {
		return nil, []sdkapi.FieldError{{Path: path, Message: err.Error()}}
	}
	fields, _ := doc.value.(map[string]any)
	return &schema{root: root, plans: plans, anyObject: len(fields) == 1 && fields["type"] == "object"}, nil
}

// notSchema explains the error of compiling doc.
func notSchema(path string, doc any, err error) []sdkapi.FieldError {
	var invalid *jsonschema.SchemaValidationError
	var fields *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &fields) {
		return explain(path, doc, fields)
	}
	return expected(path, "a JSON Schema without references to other documents: %.300s", err.Error())
}

// nothingElse is a loader that refuses to load other schemas.
type nothingElse struct{}

// Load returns an error for every URL.
func (nothingElse) Load(string) (any, error) {
	return nil, errors.New("the gateway does not load other documents; put their definitions into $defs")
}

// pattern is a regular expression with its size in instructions. The time of a match is
// proportional to size and text.
type pattern struct {
	*regexp.Regexp
	size int
}

// compilePattern compiles a regular expression for a schema. It fails if the pattern has more than MaxPatternSize
// instructions.
func compilePattern(text string) (jsonschema.Regexp, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > MaxPatternSize {
		return nil, fmt.Errorf("the pattern is too large: it has %d steps; the limit is %d", len(prog.Inst), MaxPatternSize)
	}
	re, err := regexp.Compile(text)
	return pattern{re, len(prog.Inst)}, err
}

// check returns the fields of raw that do not fit, at path and below.
func (s *schema) check(path string, raw json.RawMessage) []sdkapi.FieldError {
	doc, wrong := s.read(path, raw)
	if doc == nil {
		return wrong
	}
	if invalid := s.validate(doc); invalid != nil {
		return explain(path, doc.value, invalid)
	}
	return nil
}

// fit is check for arguments. It removes nulls that the schema refuses, and returns the arguments without
// them if they then fit. Programs whose types are generated from a schema send null for each missing
// optional field.
func (s *schema) fit(path string, raw json.RawMessage) (json.RawMessage, []sdkapi.FieldError) {
	doc, wrong := s.read(path, raw)
	if doc == nil {
		return raw, wrong
	}
	invalid := s.validate(doc)
	if invalid == nil {
		return raw, nil
	}
	if dropNulls(doc.value, invalid) {
		if invalid = s.validate(doc); invalid == nil {
			fitting, err := json.Marshal(doc.value)
			if err != nil {
				return raw, expected(path, "valid JSON") // unreachable: it was read from JSON
			}
			return fitting, nil
		}
	}
	return raw, explain(path, doc.value, invalid)
}

// dropNulls removes each null to which err refers from its object. It reports whether it removed any.
func dropNulls(value any, err *jsonschema.ValidationError) (dropped bool) {
	for _, cause := range err.Causes {
		dropped = dropNulls(value, cause) || dropped
	}
	if at := err.InstanceLocation; len(err.Causes) == 0 && len(at) > 0 {
		last := len(at) - 1
		object, _ := valueAt(value, at[:last]).(map[string]any)
		if field, ok := object[at[last]]; ok && field == nil {
			delete(object, at[last])
			return true
		}
	}
	return dropped
}

// valueAt returns the value at a location inside another value. It returns nil if the location is missing.
func valueAt(value any, location []string) any {
	for _, step := range location {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// read decodes raw for validate. If raw is invalid, doc is nil and wrong has the reason. If the schema accepts
// every object and raw is an object, doc and wrong are nil.
func (s *schema) read(path string, raw json.RawMessage) (doc *document, wrong []sdkapi.FieldError) {
	decode := !s.anyObject || !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{"))
	d, err := parse(raw, MaxValues, decode)
	if err != nil {
		return nil, []sdkapi.FieldError{{Path: path, Message: err.Error()}}
	}
	if !decode {
		return nil, nil
	}
	if !s.affordable(d) {
		return nil, expected(path, "a smaller value: checking it against the schema takes more than %d steps, the limit", maxWork)
	}
	return &d, nil
}

// validate returns the error of a document that does not fit, or nil if it fits.
func (s *schema) validate(doc *document) (invalid *jsonschema.ValidationError) {
	errors.As(s.root.Validate(doc.value), &invalid)
	return invalid
}

// expected returns one field at path, with the message "expected" and the formatted text.
func expected(path, format string, args ...any) []sdkapi.FieldError {
	return []sdkapi.FieldError{{Path: path, Message: "expected " + fmt.Sprintf(format, args...)}}
}

// Schema is a compiled JSON Schema of any value. Make one with CompileSchema. It is safe for
// concurrent use.
type Schema struct{ compiled *schema }

// CompileSchema compiles a JSON Schema. It returns a VALIDATION_ERROR for an invalid schema, and for
// a schema that exceeds MaxSchemaLen, MaxSchemaValues or MaxDepth.
func CompileSchema(raw json.RawMessage) (*Schema, error) {
	s, wrong := compile("schema", raw)
	if len(wrong) > 0 {
		return nil, invalid(wrong, "agent.CompileSchema", "%s: %s", wrong[0].Path, wrong[0].Message)
	}
	return &Schema{s}, nil
}

// Check returns a VALIDATION_ERROR if value is not JSON that matches the schema. path names the
// value in the error.
func (s *Schema) Check(path string, value json.RawMessage) error {
	wrong := s.compiled.check(path, value)
	if len(wrong) == 0 {
		return nil
	}
	return invalid(wrong, "agent.Check", "%s: %s", wrong[0].Path, wrong[0].Message)
}
