package plugin_test

import (
	"encoding/json"
	"fmt"

	plugin "github.com/windieos/windie/sdk/plugin/go"
)

// A tool that keeps values of users apart in a store that the operator shares among all of them.
func ExampleUser() {
	stored := map[string]string{"u1/colour": "green", "u2/colour": "red"}
	defer plugin.SetHost(func(op string, input json.RawMessage) (any, error) { // stands in for the gateway
		if op == "user.id" {
			return map[string]string{"id": "u1"}, nil
		}
		var in struct{ Key string }
		err := json.Unmarshal(input, &in)
		return map[string]string{"value": stored[in.Key]}, err
	})()

	user, err := plugin.User()
	if err != nil {
		fmt.Println(err)
		return
	}
	colour, _, err := plugin.KV.Get(user + "/colour")
	fmt.Println(string(colour), err)
	// Output: green <nil>
}
