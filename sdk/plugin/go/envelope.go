package plugin

import (
	"bytes"
	"encoding/json"
)

// split cuts a call's input into the tool's name and its arguments. ok is false for any other form.
// The gateway writes valid JSON, so split only cuts; the arguments are decoded once, later.
func split(input []byte) (name string, arguments json.RawMessage, ok bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(input), []byte("{"))
	for ok {
		var key, value []byte
		if key, rest = cutValue(rest); len(rest) == 0 || rest[0] != ':' {
			return "", nil, false
		}
		value, rest = cutValue(rest[1:])
		switch string(key) {
		case `"name"`:
			ok = json.Unmarshal(value, &name) == nil
		case `"arguments"`:
			arguments = value
		}
		if len(rest) == 0 || rest[0] != ',' {
			return name, arguments, ok && string(rest) == "}"
		}
		rest = rest[1:]
	}
	return "", nil, false
}

// cutValue splits off the first JSON value of b, up to the comma, colon or bracket after it.
func cutValue(b []byte) (value, rest []byte) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i += stringEnd(b[i+1:]) + 1
		case '{', '[':
			depth++
		case '}', ']', ',', ':':
			if depth == 0 {
				return bytes.TrimSpace(b[:i]), b[i:]
			}
			if b[i] == '}' || b[i] == ']' {
				depth--
			}
		}
	}
	return bytes.TrimSpace(b), nil
}

// stringEnd returns the index of the quote that ends the string in which b begins.
func stringEnd(b []byte) int {
	for i := 0; i < len(b); i++ {
		n := bytes.IndexAny(b[i:], `"\`)
		if n < 0 {
			break
		}
		if i += n; b[i] == '"' {
			return i
		}
		i++ // an escaped byte ends no string
	}
	return len(b)
}

// appendTo appends r as JSON to b. Structured is copied unchecked: it is valid JSON unless the tool
// wrote it wrongly.
func (r Result) appendTo(b []byte) ([]byte, error) {
	b = append(b, '{')
	if r.Structured != nil {
		b = append(append(b, `"structuredContent":`...), r.Structured...)
		b = append(b, ',')
	}
	if r.Content != nil || r.Structured == nil { // an empty result still needs a content list
		b = append(b, `"content":[`...)
		for i, c := range r.Content {
			if i > 0 {
				b = append(b, ',')
			}
			part, err := c.MarshalJSON()
			if err != nil {
				return nil, err
			}
			b = append(b, part...)
		}
		b = append(b, "],"...)
	}
	if r.IsError {
		return append(b, `"isError":true}`...), nil
	}
	return append(b, `"isError":false}`...), nil
}
