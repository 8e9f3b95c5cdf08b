package abi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// imports and exports make functions of "module.name" and of names that take
// nothing and give an i32.
func imports(names ...string) (list []fuel.Import) {
	for _, name := range names {
		module, name, _ := strings.Cut(name, ".")
		list = append(list, fuel.Import{Module: module, Name: name, Signature: "() -> ()"})
	}
	return list
}

func exports(names ...string) (list []fuel.Export) {
	for _, name := range names {
		list = append(list, fuel.Export{Name: name, Signature: "() -> (i32)"})
	}
	return list
}

func TestDetect(t *testing.T) {
	t.Parallel()
	const wasi = "wasi_snapshot_preview1.fd_write"
	for _, tt := range []struct {
		name    string
		want    abi.Kind
		imports []fuel.Import
		exports []fuel.Export
		kind    abi.Kind // empty for a refusal
		input   string   // of a call of the tool t with {"a":1}
		export  string
		starts  []string
	}{
		{"bulk", "", imports("windie.output_write", wasi), exports("_initialize", "describe", "call"), abi.Bulk, `{"name":"t","arguments":{"a":1}}`, "call", []string{"_initialize"}},
		{"bulk, said so", abi.Bulk, imports("windie.log"), exports("describe", "call"), abi.Bulk, `{"name":"t","arguments":{"a":1}}`, "call", nil},
		{"bulk, without describe", "", imports("windie.log"), exports("call"), "", "", "", nil},
		{"hyper-mcp 1", "", imports("extism:host/env.alloc"), exports("describe", "call"), abi.Extism, `{"params":{"name":"t","arguments":{"a":1}}}`, "call", nil},
		{"hyper-mcp 2", "", imports("extism:host/user.list_roots"), exports("list_tools", "call_tool", "__wasm_call_ctors"), abi.Extism, `{"request":{"name":"t","arguments":{"a":1}},"context":{"id":"call","_meta":{"windie/user":"u1"}}}`, "call_tool", []string{"__wasm_call_ctors"}},
		{"Extism alone", "", imports("extism:host/env.alloc"), exports("_start", "t", "asyncify_get_state"), abi.Extism, "", "t", nil},
		{"a command", "", imports(wasi), exports("_start"), abi.Command, `{"name":"t","arguments":{"a":1},"context":{"user":"u1"}}`, "_start", nil},
		{"a command that is said to be Extism", abi.Extism, imports(wasi), exports("_start", "t"), abi.Extism, "", "t", nil},
		{"bulk that is said to be a command", abi.Command, imports("windie.log"), exports("describe", "call"), "", "", "", nil},
		{"nothing", "", nil, exports("run"), "", "", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := abi.Detect(tt.want, tt.imports, tt.exports)
			if (err != nil) != (tt.kind == "") {
				t.Errorf("%s: %v", tt.name, err)
			}
			if err != nil {
				return
			}
			if input := string(c.CallInput(nil, "t", json.RawMessage(`{"a":1}`), "u1")); c.Kind != tt.kind || input != tt.input || c.Export("t") != tt.export || !slices.Equal(c.Start, tt.starts) {
				t.Errorf("%s: %+v, %s, %s", tt.name, c, input, c.Export("t"))
			}
		})
	}
}

func TestUnmet(t *testing.T) {
	t.Parallel()
	all := imports("windie.input_read", "windie.no_such", "env.abort", "wasi_snapshot_preview1.fd_write", "wasi_snapshot_preview1.sock_open", "extism:host/user.notify_tool_list_changed")
	all = append(all, fuel.Import{Module: "windie", Name: "input_len", Signature: "() -> (i32)"}, fuel.Import{Module: "env", Name: "memory", Type: fuel.ExternMemory})
	var names []string
	for _, i := range abi.Unmet(all) {
		names = append(names, i.Module+"."+i.Name)
	}
	// input_read is there, with another type.
	if want := []string{"windie.input_read", "windie.no_such", "env.abort", "wasi_snapshot_preview1.sock_open", "env.memory"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	c, err := abi.Detect("", imports("windie.log"), exports("describe", "call"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ output, want string }{
		{`{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":1}}`},
		{` {"content":[{"type":"text","text":""}],"isError":true,"_meta":{}} `, `{"content":[{"text":"","type":"text"}],"isError":true,"_meta":{}}`},
		{`{"structuredContent":{"a":1},"_meta":{"b":[2]}}`, `{"structuredContent":{"a":1},"_meta":{"b":[2]}}`},
		{`{"content":[],"structuredContent":null}`, `{}`},
		{`{"content":[{"type":"image","data":"aGk","mimeType":"image/png"}]}`, `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`},
		{`{}`, ""}, {``, ""}, {`[]`, ""}, {`{"content":[]} x`, ""}, {`{"content":{}}`, ""}, {`{"content":[],"_meta":[1]}`, ""}, {`{"content":[{"type":"image","data":"?"}]}`, ""},
	} {
		t.Run(fmt.Sprintf("%.60q", tt.output), func(t *testing.T) {
			a, err := c.ParseAnswer([]byte(tt.output))
			if (err != nil) != (tt.want == "") {
				t.Errorf("%s: %v", tt.output, err)
			}
			if err != nil {
				return
			}
			if got, err := json.Marshal(a); err != nil || string(got) != tt.want {
				t.Errorf("%s: %s, %v", tt.output, got, err)
			}
		})
	}
}
