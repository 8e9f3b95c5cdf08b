package artifacts

import (
	"regexp"

	"github.com/gabriel-vasile/mimetype"
	"github.com/google/uuid"
)

// IDPattern is what an id looks like: a name of letters, digits, _ and -, and
// an extension. It holds no separator and no leading dot, so no id is a path.
const IDPattern = `^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.[a-z0-9]{1,10}$`

var idPattern = regexp.MustCompile(IDPattern)

// ValidID reports whether id matches IDPattern.
func ValidID(id string) bool { return idPattern.MatchString(id) }

// SniffLen is how many leading bytes Sniff looks at.
const SniffLen = 3072

// Sniff returns the media type of a file by its first SniffLen bytes, and a
// fresh random id with the extension that goes with the type. Content of no
// known type is application/octet-stream, .bin.
func Sniff(head []byte) (id, contentType string) {
	m := mimetype.Detect(head)
	id = uuid.NewString() + m.Extension()
	if !ValidID(id) {
		id = uuid.NewString() + ".bin"
	}
	return id, m.String()
}
