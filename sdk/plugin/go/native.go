//go:build !wasip1

package plugin

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// Main describes and calls the plugin's tools on the command line, to try them out:
//
//	go run . describe
//	echo '{"metres": 3}' | go run . call convert
//
// It does not check arguments against the schema, and the functions of the gateway fail with
// Unavailable.
func Main() {
	output, err := command(os.Args[1:], os.Stdin)
	if err != nil {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(append(output, '\n'))
}

// command performs the command in args and returns the JSON to print.
func command(args []string, stdin io.Reader) ([]byte, error) {
	switch {
	case len(args) == 1 && args[0] == "describe":
		return describe()
	case len(args) == 2 && args[0] == "call":
		arguments, err := io.ReadAll(stdin)
		if err != nil {
			return nil, err
		}
		return callTool(args[1], arguments)
	}
	return nil, errors.New("usage: describe, or call TOOL with the arguments as JSON on standard input")
}

// Call calls a registered tool, for tests outside of WebAssembly. arguments is any value that
// encodes as a JSON object; it is not checked against the schema. If the tool fails, IsError is
// true and err is nil. If no tool has that name, err is not nil.
func Call(name string, arguments any) (Result, error) {
	text, err := json.Marshal(arguments)
	if err != nil {
		return Result{}, err
	}
	output, err := callTool(name, text)
	if err != nil {
		return Result{}, err
	}
	var res Result
	err = json.Unmarshal(output, &res)
	return res, err
}

// callTool calls a tool and returns its result as JSON. It fails if the arguments are not JSON or no tool has the name.
func callTool(name string, arguments []byte) ([]byte, error) {
	if !json.Valid(arguments) {
		return nil, errors.New("the arguments are not valid JSON")
	}
	input, err := json.Marshal(map[string]any{"name": name, "arguments": json.RawMessage(arguments)})
	if err != nil {
		return nil, err
	}
	return call(input)
}

// Description returns the description that the plugin gives to the gateway, as JSON, for tests. It
// does not exist in WebAssembly.
func Description() (json.RawMessage, error) { return describe() }

// A Host replaces the gateway in tests. op is the name of an operation, such as kv.get. input and
// answer are JSON objects. A failure is an *Error.
type Host func(op string, input json.RawMessage) (answer any, err error)

// currentHost performs operations; SetHost changes it.
var currentHost Host = noHost

// noHost fails with Unavailable. It is the host until SetHost is called.
func noHost(op string, _ json.RawMessage) (any, error) {
	return nil, &Error{Code: Unavailable, Message: op + " is provided by the gateway; in a test, set your own with SetHost"}
}

// SetHost sets the Host that performs operations in tests outside of WebAssembly. restore sets the
// earlier Host again. Tests with different hosts must not run at the same time.
func SetHost(h Host) (restore func()) {
	before := currentHost
	currentHost = h
	return func() { currentHost = before }
}

// hostCall performs op with the current host and returns the answer as JSON.
func hostCall(op string, input []byte) ([]byte, error) {
	answer, err := currentHost(op, input)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// levels are the names of the levels.
var levels = [...]string{"trace", "debug", "info", "warning", "error"}

// logLine writes a line with its level to standard error. An unknown level counts as the nearest known level.
func logLine(level Level, line string) {
	level = min(max(level, Trace), Failure)
	_, _ = io.WriteString(os.Stderr, levels[level]+": "+line+"\n")
}
