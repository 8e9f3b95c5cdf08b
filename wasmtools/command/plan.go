package command

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Run is the input that a program gets in one call.
type Run struct {
	Args  []string // arguments of the command line, without the program's name
	Stdin []byte
	Files map[string][]byte // content of each file, by its path in the work folder
}

// Load returns the content of an artifact. id is the artifact's id. The content has at most limit
// bytes.
type Load func(id string, limit int64) ([]byte, error)

// Plan converts the arguments of a call into the program's input: command line, standard input and
// files. arguments must fit the tool's input schema. limit is the maximum size of the input, in
// bytes. load reads artifacts; if load is nil, artifacts are not available.
//
// The error is a fault. VALIDATION_ERROR names an argument that the program cannot take.
// PAYLOAD_TOO_LARGE means that the input exceeds a limit.
func (t *Tool) Plan(arguments json.RawMessage, limit int64, load Load) (*Run, error) {
	p := &plan{run: &Run{Files: map[string][]byte{}}, left: limit, most: limit, load: load}
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber() // 12345678901234567890 keeps its digits
	if err := d.Decode(&p.values); err != nil {
		return nil, invalid("arguments", "expected a JSON object").Because(err)
	}
	for _, a := range t.Args {
		if err := p.add(a); err != nil {
			return nil, err
		}
	}
	if err := p.checkArgs(); err != nil {
		return nil, err
	}
	if t.Stdin != nil {
		content, err := p.content(*t.Stdin, "arguments."+t.Stdin.From, p.values[t.Stdin.From])
		if err != nil {
			return nil, err
		}
		p.run.Stdin = content
	}
	for _, f := range t.Files {
		if err := p.file(f); err != nil {
			return nil, err
		}
	}
	return p.run, nil
}

// plan is a Run under construction.
type plan struct {
	run        *Run
	values     map[string]any
	left, most int64 // bytes left, and the limit
	load       Load
	ended      bool // the fixed argument -- was added: no flags follow
}

// invalid returns a VALIDATION_ERROR with one field. path is the argument that the program cannot take.
func invalid(path, format string, args ...any) *fault.Error {
	return fault.New("command.Plan", sdkapi.ValidationError, "invalid arguments for the program; details.fields lists the problems").At(path, format, args...)
}

// add adds an argument of the command line.
func (p *plan) add(a Arg) error {
	if a.From == "" {
		p.run.Args = append(p.run.Args, a.Text)
		p.ended = p.ended || a.Text == "--"
		return nil
	}
	value, ok := p.values[a.From]
	if !ok || value == nil {
		p.run.Args = append(p.run.Args, a.Else...)
		return nil
	}
	if object, ok := value.(map[string]any); ok && (a.Keys || a.Names) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if err := p.addKey(a, key, object[key]); err != nil {
				return err
			}
		}
		return nil
	}
	values, ok := value.([]any)
	if !ok || a.JSON {
		values = []any{value}
	}
	for _, v := range values {
		if err := p.addValue(a, v); err != nil {
			return err
		}
	}
	return nil
}

// addKey adds a key of an object, and its value unless a.Names is set.
func (p *plan) addKey(a Arg, key string, value any) error {
	if a.Names {
		return p.addValue(Arg{From: a.From, Flag: a.Flag}, key)
	}
	for _, text := range []string{key, a.text(value)} {
		if err := p.checkText(a, text); err != nil {
			return err
		}
	}
	if a.Flag != "" {
		p.run.Args = append(p.run.Args, a.Flag)
	}
	p.run.Args = append(p.run.Args, key, a.text(value))
	return nil
}

// addValue adds one value of an argument to the command line, in the form that the manifest sets:
// by its map, as a flag alone, joined to the flag, or after it.
func (p *plan) addValue(a Arg, value any) error {
	if a.Map != nil && len(a.Map) == 0 {
		return nil
	}
	text := a.text(value)
	if more, ok := a.Map[text]; ok {
		p.run.Args = append(p.run.Args, more...)
		return nil
	}
	if yes, ok := value.(bool); ok && !a.JSON && a.Flag != "" {
		if yes {
			p.run.Args = append(p.run.Args, a.Flag)
		}
		return nil
	}
	if a.Map != nil {
		return invalid("arguments."+a.From, "expected one of %q", slices.Sorted(maps.Keys(a.Map)))
	}
	if err := p.checkText(a, text); err != nil {
		return err
	}
	switch {
	case a.Join:
		p.run.Args = append(p.run.Args, a.Flag+text)
	case a.Flag != "":
		p.run.Args = append(p.run.Args, a.Flag, text)
	default:
		p.run.Args = append(p.run.Args, text)
	}
	return nil
}

