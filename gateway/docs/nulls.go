package docs

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// describeNulls adds null to the types of response fields that are pointers to objects. huma does
// that only for pointers to simple values.
func (s *door) describeNulls() {
	schemas := s.core.API.OpenAPI().Components.Schemas
	for name, schema := range schemas.Map() {
		of := schemas.TypeFromRef(schemasAt + name)
		if of == nil || of.Kind() != reflect.Struct {
			continue
		}
		for _, field := range reflect.VisibleFields(of) {
			key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[key]
			mayBeNull := field.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omit")
			if !mayBeNull || property == nil || property.Ref == "" {
				continue
			}
			nothing := &huma.Schema{Enum: []any{nil}} // an enum, because OpenAPI 3.0 has no type null
			schema.Properties[key] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: property.Ref}, nothing}, Description: field.Tag.Get("doc")}
		}
	}
}
