package command

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Codes are the error codes that a manifest may choose for an exit code of the program.
var Codes = []sdkapi.Code{sdkapi.ToolError, sdkapi.ValidationError, sdkapi.NotFound, sdkapi.Timeout, sdkapi.PermissionDenied}

// Check adds the problems of s to the fault f. path is the place of s in the manifest.
func (s *Spec) Check(f *fault.Error, path string) *fault.Error {
	if len(s.Tools) == 0 {
		f = f.At(path+".tools", "expected at least one tool")
	}
	f = checkEnv(f, path+".env", s.Env)
	seen := map[string]bool{}
	for i := range s.Tools {
		t, at := &s.Tools[i], fmt.Sprintf("%s.tools[%d]", path, i)
		if t.Name == "" || seen[t.Name] {
			f = f.At(at+".name", "expected a name that no other tool has")
		}
		seen[t.Name] = true
		f = t.check(f, at)
	}
	return f
}

// checkEnv adds the invalid variables of env to f. path is the place of env in the manifest.
func checkEnv(f *fault.Error, path string, env map[string]string) *fault.Error {
	if len(env) > MaxTemplates {
		f = f.At(path, "expected at most %d variables", MaxTemplates)
	}
	for name, value := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") || len(name)+len(value) > MaxArgBytes {
			f = f.At(fmt.Sprintf("%s.%.64s", path, name), "expected a name without = and NUL, and at most %d bytes", MaxArgBytes)
		}
	}
	return f
}

// check adds the problems of a tool to f. at is the tool's place in the manifest.
func (t *Tool) check(f *fault.Error, at string) *fault.Error {
	for list, n := range map[string]int{"args": len(t.Args), "files": len(t.Files), "exit": len(t.Exit)} {
		if n > MaxTemplates {
			f = f.At(at+"."+list, "expected at most %d", MaxTemplates)
		}
	}
	known, ok := t.properties()
	if !ok {
		return f.At(at+".inputSchema", "expected a JSON Schema of an object with properties")
	}
	from := func(place, name string) {
		if !known[name] {
			f = f.At(place+".from", "expected a property of the inputSchema, not %.64q", name)
		}
	}
	for i, a := range t.Args {
		place := fmt.Sprintf("%s.args[%d]", at, i)
		if a.From != "" {
			from(place, a.From)
		}
		if wrong := a.wrong(); wrong != "" {
			f = f.At(place, "%s", wrong)
		}
	}
	if t.Stdin != nil {
		from(at+".stdin", t.Stdin.From)
	}
	for i, file := range t.Files {
		place := fmt.Sprintf("%s.files[%d]", at, i)
		from(place, file.From)
		if !validPath(file.Path) && (!file.Each || file.Path != ".") {
			f = f.At(place+".path", "expected a path in the work folder, such as in.json")
		}
	}
	f = t.Output.check(f, at+".output")
	return checkExits(f, at+".exit", t.Exit)
}

// properties returns the names of the input schema's properties. ok is false if the schema is not
// that of an object.
func (t *Tool) properties() (map[string]bool, bool) {
	if len(t.InputSchema) == 0 {
		return map[string]bool{}, true
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(t.InputSchema, &schema) != nil {
		return nil, false
	}
	known := map[string]bool{}
	for name := range schema.Properties {
		known[name] = true
	}
	return known, true
}

// wrong returns the problem of an argument, or "".
func (a Arg) wrong() string {
	texts := append([]string{a.Text, a.Flag}, a.Else...)
	for _, more := range a.Map {
		texts = append(texts, more...)
	}
	switch {
	case slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "\x00") }):
		return "expected texts without NUL"
	case a.Join && a.Flag == "":
		return "a flag together with join"
	case (a.Keys || a.Names) && (a.Join || a.Map != nil), a.Keys && a.Names:
		return "at most one of keys, names, join and map, or join with map"
	}
	return ""
}

// check adds the problems of an output to f. at is its place in the manifest.
func (o Output) check(f *fault.Error, at string) *fault.Error {
	if o.As != "" && !slices.Contains([]Form{Text, JSON, JSONLines, Lines, Artifact}, o.As) {
		f = f.At(at+".as", "expected %s, %s, %s, %s or %s", Text, JSON, JSONLines, Lines, Artifact)
	}
	if o.File != "" && !validPath(o.File) {
		f = f.At(at+".file", "expected a path in the work folder, such as out.png")
	}
	return f
}

// checkExits adds the invalid exit codes to f. at is their place in the manifest.
func checkExits(f *fault.Error, at string, exits map[string]Exit) *fault.Error {
	for code, e := range exits {
		n, err := strconv.Atoi(code)
		if code != anyExit && (err != nil || n < 1 || n > 255 || strconv.Itoa(n) != code) {
			f = f.At(fmt.Sprintf("%s.%.16s", at, code), "expected an exit code, 1 to 255, or *")
		}
		if e.Code != "" && !slices.Contains(Codes, e.Code) {
			f = f.At(fmt.Sprintf("%s.%.16s.code", at, code), "expected one of %v", Codes)
		}
		if e.OK && e.Code != "" && !e.Quiet || e.Quiet && !e.OK {
			f = f.At(fmt.Sprintf("%s.%.16s", at, code), "expected either ok or a code, or both and quiet")
		}
	}
	return f
}

// anyExit stands for every exit code except 0 that has no entry.
const anyExit = "*"

// maxPath limits a path in a work folder, in bytes.
const maxPath = 1024

// validPath reports whether path names a file in the work folder, on every system.
func validPath(path string) bool {
	return path != "." && fs.ValidPath(path) && len(path) <= maxPath && !strings.ContainsAny(path, "\\:\x00")
}
