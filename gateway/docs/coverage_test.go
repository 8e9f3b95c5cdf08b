package docs_test

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// goName returns how programs call a method of the Go client.
func goName(t *testing.T, operation string) string {
	t.Helper()
	method, known := goMethods[operation]
	if !known {
		t.Errorf("the Go client has no method for %s", operation)
		return ""
	}
	name := runtime.FuncForPC(reflect.ValueOf(method).Pointer()).Name()
	return strings.NewReplacer("(*", "", ")", "").Replace(name[strings.LastIndex(name, "/sdk.")+len("/sdk."):])
}

// Every route has a method of the Go client. The clients for TypeScript and Python check by their own tests and the same
// document that they have one.
func TestEveryRouteHasAMethod(t *testing.T) {
	t.Parallel()
	_, doc := doorstest.DocumentOf(t, doorstest.ValueOf(doorstest.ClientsGateways(t), "WINDIE_TEST_HOSTED")+"/openapi.json")
	paths, _ := doc["paths"].(map[string]any)
	for path, item := range paths {
		operations, _ := item.(map[string]any)
		for _, method := range []string{"get", "head", "post", "put", "delete"} {
			name, _ := doorstest.Field(operations[method], "x-sdk").(string)
			if operations[method] != nil && !strings.HasPrefix(path, "/openai/") && goName(t, name) == "" {
				t.Errorf("%s %s", method, path)
			}
		}
	}
}
