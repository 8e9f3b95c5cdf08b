package strictjson

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// AppendCanonical appends raw to b in one form: no white space, fields sorted by name, text escaped
// as by encoding/json, numbers as written. It fails with ErrHalf for text that is not Unicode.
func AppendCanonical(b, raw []byte, depth int) ([]byte, error) {
	r, err := New(raw, depth)
	if err != nil {
		return nil, err
	}
	r.whole = true
	c := canonical{Reader: r, out: b}
	if err := c.value(); err != nil {
		return nil, err
	}
	return c.out, c.End()
}

// canonical is a Reader that writes what it reads.
type canonical struct {
	Reader
	out []byte
}

func (c *canonical) value() error {
	switch c.Kind() {
	case '{':
		return c.object()
	case '[':
		c.out = append(c.out, '[')
		err := c.Array(func(i int) error {
			c.comma(i)
			return c.value()
		})
		c.out = append(c.out, ']')
		return err
	case '"':
		return c.string()
	}
	scalar, err := c.Scalar()
	c.out = append(c.out, scalar...)
	return err
}

// comma separates a value from the one before.
func (c *canonical) comma(i int) {
	if i > 0 {
		c.out = append(c.out, ',')
	}
}

// field is where out has a field of an object.
type field struct {
	name     []byte
	from, to int
}

func (c *canonical) object() error {
	c.out = append(c.out, '{')
	start := len(c.out)
	var few [8]field // enough for most
	fields, sorted := few[:0], true
	err := c.Object(func(i int, name []byte) error {
		if i > 0 {
			c.out = append(c.out, ',')
			sorted = sorted && bytes.Compare(fields[i-1].name, name) < 0
		}
		f := field{name: name, from: len(c.out)}
		c.quote(name)
		c.out = append(c.out, ':')
		err := c.value()
		f.to = len(c.out)
		fields = append(fields, f)
		return err
	})
	if err == nil && !sorted {
		c.sort(start, fields)
	}
	c.out = append(c.out, '}')
	return err
}

// sort puts the fields, which out has from start on, in the order of their names.
func (c *canonical) sort(start int, fields []field) {
	slices.SortFunc(fields, func(a, b field) int { return bytes.Compare(a.name, b.name) })
	written := slices.Clone(c.out[start:])
	c.out = c.out[:start]
	for i, f := range fields {
		c.comma(i)
		c.out = append(c.out, written[f.from-start:f.to-start]...)
	}
}

func (c *canonical) string() error {
	written, has, err := c.text()
	if err != nil || has == mark {
		c.out = append(c.out, written...)
		return err
	}
	text, err := c.decoded(written, has)
	c.quote(text)
	return err
}

// quote writes a text.
func (c *canonical) quote(text []byte) {
	for _, b := range text {
		if classes[b] != 0 {
			quoted, _ := json.Marshal(string(text)) // a text always can be
			c.out = append(c.out, quoted...)
			return
		}
	}
	c.out = append(append(append(c.out, '"'), text...), '"')
}

// replacements finds the escapes of U+FFFD. A backslash that is escaped does not begin an escape.
var replacements = regexp.MustCompile(`(?i)\\\\|\\ufffd`)

// hasHalf reports whether a string, which says text, escapes half of a surrogate pair, as \ud83d
// alone. Decoders read that as U+FFFD, which is valid where it is written as such.
func hasHalf(written []byte, text string) bool {
	n := strings.Count(text, "\ufffd")
	if n == 0 {
		return false
	}
	n -= bytes.Count(written, []byte("\ufffd"))
	for _, found := range replacements.FindAll(written, -1) {
		n -= len(found) / len(`\ufffd`)
	}
	return n > 0
}
