package session

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
	"time"
	"unicode/utf8"
)

//go:embed prompts/*.tmpl
var builtinPrompts embed.FS

// The templates.
const (
	systemTemplate     = "system.tmpl"
	repositoryTemplate = "repository.tmpl" // around a repository's instructions
)

// Limits of templates, in bytes.
const (
	maxTemplate = 64 << 10
	maxRendered = 4 << 20 // of a filled-in template
)

// Variables are the values that a template can use. docs/agent.md describes them.
type Variables struct {
	Instructions string    // instructions of the session, or else of the deployment
	Model        string    // id of the model in the catalogue
	Workspace    string    // the user's working folder; may be empty
	OS           string    // operating system of the user's machine, for example "linux"; may be empty
	Started      time.Time // start of the turn, in UTC; equal in all rounds of the turn
	Tools        []ToolVariables
	Repository   []Instruction // instructions of the repository in the working folder
}

// ToolVariables is a tool that the model can call.
type ToolVariables struct {
	Name, Description string
	Client            bool // whether the tool runs on the client's machine
}

// Prompts are the templates for the instructions that a model gets. They are immutable.
type Prompts struct{ system, repository *template.Template }

// BuiltinPrompts returns the built-in templates.
func BuiltinPrompts() *Prompts {
	p := &Prompts{}
	for name, to := range p.all() {
		text, err := builtinPrompts.ReadFile("prompts/" + name)
		if err == nil {
			*to, err = parseTemplate(name, text)
		}
		if err != nil {
			panic(err) // they are part of the program
		}
	}
	return p
}

// ReadPrompts returns the templates in a folder. If the folder or a file is missing, it uses the
// built-in templates instead. Its error lists all problems with file and line.
func ReadPrompts(dir string) (*Prompts, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return BuiltinPrompts(), nil
	case err != nil:
		return nil, err
	}
	p, wrong := BuiltinPrompts(), []error(nil)
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".tmpl" {
			continue
		}
		file := filepath.Join(dir, entry.Name())
		to, known := p.all()[entry.Name()]
		if !known {
			wrong = append(wrong, fmt.Errorf("%s: unknown template: expected %s or %s", file, systemTemplate, repositoryTemplate))
			continue
		}
		text, err := os.ReadFile(file)
		if err == nil {
			*to, err = parseTemplate(file, text)
		}
		wrong = append(wrong, err)
	}
	return p, errors.Join(wrong...)
}

// dated reports whether the system prompt may have the time of the turn.
func (p *Prompts) dated() bool {
	for _, part := range p.system.Templates() {
		if strings.Contains(part.Root.String(), ".Started") {
			return true
		}
	}
	return false
}

// all returns pointers to the templates, by file name.
func (p *Prompts) all() map[string]**template.Template {
	return map[string]**template.Template{systemTemplate: &p.system, repositoryTemplate: &p.repository}
}

// parseTemplate parses a template, and tries it with all variables and with zero ones.
func parseTemplate(file string, text []byte) (*template.Template, error) {
	if len(text) > maxTemplate || !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: a template must be UTF-8 of at most %d bytes", file, maxTemplate)
	}
	t, err := template.New(file).Parse(string(text))
	if err != nil {
		return nil, err
	}
	for _, part := range t.Templates() {
		if err := checkNames(part.Tree); err != nil {
			return nil, err
		}
	}
	for _, sample := range []Variables{{}, {
		Instructions: "a", Model: "a", Workspace: "a", OS: "a", Started: time.Unix(0, 0).UTC(),
		Tools: []ToolVariables{{Name: "a", Description: "a", Client: true}}, Repository: []Instruction{{Path: "a", Text: "a"}},
	}} {
		if _, err := render(t, sample); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// checkNames returns an error for names that are not a variable, also in branches that were not
// tried.
func checkNames(tree *parse.Tree) error {
	var wrong error
	visit(reflect.ValueOf(tree.Root), func(n parse.Node) {
		var names []string
		switch n := n.(type) {
		case *parse.FieldNode:
			names = n.Ident
		case *parse.VariableNode:
			names = n.Ident[1:]
		case *parse.ChainNode: // of the result of a pipeline
			names = n.Field
		}
		if len(names) > 0 && !slices.ContainsFunc(templateTypes, func(t reflect.Type) bool { return has(t, names) }) && wrong == nil {
			at, _ := tree.ErrorContext(n)
			wrong = fmt.Errorf("template: %s: unknown variable .%s", at, strings.Join(names, "."))
		}
	})
	return wrong
}

// templateTypes are the types whose names are valid in templates.
var templateTypes = []reflect.Type{reflect.TypeFor[Variables](), reflect.TypeFor[ToolVariables](), reflect.TypeFor[Instruction](), reflect.TypeFor[time.Time]()}

// has reports whether t has a field or method with the first name, whose type has the second name,
// and so on.
func has(t reflect.Type, names []string) bool {
	for _, name := range names {
		if m, found := t.MethodByName(name); found && m.Type.NumOut() > 0 {
			t = m.Type.Out(0)
			continue
		}
		if t.Kind() != reflect.Struct {
			return false
		}
		f, found := t.FieldByName(name)
		if !found || !f.IsExported() {
			return false
		}
		t = f.Type
	}
	return true
}

// visit calls see for v, if v is a node, and for all nodes in its exported fields, at any depth.
func visit(v reflect.Value, see func(parse.Node)) {
	switch v.Kind() {
	case reflect.Interface:
		visit(v.Elem(), see)
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), see)
		}
	case reflect.Pointer:
		n, isNode := v.Interface().(parse.Node)
		if !isNode || v.IsNil() {
			return
		}
		see(n)
		visit(v.Elem(), see)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				visit(v.Field(i), see)
			}
		}
	default:
	}
}

// render fills in a template, and trims space around the result. It fails if the output exceeds maxRendered bytes.
func render(t *template.Template, v Variables) (string, error) {
	out := rendered{name: t.Name()}
	if err := t.Execute(&out, v); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// rendered collects a template's output, at most maxRendered bytes.
type rendered struct {
	strings.Builder

	name string // of the template
}

// Write appends b to the output. If the output would exceed maxRendered bytes, Write fails, and its
// error stops the template.
func (r *rendered) Write(b []byte) (int, error) {
	if r.Len()+len(b) > maxRendered {
		return 0, fmt.Errorf("template: %s: its output exceeds the limit of %d bytes", r.name, maxRendered)
	}
	return r.Builder.Write(b)
}

// Instruction is a text in a repository for agents that work there.
type Instruction struct {
	Path string `json:"path,omitempty"` // path of the file that contains the text
	Text string `json:"text"`
}

var repositoryTag = regexp.MustCompile(`(?i)<(\s*/?\s*repo_instructions)`)

// escaped returns an instruction whose text cannot end its element early.
func (i Instruction) escaped() Instruction {
	return Instruction{Path: i.Path, Text: repositoryTag.ReplaceAllString(i.Text, "&lt;$1")}
}
