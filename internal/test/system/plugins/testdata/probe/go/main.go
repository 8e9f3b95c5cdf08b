// Command probe does what a kit offers, so that one test asks each kit the same.
package main

import (
	"encoding/json"
	"errors"

	plugin "github.com/windieos/windie/sdk/plugin/go"
)

type echoed struct {
	Text   string  `json:"text"`
	Number float64 `json:"number"`
	Bytes  int     `json:"bytes,omitempty"`
}

type hostArgs struct {
	Op    string          `json:"op"`
	Input json.RawMessage `json:"input"`
}

type outcome struct {
	OK      bool            `json:"ok"`
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Value   json.RawMessage `json:"value,omitempty"`
}

func init() {
	plugin.Describe("probe", "1.0.0", "Does what a kit offers.")
	plugin.Tool("Echo It", "Answers with what it gets.", func(in echoed) (echoed, error) {
		in.Bytes = len(in.Text)
		return in, nil
	}, plugin.ReadOnly)
	plugin.RawTool(plugin.Definition{Name: "host"}, func(arguments json.RawMessage) (plugin.Result, error) {
		var in hostArgs
		if err := json.Unmarshal(arguments, &in); err != nil {
			return plugin.Result{}, err
		}
		out := outcome{OK: true}
		err := plugin.Ask(in.Op, in.Input, &out.Value)
		var told *plugin.Error
		if errors.As(err, &told) {
			out = outcome{Code: told.Code, Message: told.Message}
		}
		text, err := json.Marshal(out)
		return plugin.Result{Structured: text}, err
	})
	plugin.Tool("fail", "Fails.", func(struct{}) (string, error) { return "", errors.New(`it "failed"`) })
	plugin.Tool("crash", "Crashes.", func(struct{}) (string, error) { panic("boom") })
	plugin.Tool("log", "Logs.", func(struct{}) (string, error) {
		plugin.Log(plugin.Warning, "a line")
		return "done", nil
	})
}

func main() { plugin.Main() }
