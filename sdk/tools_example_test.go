package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// A program lists tools with their input, and calls a tool by its id.
func ExampleTools() {
	gateway := httptest.NewServer(http.HandlerFunc(standIn)) // yours is at http://127.0.0.1:8765
	defer gateway.Close()
	ctx := context.Background()
	client, err := sdk.New(gateway.URL, sdk.WithUser("ada"))
	if err != nil {
		panic(err)
	}
	tools, err := client.Tools.List(ctx)
	if err != nil {
		panic(err)
	}
	for _, tool := range tools {
		fmt.Println(tool.ID, "-", tool.Description)
	}
	answer, err := client.Tools.Invoke(ctx, "weather.now", map[string]string{"city": "Rome"})
	if err != nil {
		panic(err)
	}
	var now struct{ Degrees float64 }
	if err := json.Unmarshal(answer.Result, &now); err != nil {
		panic(err)
	}
	fmt.Println(now.Degrees, "degrees")
	_, err = client.Tools.Invoke(ctx, "weather.yesterday", nil)
	fmt.Println(errors.Is(err, &sdkapi.Error{Code: sdkapi.ToolNotFound}))
	// Output:
	// weather.now - Tells the weather.
	// 21.5 degrees
	// true
}

// standIn returns the responses of a gateway with one tool.
func standIn(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case sdkapi.ToolsPath:
		fmt.Fprint(w, `{"tools":[{"id":"weather.now","description":"Tells the weather.","input":{"type":"object"}}]}`)
	case sdkapi.ToolPath("weather.now"):
		fmt.Fprint(w, `{"result":{"degrees":21.5}}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"code":"TOOL_NOT_FOUND","message":"there is no such tool","details":{}}}`)
	}
}
