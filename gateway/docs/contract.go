package docs

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// huma generates an API document from the types with which it validates requests. mend improves
// that document for generators of clients, so that their code is usable unchanged. Validation still
// uses huma's document.

// object is a JSON object.
type object = map[string]any

// mended returns an improved copy of huma's document, with examples that use model as the default
// model. It does not change doc.
func mended(doc *huma.OpenAPI, model string) (*huma.OpenAPI, error) {
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var whole object
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, err
	}
	samples, err := readExamples(model)
	if err != nil {
		return nil, err
	}
	mend(whole, samples)
	return &huma.OpenAPI{OpenAPI: doc.OpenAPI, Extensions: whole}, nil
}

// mend improves whole, a document of huma. The order of the steps matters: each sees the result of the steps before it.
func mend(whole object, samples *examples) {
	d := &document{object: whole, schemas: at(whole, "components", "schemas")}
	d.nameVersion()
	d.liftDefinitions()
	d.nameOperations()
	d.nameEvents()
	d.splitUnions()
	d.typeFields()
	d.listsAreLists()
	d.dropPatterns()
	d.spellDefaults()
	d.nameEnums()
	d.openAnswers()
	d.shareErrors()
	d.describeHeaders()
	d.addExamples(samples)
	d.listTags()
}

// document is an API document that mend is changing.
type document struct {
	object

	schemas object // its components.schemas
}

// at returns the object at a path in node, or nil if there is none.
func at(node object, path ...string) object {
	for _, step := range path {
		node, _ = node[step].(object)
	}
	return node
}

// each calls f for every object in node, outer objects first. It then visits the contents as f has
// left them.
func each(node any, f func(object)) {
	switch v := node.(type) {
	case object:
		f(v)
		for _, value := range v {
			each(value, f)
		}
	case []any:
		for _, value := range v {
			each(value, f)
		}
	}
}

// ownSchemas yields the schemas of the gateway's own types, sorted by name. It skips the schemas of tools, which
// the gateway serves unchanged.
func (d *document) ownSchemas(yield func(name string, schema object) bool) {
	for _, name := range slices.Sorted(maps.Keys(d.schemas)) {
		if schema, ok := d.schemas[name].(object); ok && !strings.HasPrefix(name, toolSchemaPrefix) && !yield(name, schema) {
			return
		}
	}
}

// operations yields all operations with the methods GET, HEAD, POST, PUT and DELETE, sorted by path.
func (d *document) operations(yield func(path string, op object) bool) {
	paths := at(d.object, "paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := at(paths, path)
		for _, method := range []string{"get", "head", "post", "put", "delete"} {
			if op := at(item, method); op != nil && !yield(path, op) {
				return
			}
		}
	}
}

// ref returns a reference to a schema.
func ref(name string) object { return object{"$ref": schemasAt + name} }

// semver matches a semantic version, with or without a leading v.
var semver = regexp.MustCompile(`^v?(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)$`)

// nameVersion makes the document's version a semantic version. A build without a tag gets
// 0.0.0-dev+VERSION.
func (d *document) nameVersion() {
	info := at(d.object, "info")
	version, _ := info["version"].(string)
	if m := semver.FindStringSubmatch(version); m != nil {
		info["version"] = m[1]
		return
	}
	info["version"] = "0.0.0-dev+" + regexp.MustCompile(`[^0-9A-Za-z-]+`).ReplaceAllString(version, "-")
}

// listsAreLists removes null from the types of lists, because responses have [] for an empty list.
// The gateway still accepts requests with null.
func (d *document) listsAreLists() {
	toList := func(schema object) {
		if types, ok := schema["type"].([]any); ok && slices.Contains(types, any("array")) && len(types) == 2 {
			schema["type"] = "array"
		}
	}
	each(d.object["paths"], toList)
	for _, schema := range d.ownSchemas {
		each(schema, toList)
	}
}

// dropPatterns removes huma's patternDescription, which JSON Schema does not have.
func (d *document) dropPatterns() {
	each(d.object, func(schema object) { delete(schema, "patternDescription") })
}

// spellDefaults moves the defaults of fields to their descriptions. A generator that makes one type for requests
// and responses takes a field with a default to be always there, and so requires it in requests.
func (d *document) spellDefaults() {
	each(d.schemas, func(schema object) {
		for _, value := range at(schema, "properties") {
			property, _ := value.(object)
			preset, ok := property["default"]
			if _, isField := preset.(object); !ok || isField { // the field of an object may have the name default
				continue
			}
			text, _ := json.Marshal(preset) // it was read from JSON
			description, _ := property["description"].(string)
			property["description"] = strings.TrimSpace(description + " Default " + string(text) + ".")
			delete(property, "default")
		}
	})
}

// openAnswers allows unknown fields in schemas that no request uses. So a client that is generated from this
// document accepts the responses of a newer gateway.
func (d *document) openAnswers() {
	sent := map[string]bool{}
	for _, op := range d.operations {
		d.mark(op["requestBody"], sent)
		d.mark(op["parameters"], sent)
	}
	d.mark(d.schemas[clientMessages], sent)
	for name, schema := range d.ownSchemas {
		if !sent[name] {
			each(schema, func(node object) {
				if node["additionalProperties"] == false {
					delete(node, "additionalProperties")
				}
			})
		}
	}
	for name, schema := range d.schemas {
		if strings.HasPrefix(name, toolSchemaPrefix) && (strings.HasSuffix(name, toolOutputSuffix) || strings.Contains(name, toolOutputSuffix+".")) {
			each(schema, func(node object) {
				if node["additionalProperties"] == false {
					delete(node, "additionalProperties")
				}
			})
		}
	}
}

// mark adds to seen all schemas that node refers to, directly or through others.
func (d *document) mark(node any, seen map[string]bool) {
	each(node, func(o object) {
		to, _ := o["$ref"].(string)
		name, ok := strings.CutPrefix(to, schemasAt)
		if ok && !seen[name] {
			seen[name] = true
			d.mark(d.schemas[name], seen)
		}
	})
}
