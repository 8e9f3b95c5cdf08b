package docs

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// examplePicture is a small screenshot for examples, with the text "Your cart" and the buttons
// "Check out" and "Cancel".
//
//go:embed example.png
var examplePicture []byte

// exampleFile is a JSON document in the form of examples, with placeholders such as ${model}.
//
//go:embed examples.json
var exampleFile []byte

// examples are the example values that the page at /docs fills in: bodies by operation id, and
// parameters by name. A request with these values succeeds, or fails because the id in it does not exist.
type examples struct {
	Bodies     map[string]any    `json:"bodies"`
	Parameters map[string]string `json:"parameters"`
}

// exampleID is the example for ids that the gateway generates. exampleMemory is a file of the
// memory, which exists once the user has stored something.
const (
	exampleID     = "00000000-0000-4000-8000-000000000000"
	exampleMemory = "memory/MEMORY.md"
)

// readExamples reads the examples. model is the gateway's default model, or empty.
func readExamples(model string) (*examples, error) {
	picture := base64.StdEncoding.EncodeToString(examplePicture)
	text := strings.NewReplacer(
		`"${image}"`, `{"image_base64":"`+picture+`"}`, "${picture}", picture,
		"${session}", exampleID, "${conversation}", exampleID, "${memory}", exampleMemory, "${model}", quotable(model),
	).Replace(string(exampleFile))
	e := new(examples)
	return e, json.Unmarshal([]byte(text), e)
}

// quotable returns text escaped for use between the quotes of a JSON string.
func quotable(text string) string {
	quoted, _ := json.Marshal(text) // a string always encodes
	return strings.Trim(string(quoted), `"`)
}

// addExamples adds an example to the body and to the required parameters of each operation.
func (d *document) addExamples(e *examples) {
	for _, op := range d.operations {
		id, _ := op["operationId"].(string)
		media := at(op, "requestBody", "content", fiber.MIMEApplicationJSON)
		if body, ok := e.Bodies[id]; ok && media != nil {
			media["example"] = body
		}
		parameters, _ := op["parameters"].([]any)
		for _, p := range parameters {
			parameter, _ := p.(object)
			name, _ := parameter["name"].(string)
			if value := e.Parameters[name]; parameter["required"] == true && value != "" {
				delete(at(parameter, "schema"), "examples")
				parameter["example"] = value
			}
		}
	}
}
