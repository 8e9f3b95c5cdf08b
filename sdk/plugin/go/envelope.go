package plugin

import (
	"bytes"
	"encoding/json"
)

// split returns the name and the arguments of a call's input, and false for input of another
// form. The gateway writes good JSON, which is only cut here: arguments are decoded once, later.
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

// cutValue cuts off the first JSON value of b, up to the comma, colon or bracket behind.
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

// stringEnd returns where the quote is that ends a text that b is in.
func stringEnd(b []byte) int {
	for i := 0; i < len(b); i++ {
		n := bytes.IndexAny(b[i:], `"\`)
		if n < 0 {
			break
		}
		if i += n; b[i] == '"' {
			return i
		}
		i++ // what follows a backslash is no end
	}
	return len(b)
}

// appendTo writes the answer. Structured is valid JSON, or the tool's own affair.
func (r Result) appendTo(b []byte) ([]byte, error) {
	b = append(b, '{')
	if r.Structured != nil {
		b = append(append(b, `"structuredContent":`...), r.Structured...)
		b = append(b, ',')
	}
	if r.Content != nil || r.Structured == nil { // nothing to say is an answer too
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
