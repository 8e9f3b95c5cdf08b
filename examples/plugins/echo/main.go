// Command echo is a minimal plugin: one tool, which returns its input.
package main

import plugin "github.com/windieos/windie/sdk/plugin/go"

type args struct {
	Text string `json:"text" maxLength:"1000000" doc:"Text to return."`
}

// init registers the plugin's name and its tool.
func init() {
	plugin.Describe("echo", "1.0.0", "Says what it is told.")
	plugin.Tool("echo", "Answers with the text that it gets.", echo, plugin.ReadOnly, plugin.ClosedWorld)
}

// echo returns the text unchanged.
func echo(in args) (string, error) { return in.Text, nil }

// main serves the tool on the command line. In WebAssembly it does nothing, because the gateway
// calls the exports.
func main() { plugin.Main() }
