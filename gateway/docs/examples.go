package docs

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// examplePicture is a small screen for examples: the text "Your cart", and the buttons "Check out" and "Cancel".
//
//go:embed example.png
var examplePicture []byte

//go:embed examples.json
var exampleFile []byte

// examples are what the page at /docs fills in: bodies by the ids of operations, and values of parameters by their
// names. A request made of them succeeds as it stands, or says that the thing is not there which its id names.
type examples struct {
	Bodies     map[string]any    `json:"bodies"`
	Parameters map[string]string `json:"parameters"`
}

// Ids of examples for things that the gateway names when it makes them, and a file of memory, which is there once
// something was remembered.
const (
	exampleID     = "00000000-0000-4000-8000-000000000000"
	exampleMemory = "memory/MEMORY.md"
)

// readExamples reads the examples. model is the gateway's default one; empty if there is none.
func readExamples(model string) (*examples, error) {
	picture := base64.StdEncoding.EncodeToString(examplePicture)
	text := strings.NewReplacer(
		`"${image}"`, `{"image_base64":"`+picture+`"}`, "${picture}", picture,
		"${session}", exampleID, "${conversation}", exampleID, "${memory}", exampleMemory, "${model}", quotable(model),
	).Replace(string(exampleFile))
	e := new(examples)
	return e, json.Unmarshal([]byte(text), e)
}

// quotable is a text as it stands between the quotes of JSON.
func quotable(text string) string {
	quoted, _ := json.Marshal(text) // of a text
	return strings.Trim(string(quoted), `"`)
}

// addExamples adds to each operation an example of its body, and of the parameters that it requires.
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
