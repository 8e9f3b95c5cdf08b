package terminal

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/windieos/windie/sdkapi"
)

// permits are the calls that need no question to the user.
type permits []rule

// rule allows calls of tools: on certain files, or of one program, or all. A rule with files allows
// no call that may touch other files too.
type rule struct {
	tool    string // pattern of path.Match
	files   string // pattern for every file that the arguments name; empty: any call
	folder  string // folder that contains these files; empty: any
	program string // program that the arguments name; empty: any
}

// parseRules parses rules such as "file_write", "file_write:docs/*.md" and "file_write:docs/**".
func parseRules(texts []string) (list permits, err error) {
	for _, text := range texts {
		tool, files, _ := strings.Cut(text, ":")
		_, wrongTool := path.Match(tool, "x")
		_, wrongFiles := path.Match(files, "x")
		if tool == "" || wrongTool != nil || wrongFiles != nil {
			return nil, fmt.Errorf("%w: --allow %q: expected TOOL or TOOL:PATTERN, for example file_write or file_write:docs/*", errCalled, text)
		}
		r := rule{tool: tool, files: files}
		if folder, whole := strings.CutSuffix(files, "/**"); whole {
			r.files, r.folder = "", folder
		}
		list = append(list, r)
	}
	return list, nil
}

// allow reports whether a call may run without asking the user.
func (p permits) allow(asked *sdkapi.AgentApprovalMessage, f *files) bool {
	for _, r := range p {
		if r.allows(asked.Name, asked.Arguments, f) {
			return true
		}
	}
	return false
}

// allows reports whether the rule permits a call. A rule with files permits no call without files.
func (r rule) allows(tool string, arguments json.RawMessage, f *files) bool {
	if ok, _ := path.Match(r.tool, tool); !ok {
		return false
	}
	if r.program != "" && programOf(arguments) != r.program {
		return false
	}
	if r.files == "" && r.folder == "" {
		return true
	}
	paths, ok := f.places(arguments)
	if !ok {
		return false
	}
	for _, p := range paths {
		if ok, _ := path.Match(r.files, p); r.files != "" && !ok || r.folder != "" && !strings.HasPrefix(p, r.folder+"/") {
			return false
		}
	}
	return len(paths) > 0
}

// programOf returns the program that a call's arguments name. It is empty if there is none, or if
// two arguments name it in different case: tools differ in which one they use.
func programOf(arguments json.RawMessage) string {
	var in map[string]any
	if json.Unmarshal(arguments, &in) != nil {
		return ""
	}
	for name := range in {
		if name != "program" && strings.EqualFold(name, "program") {
			return ""
		}
	}
	program, _ := in["program"].(string)
	return program
}

// onTool returns the rule for the tool of a call.
func onTool(asked *sdkapi.AgentApprovalMessage) rule { return rule{tool: asked.Name} }

// onPlace returns the rule for a call's tool and the folder of its file, or its program. place is
// the name of that folder or program. ok is false if the call names neither, or may touch other
// files too.
func onPlace(asked *sdkapi.AgentApprovalMessage, f *files) (r rule, place string, ok bool) {
	if program := programOf(asked.Arguments); program != "" {
		return rule{tool: asked.Name, program: program}, program, true
	}
	paths, known := f.places(asked.Arguments)
	if !known || len(paths) != 1 {
		return r, "", false
	}
	if folder := path.Dir(paths[0]); folder != "." {
		return rule{tool: asked.Name, folder: folder}, folder + "/", true
	}
	// its folder would be the whole root
	return rule{tool: asked.Name, files: literal(paths[0])}, paths[0], true
}

// literal returns a pattern that matches exactly one text.
func literal(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}
