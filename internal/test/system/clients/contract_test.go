//go:build system

package clients_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// The document keeps the rules of two validators of others.
func TestContractIsClean(t *testing.T) {
	t.Parallel()
	bin, env := sdkTools(t), doorstest.ClientsGateways(t)
	config, err := filepath.Abs("../../../../gateway/testdata/redocly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	for _, name := range []string{"WINDIE_TEST_LOCAL", "WINDIE_TEST_HOSTED"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, _ := doorstest.DocumentOf(t, doorstest.ValueOf(env, name)+"/openapi.json")
			out := runIn(t, filepath.Dir(file), env, filepath.Join(bin, "redocly"), "lint", file, "--config", config, "--format", "summary")
			if strings.Contains(out, "warning") && !strings.Contains(out, "Deprecation warning") || strings.Contains(out, " warnings") {
				t.Errorf("the document has warnings:\n%s", out)
			}
			older, _ := doorstest.DocumentOf(t, doorstest.ValueOf(env, name)+"/openapi-3.0.json")
			for _, file := range []string{file, older} {
				if out := runIn(t, filepath.Dir(file), env, filepath.Join(bin, "validate-api"), file); !strings.Contains(out, `"valid": true`) {
					t.Error(out)
				}
			}
		})
	}
}

// Clients that are generated can be used: each operation has a name and says how it fails, names are of one
// style, events and messages say by a constant what they are, and answers may have fields that are not known.
func TestContractIsForGenerators(t *testing.T) {
	t.Parallel()
	_, doc := doorstest.DocumentOf(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_LOCAL")+"/openapi.json")
	names := map[string]string{}
	paths, _ := doc["paths"].(map[string]any)
	for path, methods := range paths {
		if strings.ContainsAny(doorstest.PathParameter.FindString(path), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			t.Errorf("the parameter of %s has another style than others", path)
		}
		if strings.HasPrefix(path, "/openai/") {
			continue // OpenAI's own clients call it
		}
		for method, op := range methods.(map[string]any) {
			id, _ := doorstest.Field(op, "operationId").(string)
			name, _ := doorstest.Field(op, "x-sdk").(string)
			if other := names[name]; name == "" || other != "" && name != "tools.invoke" && name != "screen.overlay" {
				t.Errorf("%s %s, %s: clients call it %q, as %q", method, path, id, name, other)
			}
			names[name] = id
			if doorstest.Field(op, "responses", "default") == nil || doorstest.Field(op, "responses", "429") == nil {
				t.Errorf("%s does not say how it fails", id)
			}
			for _, response := range doorstest.Field(op, "responses").(map[string]any) {
				if doorstest.Field(response, "$ref") == nil && doorstest.Field(response, "headers", "X-Request-Id") == nil {
					t.Errorf("%s has an answer without the id of its request", id)
				}
			}
		}
	}
	schemas, _ := doorstest.Field(doc, "components", "schemas").(map[string]any)
	for _, union := range []string{"PromptEvent", "GeneralEvent", "WSClientMessage", "WSServerMessage", "PromptOutput", "V1Part"} {
		choices, _ := doorstest.Field(schemas[union], "oneOf").([]any)
		by, _ := doorstest.Field(schemas[union], "discriminator", "propertyName").(string)
		if len(choices) < 2 {
			t.Errorf("%s has %d choices", union, len(choices))
		}
		for _, choice := range choices {
			ref, _ := doorstest.Field(choice, "$ref").(string)
			schema := doorstest.Follow(doc, ref)
			property := doorstest.Field(schema, "properties", by)
			if own, _ := doorstest.Field(property, "$ref").(string); own != "" {
				property = doorstest.Follow(doc, own)
			}
			if doorstest.Field(property, "const") == nil {
				t.Errorf("%s of %s does not say by %s that it is that", ref, union, by)
			}
		}
	}
	for name, schema := range schemas {
		if text, _ := json.Marshal(schema); !strings.HasPrefix(name, "tool.") && (strings.Contains(string(text), `"array","null"`) || strings.Contains(string(text), `"patternDescription"`)) {
			t.Errorf("%s: a list may be null, or there is a word that OpenAPI does not know: %s", name, text)
		}
	}
	for name, open := range map[string]bool{"OCRTextRequest": false, "OCRResolveTextResult": true, "Prompt": true, "ErrorResponse": true} {
		t.Run(name, func(t *testing.T) {
			if closed := doorstest.Field(schemas[name], "additionalProperties") == false; closed == open {
				t.Errorf("other fields are refused: %v", closed)
			}
		})
	}
}
