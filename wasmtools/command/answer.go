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

// Outcome is how a program ended.
type Outcome struct {
	Code   int    // of its exit
	Stdout []byte // all of it
	Said   string // the end of its standard error
	Dir    string // the work folder; empty if it had none
}

// Keep keeps bytes as an artifact of the caller, and returns its id.
type Keep func(content []byte) (id string, err error)

// Answer makes the tool's answer of how its program ended, of at most most bytes. Keep may be nil: then bytes
// are in the answer itself. The errors are faults.
func (t *Tool) Answer(o Outcome, most int64, keep Keep) (*abi.Answer, error) {
	if e := t.exit(o.Code); !e.OK || e.Quiet && o.Said != "" {
		return e.failure(o)
	}
	output := o.Stdout
	if t.Output.File != "" {
		var err error
		if output, err = readFile(o.Dir, t.Output.File, most); err != nil {
			return nil, err
		}
	}
	return t.Output.answer(output, keep)
}

// exit returns what a code means: a failure of the call if the manifest says nothing of it.
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

// failure returns the answer that says that the program failed, or the fault of its code.
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

// maxSaid is how much of what a program printed explains its failure, in bytes.
const maxSaid = 1 << 10

// readFile reads a file that a program left. The program may have made it a link or a device, had it been able to.
func readFile(dir, name string, most int64) ([]byte, error) {
	const op = "command.Answer"
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fault.New(op, sdkapi.ToolError, "the program ended well and left no file %s/%s", Work, name).Because(err)
	}
	if info.Size() > most {
		return nil, fault.New(op, sdkapi.ToolError, "the file %s/%s has %d bytes, which is over the limit output_bytes of %d; the operator can raise it in the grant", Work, name, info.Size(), most)
	}
	return root.ReadFile(name)
}

// answer makes an answer of the output.
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
		return structured(map[string]any{"lines": lines(output)})
	case Artifact:
		return o.artifact(output, keep)
	}
	return &abi.Answer{Content: []abi.Content{{Type: "text", Text: strings.ToValidUTF8(string(output), "�")}}}, nil
}

func noJSON(want string, err error) error {
	return fault.New("command.Answer", sdkapi.ToolError, "the program did not print %s", want).Because(err)
}

func structured(value any) (*abi.Answer, error) {
	raw, err := json.Marshal(value)
	return &abi.Answer{StructuredContent: raw}, err
}

// maxValues is the most values and lines of an answer: each takes some tens of bytes besides its own.
const maxValues = 100_000

// values reads JSON values one after the other, of at most most.
func values(output []byte, most int) ([]json.RawMessage, error) {
	list := []json.RawMessage{}
	for d := json.NewDecoder(bytes.NewReader(output)); ; {
		var value json.RawMessage
		err := d.Decode(&value)
		switch {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		case len(list) == most:
			return nil, fmt.Errorf("more than %d values", most)
		}
		list = append(list, value)
	}
}

// lines splits the output. The end of the last line is not the beginning of another one.
func lines(output []byte) []string {
	text := strings.TrimSuffix(strings.ToValidUTF8(string(output), "�"), "\n")
	if text == "" {
		return []string{}
	}
	return strings.SplitN(text, "\n", maxValues)
}

// artifact keeps the output, or puts it into the answer where nobody keeps artifacts.
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
