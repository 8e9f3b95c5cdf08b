package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// grouped is the name of a function, and of its namespace if it has one. Models know no namespaces:
// they get one name for both.
type grouped struct{ namespace, name string }

// namespaceEnd ends the namespace in a name for models.
const namespaceEnd = "__"

// modelName returns the name for models of a function of a namespace. A name that is too long ends in a
// digest. A function without a namespace keeps its name.
func modelName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	whole := namespace + namespaceEnd + name
	if len(whole) <= agent.MaxNameLen {
		return whole
	}
	digest := sha256.Sum256([]byte(whole))
	end := "_" + hex.EncodeToString(digest[:4])
	return whole[:agent.MaxNameLen-len(end)] + end
}

// eachTool calls yield for each function of a request, with its name for models and its path. It leaves
// out web_search, which a model may do without, and refuses other tools that OpenAI runs itself.
func eachTool(list []sdkapi.OpenAIFlatTool, yield func(t sdkapi.OpenAIFunction, at string)) error {
	for i, t := range list {
		at := fmt.Sprintf("body.tools[%d]", i)
		switch t.Type {
		case "function":
			yield(t.OpenAIFunction, at)
		case "namespace":
			if !isFunctionName(t.Name) {
				return invalid(at+".name", "expected 1 to %d letters, digits, _ and -", agent.MaxNameLen)
			}
			for j, f := range t.Tools {
				at := fmt.Sprintf("%s.tools[%d]", at, j)
				if f.Type != "function" || !isFunctionName(f.Name) {
					return invalid(at, "expected a function whose name has 1 to %d letters, digits, _ and -", agent.MaxNameLen)
				}
				f.Name = modelName(t.Name, f.Name)
				yield(f.OpenAIFunction, at)
			}
		case "web_search":
		default:
			return invalid(at+".type", "expected function, namespace or web_search: the gateway has no tool of OpenAI's named %q", plain.OneLine(t.Type, maxShown))
		}
	}
	return nil
}

// called returns the function that a model called by its name for models.
func (t *turn) called(name string) grouped {
	for _, group := range t.response.Tools {
		for _, f := range group.Tools {
			if modelName(group.Name, f.Name) == name {
				return grouped{group.Name, f.Name}
			}
		}
	}
	return grouped{name: name}
}
