package docs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// Generators of clients name their types after schemas, responses and operations, and take some words of
// the document otherwise than it means them. The tests of the tier system run such generators.
func TestDocumentFitsGenerators(t *testing.T) {
	t.Parallel()
	_, doc := doorstest.DocumentOf(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL")+"/openapi.json")
	schemas, _ := doorstest.Field(doc, "components", "schemas").(map[string]any)
	responses, _ := doorstest.Field(doc, "components", "responses").(map[string]any)
	for name := range responses {
		if schemas[name] != nil {
			t.Errorf("a schema and a response have the name %s", name)
		}
	}
	for name, schema := range schemas {
		properties, _ := doorstest.Field(schema, "properties").(map[string]any)
		for field, property := range properties {
			if doorstest.Field(property, "default") != nil {
				t.Errorf("%s.%s has a default, so that openapi-typescript requires it", name, field)
			}
		}
	}
	if text, _ := json.Marshal(doc); strings.Contains(string(text), "patternDescription") {
		t.Error("the document has patternDescription, which JSON Schema does not have")
	}
	declared := map[any]bool{}
	tags, _ := doc["tags"].([]any)
	for _, tag := range tags {
		declared[doorstest.Field(tag, "name")] = doorstest.Field(tag, "description") != ""
	}
	paths, _ := doc["paths"].(map[string]any)
	for path, methods := range paths {
		for method, op := range methods.(map[string]any) {
			id, _ := doorstest.Field(op, "operationId").(string)
			var answer strings.Builder
			for word := range strings.SplitSeq(id+"-response", "-") {
				answer.WriteString(strings.ToUpper(word[:1]) + word[1:])
			}
			if schemas[answer.String()] != nil {
				t.Errorf("a schema has the name %s, which oapi-codegen gives to what %s returns", &answer, id)
			}
			if text, _ := doorstest.Field(op, "description").(string); text == "" {
				t.Errorf("%s %s has no description", method, path)
			}
			tags, _ := doorstest.Field(op, "tags").([]any)
			for _, tag := range tags {
				if !declared[tag] {
					t.Errorf("%s %s: the tag %v is not declared with a description", method, path, tag)
				}
			}
		}
	}
}
