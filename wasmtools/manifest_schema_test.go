package wasmtools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaFile describes manifests to editors.
var schemaFile = filepath.Join("..", "sdk", "plugin", "manifest.schema.json")

// node is a part of the schema.
type node map[string]any

func (n node) at(path ...string) node {
	for _, step := range path {
		n, _ = n[step].(map[string]any)
	}
	return n
}

func readSchema(t *testing.T) node {
	t.Helper()
	raw, err := os.ReadFile(schemaFile)
	var root node
	if err == nil {
		err = json.Unmarshal(raw, &root)
	}
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// resolve follows a reference within the schema.
func (n node) resolve(root node) node {
	if ref, ok := n["$ref"].(string); ok {
		return root.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

// agree reports each field that the type has and the schema does not, or the
// other way round, and each that is of another type.
func agree(t *testing.T, root, n node, typ reflect.Type, path string) {
	t.Helper()
	n = n.resolve(root)
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ == reflect.TypeFor[json.RawMessage]() {
		return // a schema, of any form
	}
	if forms, ok := n["anyOf"].([]any); ok && len(forms) == 2 { // a text, or an object
		n = node(forms[1].(map[string]any)).resolve(root)
	}
	switch typ.Kind() {
	case reflect.Struct:
		agreeFields(t, root, n, typ, path)
	case reflect.Slice:
		wantType(t, n, "array", path)
		agree(t, root, n.at("items"), typ.Elem(), path+"[]")
	case reflect.Map:
		wantType(t, n, "object", path)
		agree(t, root, n.at("additionalProperties"), typ.Elem(), path+".*")
	case reflect.Bool:
		wantType(t, n, "boolean", path)
	case reflect.String:
		wantType(t, n, "string", path)
	case reflect.Int64:
		wantType(t, n, "integer", path)
	default:
		t.Errorf("%s: the test does not know %s", path, typ)
	}
}

func agreeFields(t *testing.T, root, n node, typ reflect.Type, path string) {
	t.Helper()
	wantType(t, n, "object", path)
	if n["additionalProperties"] != false {
		t.Errorf("%s: takes fields that it does not know", path)
	}
	known := map[string]bool{}
	for _, field := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || name == "-" {
			continue
		}
		known[name] = true
		property, ok := n.at("properties")[name].(map[string]any)
		if !ok {
			t.Errorf("%s.%s: the schema does not have it", path, name)
			continue
		}
		agree(t, root, property, field.Type, path+"."+name)
	}
	for name := range n.at("properties") {
		if !known[name] {
			t.Errorf("%s.%s: %s does not have it", path, name, typ)
		}
	}
}

// wantType takes a list of texts for the type string.
func wantType(t *testing.T, n node, want, path string) {
	t.Helper()
	if _, texts := n["enum"]; n["type"] != want && (!texts || want != "string") {
		t.Errorf("%s: the schema says %v, want %s", path, n["type"], want)
	}
}

func TestManifestSchemaAgrees(t *testing.T) {
	t.Parallel()
	root := readSchema(t)
	agree(t, root, root, reflect.TypeFor[Manifest](), "manifest")
	defaults, most := Defaults(), highest
	limits := root.at("$defs", "limits", "properties")
	each(func(name string, v []reflect.Value) {
		// A float64, as which JSON is read here, has all of these exactly.
		if n := limits.at(name); n["default"] != float64(v[0].Int()) || n["maximum"] != float64(v[1].Int()) || n["minimum"] != 0.0 {
			t.Errorf("%s: the schema has %v, want the default %d of at most %d", name, n, v[0].Int(), v[1].Int())
		}
	}, &defaults, &most)
	for path, want := range map[string]int{
		"properties/config/maxProperties":             maxConfig,
		"$defs/permissions/properties/http/maxItems":  maxRules,
		"$defs/permissions/properties/env/maxItems":   maxRules,
		"$defs/permissions/properties/tools/maxItems": maxRules,
		"$defs/permissions/properties/fs/maxItems":    maxMounts,
		"$defs/quota/properties/bytes/maximum":        maxQuota,
	} {
		t.Run(path, func(t *testing.T) {
			steps := strings.Split(path, "/")
			if got := root.at(steps[:len(steps)-1]...)[steps[len(steps)-1]]; got != float64(want) {
				t.Errorf("%s is %v, want %d", path, got, want)
			}
		})
	}
}

// What the schema takes ParseManifest takes too, and what it refuses is
// refused.
func TestManifestSchemaJudges(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	many := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	for _, tt := range []struct {
		manifest string
		good     bool
	}{
		{`{}`, true},
		{`{"$schema":"x","name":"a_1","version":"1","description":"d","abi":"extism","isolation":"reuse","config":{"a":"b"}}`, true},
		{`{"limits":{"wall_ms":86400000,"fuel":0,"memory_bytes":4294967296}}`, true},
		{`{"permissions":{"http":[{"host":"*.example.com:8080","schemes":["https","http"],"path":"/v1","methods":["post"],"private":true}],"clock":false}}`, true},
		{`{"permissions":{"http":[{"host":"a.example","secrets":[{"name":"KEY","in":"bearer"},{"name":"KEY","in":"query","key":"k"}]}]}}`, true},
		{`{"permissions":{"fs":[{"at":"/data","write":true}],"env":["LANG"],"tools":["a.b"],"kv":{"bytes":1}}}`, true},
		{`{"permissions":{"kv":{"bytes":1,"total_bytes":1073741824,"shared":true}}}`, true},
		{`{"permissions":{"kv":{"bytes":1,"total_bytes":1073741825}}}`, false},
		{`{"tools":[{"name":"x","title":"X","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`, true},
		{`[]`, false},
		{`{"nam":"a"}`, false},
		{`{"name":"A"}`, false},
		{`{"name":"` + strings.Repeat("a", 33) + `"}`, false},
		{`{"version":1}`, false},
		{`{"version":"` + strings.Repeat("1", 65) + `"}`, false},
		{`{"description":"` + strings.Repeat("1", 4097) + `"}`, false},
		{`{"abi":"script"}`, false},
		{`{"isolation":"shared"}`, false},
		{`{"config":{"a":1}}`, false},
		{`{"limits":{"wall_ms":86400001}}`, false},
		{`{"limits":{"fuel":-1}}`, false},
		{`{"limits":{"fuel":1.5}}`, false},
		{`{"limits":{"time":1}}`, false},
		{`{"permissions":{"net":true}}`, false},
		{`{"permissions":{"http":[{}]}}`, false},
		{`{"permissions":{"http":[{"host":"a.example","schemes":["ftp"]}]}}`, false},
		{`{"permissions":{"http":[{"host":"a.example","path":"v1"}]}}`, false},
		{`{"permissions":{"http":[{"host":"a.example","secrets":[{"name":"KEY","in":"bearer","key":"k"}]}]}}`, false},
		{`{"permissions":{"http":[{"host":"a.example","secrets":[{"name":"KEY","in":"header"}]}]}}`, false},
		{`{"permissions":{"http":[{"host":"a.example","secrets":[{"name":"KEY","in":"cookie","key":"k"}]}]}}`, false},
		{`{"permissions":{"http":[` + many(maxRules+1, `{"host":"a.example"}`) + `]}}`, false},
		{`{"permissions":{"fs":[{"at":"data"}]}}`, false},
		{`{"permissions":{"env":["WINDIE_OPERATOR_TOKEN"]}}`, false},
		{`{"permissions":{"env":["A=B"]}}`, false},
		{`{"permissions":{"kv":{"bytes":0}}}`, false},
		{`{"permissions":{"clock":"yes"}}`, false},
		{`{"tools":[{"name":"x","annotations":{"openWorldHint":true}}]}`, false},
		{`{"tools":{}}`, false},
	} {
		t.Run(fmt.Sprintf("%.50q", tt.manifest), func(t *testing.T) {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.manifest))
			if err != nil {
				t.Fatalf("%s: %v", tt.manifest, err)
			}
			_, parsed := ParseManifest([]byte(tt.manifest))
			judged := schema.Validate(value)
			if (parsed == nil) != tt.good || (judged == nil) != tt.good {
				t.Errorf("%.200s\nParseManifest: %v\nthe schema: %v", tt.manifest, parsed, judged)
			}
		})
	}
}

// The limits that the reference lists are those that hold.
func TestGuideListsLimits(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "docs", "plugin-reference.md"))
	if err != nil {
		t.Fatal(err)
	}
	limits, rows := Defaults(), 0
	each(func(name string, v []reflect.Value) {
		rows++
		if row := fmt.Sprintf("\n| `%s` | %d |", name, v[0].Int()); !strings.Contains(string(text), row) {
			t.Errorf("docs/plugin-reference.md has no row that begins with %s", strings.TrimSpace(row))
		}
	}, &limits)
	if _, table, _ := strings.Cut(string(text), "| limit | default |"); strings.Count(strings.SplitN(table, "\n\n", 2)[0], "\n| `") != rows {
		t.Errorf("the table has other than %d limits", rows)
	}
}