// checkText rejects a value that the program would take for a flag: only the manifest sets flags.
func (p *plan) checkText(a Arg, text string) error {
	switch {
	case strings.Contains(text, "\x00"):
		return invalid("arguments."+a.From, "expected a text without NUL")
	case a.Flag == "" && !p.ended && strings.HasPrefix(text, "-") && text != "-":
		return invalid("arguments."+a.From, "expected a text that does not begin with -, because the program would read it as a flag")
	}
	return nil
}

// text returns a value as an argument.
func (a Arg) text(value any) string {
	if text, ok := value.(string); ok && !a.JSON {
		return text
	}
	return string(asJSON(value))
}

// checkArgs checks the command line against its limits.
func (p *plan) checkArgs() error {
	sum := 0
	for _, a := range p.run.Args {
		sum += len(a) + 1
	}
	if len(p.run.Args) > MaxArgs || sum > MaxArgBytes {
		return tooLarge("the command line has %d arguments with %d bytes; at most %d with %d bytes are allowed; pass long texts as standard input or files",
			len(p.run.Args), sum, MaxArgs, MaxArgBytes)
	}
	return p.take(sum)
}

// tooLarge returns a PAYLOAD_TOO_LARGE fault.
func tooLarge(format string, args ...any) *fault.Error {
	return fault.New("command.Plan", sdkapi.PayloadTooLarge, format, args...)
}

// take counts n bytes of input against the limit.
func (p *plan) take(n int) error {
	if p.left -= int64(n); p.left < 0 {
		return tooLarge("the input is larger than the limit input_bytes of %d; send less, or ask the operator to raise it in the grant", p.most)
	}
	return nil
}

// content returns the bytes of an input. at is its place in the call's arguments.
func (p *plan) content(in Input, at string, value any) ([]byte, error) {
	text, isText := value.(string)
	var content []byte
	switch {
	case value == nil:
		return nil, nil
	case in.Artifact && !isText:
		return nil, invalid(at, "expected the id of an artifact")
	case in.Artifact && p.load == nil:
		return nil, fault.New("command.Plan", sdkapi.ValidationError, "the tool reads an artifact, but this program has no artifacts; call the tool through a gateway")
	case in.Artifact:
		var err error
		if content, err = p.load(text, p.left); err != nil {
			return nil, fault.At(err, at, "expected the id of an artifact")
		}
	case isText && !in.JSON:
		content = []byte(text)
	default:
		content = asJSON(value)
	}
	return content, p.take(len(content))
}

// file adds a file, or the files of a folder. An absent property adds no file.
func (p *plan) file(f File) error {
	at, value := "arguments."+f.From, p.values[f.From]
	if value == nil {
		return nil
	}
	if !f.Each {
		return p.put(f, at, f.Path, value)
	}
	files, ok := value.(map[string]any)
	if !ok {
		return invalid(at, "expected an object: the content of each file by its name")
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !validPath(name) {
			return invalid(at, "expected names of files, such as notes.txt or a/b.txt, not %.64q", name)
		}
		if err := p.put(f, fmt.Sprintf("%s.%.64s", at, name), path.Join(f.Path, name), files[name]); err != nil {
			return err
		}
	}
	return nil
}

// put adds a file for the program. It fails beyond MaxFiles.
func (p *plan) put(f File, at, name string, value any) error {
	content, err := p.content(f.Input, at, value)
	if err != nil {
		return err
	}
	if p.run.Files[name] = content; len(p.run.Files) > MaxFiles {
		return tooLarge("the program would get more than %d files", MaxFiles)
	}
	return nil
}

// Write writes the files of the run into the folder dir.
func (r *Run) Write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		content := r.Files[name]
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return badName(name, err)
		}
		if err := root.WriteFile(name, content, 0o600); err != nil {
			return badName(name, err)
		}
	}
	return nil
}

// badName returns the fault for a name that the file system rejects, for example because it is a
// folder already.
func badName(name string, err error) error {
	return fault.New("command.Write", sdkapi.ValidationError, "cannot create the file %.64q: its name is too long, or a folder already has this name", name).Because(err)
}

// asJSON encodes a value that came from JSON, without escapes for HTML.
func asJSON(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// base64Of returns b in base64.
func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
