package docs

import (
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// older prepares a mended document for huma's conversion to OpenAPI 3.0, which has neither
// constants nor fields beside a $ref.
func older(doc *huma.OpenAPI) {
	if license := at(doc.Extensions, "info", "license"); license != nil {
		delete(license, "identifier")
		license["url"] = "https://www.apache.org/licenses/LICENSE-2.0"
	}
	each(doc.Extensions["paths"], olderSchema)
	each(doc.Extensions["components"], olderSchema)
}

// olderSchema converts one object. In an object that is not a schema, it leaves fields with the
// same names unchanged.
func olderSchema(schema object) {
	if value, ok := schema["const"]; ok && schema["properties"] == nil {
		if _, isField := value.(object); !isField {
			schema["enum"] = []any{value}
			delete(schema, "const")
		}
	}
	if to, ok := schema["$ref"].(string); ok && len(schema) > 1 {
		delete(schema, "$ref")
		schema["allOf"] = []any{object{"$ref": to}}
	}
}

// liftDefinitions moves the definitions inside schemas of tools to the document's own schemas,
// where generators find them.
func (d *document) liftDefinitions() {
	for name, value := range maps.Clone(d.schemas) {
		schema, _ := value.(object)
		definitions, ok := schema["$defs"].(object)
		if !ok || !strings.HasPrefix(name, toolSchemaPrefix) {
			continue
		}
		delete(schema, "$defs")
		for inner, definition := range definitions {
			d.schemas[name+"."+inner] = definition
		}
		before := schemasAt + name + "/$defs/"
		for inner := range definitions {
			each(d.schemas[name+"."+inner], func(o object) { lift(o, before, schemasAt+name+".") })
		}
		each(schema, func(o object) { lift(o, before, schemasAt+name+".") })
	}
}

// lift changes the reference in o, if it begins with before, so that it begins with the text in after.
func lift(o object, before, after string) {
	if to, ok := o["$ref"].(string); ok && strings.HasPrefix(to, before) {
		o["$ref"] = after + strings.TrimPrefix(to, before)
	}
}
