package abi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Description is a guest's description of itself.
type Description struct {
	Name        string     `json:"name,omitempty"`
	Version     string     `json:"version,omitempty"`
	Description string     `json:"description,omitempty"`
	Tools       list[Tool] `json:"tools"`
}

// maxList limits the entries of a list in an answer. An entry takes a few hundred bytes in memory,
// and three in JSON.
const maxList = 10_000

// list is a JSON array of at most maxList entries.
type list[T any] []T

// UnmarshalJSON decodes a list. If the list has more than maxList entries, UnmarshalJSON fails with
// a BoundError, before it decodes the first entry beyond this number. For null, the list is nil.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); t == nil || err != nil {
		return err
	} else if t != json.Delim('[') {
		return fmt.Errorf("a list must be a JSON array, but the value begins with %v", t)
	}
	for *l = (list[T]{}); d.More(); {
		if len(*l) == maxList {
			return &BoundError{"entries in a list", maxList}
		}
		var entry T
		if err := d.Decode(&entry); err != nil {
			return err
		}
		*l = append(*l, entry)
	}
	return nil
}

// Tool is one of a guest's tools, in the format of MCP's tools/list.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations,omitzero"`
}

// Annotations are a guest's claims about the effects of a tool.
type Annotations struct {
	ReadOnlyHint    *bool `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
}

// ParseDescription decodes a guest's answer to the call in which the guest describes itself.
func ParseDescription(output []byte) (*Description, error) {
	d := &Description{}
	if err := decode(output, d); err != nil {
		return nil, fmt.Errorf("the answer from describe is not a JSON object that lists tools: %w", err)
	}
	return d, nil
}

// textSchema is the input schema of a tool that takes plain text.
const textSchema = `{"type":"object","properties":{"input":{"type":"string","description":"What the tool reads."}},"additionalProperties":false}`

// Tools returns a description of a guest that cannot describe itself. Each of the guest's exports
// becomes a tool that takes text.
func (c Convention) Tools() *Description {
	d := &Description{}
	for _, name := range c.Exports {
		d.Tools = append(d.Tools, Tool{Name: name, InputSchema: json.RawMessage(textSchema)})
	}
	return d
}

// Answer is a guest's answer to a call, in the format of MCP's tools/call.
type Answer struct {
	Content           list[Content]   `json:"content,omitempty"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
	Meta              Object          `json:"_meta,omitempty"`
}

// Object is a JSON object in its encoded form.
type Object json.RawMessage

// UnmarshalJSON stores the JSON of an object unchanged. For null, the object is nil. It rejects
// other JSON values.
func (o *Object) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*o = nil
		return nil
	}
	if raw[0] != '{' {
		return fmt.Errorf("_meta is not a JSON object: it begins with %.40q", raw)
	}
	*o = bytes.Clone(raw)
	return nil
}

// MarshalJSON returns the stored JSON.
func (o Object) MarshalJSON() ([]byte, error) { return o, nil }

// Content is one part of an answer, for example a text or an image. Type names the field that is
// set.
type Content struct {
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`
	Data     Base64          `json:"data,omitempty"`
	MimeType string          `json:"mimeType,omitempty"`
	Resource json.RawMessage `json:"resource,omitempty"`
	Other    json.RawMessage `json:"-"` // JSON of the whole part, if Type is not text, image, audio or resource
	// JSON of the whole part, if it has more fields than a text or an image needs
	Whole json.RawMessage `json:"-"`
}

// extras are the fields that a piece of any type may have.
type extras struct {
	Annotations json.RawMessage `json:"annotations"`
	Meta        json.RawMessage `json:"_meta"`
}

// UnmarshalJSON decodes one part of an answer. It also stores the unchanged JSON in Whole, unless
// the part is a plain text or image. If the type is unknown, it stores the JSON in Other too.
func (c *Content) UnmarshalJSON(raw []byte) error {
	type content Content
	if err := json.Unmarshal(raw, (*content)(c)); err != nil {
		return err
	}
	var more extras
	_ = json.Unmarshal(raw, &more) // cannot fail: it is an object
	switch c.Type {
	case "", "text", "image":
		if len(more.Annotations) > 0 || len(more.Meta) > 0 {
			c.Whole = bytes.Clone(raw)
		}
	case "audio", "resource":
		c.Whole = bytes.Clone(raw)
	default:
		c.Other = bytes.Clone(raw)
		c.Whole = c.Other
	}
	return nil
}

// MarshalJSON returns Whole if Whole is set. Otherwise, it encodes the fields. The field text of a
// text part is always present, even if the text is empty.
func (c Content) MarshalJSON() ([]byte, error) {
	type content Content
	if len(c.Whole) > 0 {
		return c.Whole, nil
	}
	if c.Type != "text" {
		return json.Marshal(content(c))
	}
	return json.Marshal(map[string]string{"type": c.Type, "text": c.Text})
}

// Base64 is a slice of bytes that is written in JSON as a base64 string. UnmarshalJSON also accepts
// a string without padding.
type Base64 []byte

// UnmarshalJSON decodes a base64 string.
func (b *Base64) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	*b = decoded
	return err
}

// MarshalJSON returns a base64 string with padding.
func (b Base64) MarshalJSON() ([]byte, error) { return json.Marshal([]byte(b)) }

// ParseAnswer decodes a guest's answer to a call.
func (c Convention) ParseAnswer(output []byte) (*Answer, error) {
	if c.Call == "" {
		return textAnswer(output), nil
	}
	if structured, ok := onlyStructured(output); ok {
		return &Answer{StructuredContent: structured}, nil
	}
	a := &Answer{}
	if err := decode(output, a); err != nil {
		return nil, fmt.Errorf("invalid answer to a call: %w", err)
	}
	if a.StructuredContent == nil && a.Content == nil {
		return nil, errors.New("invalid answer to a call: it has neither content nor structuredContent")
	}
	if bytes.Equal(a.StructuredContent, []byte("null")) {
		a.StructuredContent = nil
	}
	return a, nil
}

// onlyStructured returns the content of an answer that consists of structured content alone, which
// is the most common form.
func onlyStructured(output []byte) (json.RawMessage, bool) {
	rest, opens := bytes.CutPrefix(output, []byte(`{"structuredContent":`))
	value, closes := bytes.CutSuffix(rest, []byte("}"))
	return value, opens && closes && !bytes.Equal(value, []byte("null")) && json.Valid(value)
}

// textAnswer returns the answer of a tool whose output is text or bytes.
func textAnswer(output []byte) *Answer {
	text := string(output)
	if !utf8.Valid(output) {
		text = base64.StdEncoding.EncodeToString(output)
	}
	return &Answer{Content: []Content{{Type: "text", Text: text}}}
}

// decode decodes one JSON object into v and ignores unknown fields.
func decode(output []byte, v any) error {
	output = bytes.TrimSpace(output)
	if len(output) == 0 {
		return errors.New("the answer is empty")
	}
	if output[0] != '{' {
		return fmt.Errorf("the answer begins with %.40q", output)
	}
	return json.Unmarshal(output, v)
}
