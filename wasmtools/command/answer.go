package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// Outcome is the result of a program's run.
type Outcome struct {
	Code   int    // exit code of the program
	Stdout []byte // whole text or bytes on standard output
	Said   string // last part of the text on standard error
	Dir    string // path of the work folder; empty if the run had no work folder
}

// Keep stores content as an artifact of the user who called the tool, and returns the artifact's
// id.
type Keep func(content []byte) (id string, err error)

// Answer turns the outcome of a program into the tool's answer. If the answer comes from a file,
// the file has at most limit bytes. If keep is nil, the bytes are in the answer itself instead of an
// artifact. The errors are faults.
func (t *Tool) Answer(o Outcome, limit int64, keep Keep) (*abi.Answer, error) {
	if e := t.exit(o.Code); !e.OK || e.Quiet && o.Said != "" {
		return e.failure(o)
	}
	output := o.Stdout
	if t.Output.File != "" {
		var err error
		if output, err = readFile(o.Dir, t.Output.File, limit); err != nil {
			return nil, err
		}
	}
	return t.Output.answer(output, keep)
}

// exit returns the meaning of an exit code. A code without an entry in the manifest is a failure of
// the call.
func (t *Tool) exit(code int) Exit {
	if code == 0 {
		return Exit{OK: true}
	}
	if e, ok := t.Exit[strconv.Itoa(code)]; ok {
		return e
	}
	if e, ok := t.Exit[anyExit]; ok {
		return e
	}
	return Exit{Code: sdkapi.ToolError}
}

// failure returns the answer that reports the program's failure, or the fault of the entry's code.
func (e Exit) failure(o Outcome) (*abi.Answer, error) {
	text := cmp.Or(e.Message, fmt.Sprintf("the program exited with code %d", o.Code))
	if said := cmp.Or(o.Said, strings.TrimSpace(strings.ToValidUTF8(string(o.Stdout[:min(len(o.Stdout), maxSaid)]), "�"))); said != "" {
		text += ": " + said
	}
	if e.Code != "" {
		return nil, fault.New("command.Answer", e.Code, "%s", text)
	}
	return &abi.Answer{IsError: true, Content: []abi.Content{{Type: "text", Text: text}}}, nil
}

// maxSaid is the maximum length of the program's output in the explanation of a failure, in bytes.
const maxSaid = 1 << 10

// readFile reads a file that a program wrote. It refuses links and devices, in case the program
// could make one.
func readFile(dir, name string, limit int64) ([]byte, error) {
	const op = "command.Answer"
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fault.New(op, sdkapi.ToolError, "the program exited with code 0 but wrote no file %s/%s", Work, name).Because(err)
	}
	if info.Size() > limit {
		return nil, fault.New(op, sdkapi.ToolError, "the file %s/%s has %d bytes; the limit output_bytes is %d, which the operator can raise in the grant", Work, name, info.Size(), limit)
	}
	return root.ReadFile(name)
}

// answer turns output into an answer.
func (o Output) answer(output []byte, keep Keep) (*abi.Answer, error) {
	switch o.As {
	case JSON:
		value, err := values(output, 1)
		if err != nil || len(value) != 1 {
			return nil, noJSON("one JSON value", err)
		}
		return &abi.Answer{StructuredContent: value[0]}, nil
	case JSONLines:
		list, err := values(output, maxValues)
		if err != nil {
			return nil, noJSON("JSON values", err)
		}
		return structured(map[string]any{"values": list})
	case Lines:
		list, err := lines(output)
		if err != nil {
			return nil, err
		}
		return structured(map[string]any{"lines": list})
	case Artifact:
		return o.artifact(output, keep)
	}
	return &abi.Answer{Content: []abi.Content{{Type: "text", Text: strings.ToValidUTF8(string(output), "�")}}}, nil
}

// noJSON returns the error for output that is not the JSON that the manifest promises.
func noJSON(want string, err error) error {
	return fault.New("command.Answer", sdkapi.ToolError, "the program did not print %s", want).Because(err)
}

// structured returns an answer with value as its structured content.
func structured(value any) (*abi.Answer, error) {
	raw, err := json.Marshal(value)
	return &abi.Answer{StructuredContent: raw}, err
}

// maxValues is the maximum number of values or lines in an answer. Each takes a few tens of bytes
// more than its own text.
const maxValues = 100_000

// values reads up to limit JSON values in a row.
func values(output []byte, limit int) ([]json.RawMessage, error) {
	list := []json.RawMessage{}
	for d := json.NewDecoder(bytes.NewReader(output)); ; {
		var value json.RawMessage
		err := d.Decode(&value)
		switch {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		case len(list) == limit:
			return nil, fmt.Errorf("the output has more than %d values", limit)
		}
		list = append(list, value)
	}
}

// lines splits the output into lines, at most maxValues. A final line break does not begin another
// line.
func lines(output []byte) ([]string, error) {
	text := strings.TrimSuffix(strings.ToValidUTF8(string(output), "�"), "\n")
	if text == "" {
		return []string{}, nil
	}
	if strings.Count(text, "\n") >= maxValues {
		return nil, fault.New("command.Answer", sdkapi.ToolError, "the program printed more than %d lines; make it print fewer", maxValues)
	}
	return strings.Split(text, "\n"), nil
}

// artifact stores the output with keep, or puts it into the answer if keep is nil.
func (o Output) artifact(output []byte, keep Keep) (*abi.Answer, error) {
	if keep != nil {
		id, err := keep(output)
		if err != nil {
			return nil, err
		}
		return structured(map[string]any{"artifact_id": id, "bytes": len(output)})
	}
	media := cmp.Or(o.MediaType, "application/octet-stream")
	if strings.HasPrefix(media, "image/") {
		return &abi.Answer{Content: []abi.Content{{Type: "image", MimeType: media, Data: output}}}, nil
	}
	resource, err := json.Marshal(map[string]string{"uri": "file://" + Work + "/" + cmp.Or(o.File, "output"), "mimeType": media, "blob": base64Of(output)})
	return &abi.Answer{Content: []abi.Content{{Type: "resource", Resource: resource}}}, err
}
