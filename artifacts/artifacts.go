// Package artifacts keeps files that clients send and the gateway makes:
// screenshots, overlays, attachments.
//
// An artifact is written once and never changes. The stores are dirstore (a folder) and s3store
// (any S3-compatible server); storetest says what both do. owned wraps either, and knows whose an
// artifact is and until when it is kept.
package artifacts

import (
	"context"
	"io"
	"regexp"
	"time"

	"github.com/gabriel-vasile/mimetype"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Store keeps artifacts. Its methods are safe for concurrent use. What it returns are faults:
// ArtifactNotFound for an id that is not there (or is no valid id), ArtifactDamaged for one that is
// not what was stored, StorageUnavailable when the back end fails.
type Store interface {
	// Put stores what r yields under id and returns what it stored. It fails with Internal for an
	// id that is invalid (see ValidID) or in use, whose artifact stays as it is. The artifact
	// becomes visible as a whole or not at all: an error, of r or ctx, leaves nothing behind. r's
	// own error is in the chain of Put's, under no other fault. Put reads r to its end and does not
	// close it. Except for the store in memory, memory use does not grow with r. contentType must
	// not be empty.
	Put(ctx context.Context, id, contentType string, r io.Reader) (Info, error)

	// Stat describes the artifact under id.
	Stat(ctx context.Context, id string) (Info, error)

	// Get opens at most length bytes of the artifact from offset on; a negative length means all
	// that follow. An offset past the end is RangeNotSatisfiable; at the end there is nothing to
	// read. The caller closes the reader. ctx governs reading too. What it yields is what was
	// stored: the reader checks a piece before it hands out a byte of it, and Get the first one.
	Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, Info, error)

	// Delete removes the artifact. Deleting what is not there is no error.
	Delete(ctx context.Context, id string) error

	// Ready reports whether the store can be used now. Its error says what to do.
	Ready(ctx context.Context) error
}

// Presigner is a store that can hand out links of its own.
type Presigner interface {
	// Presign returns a URL that serves the artifact for ttl without credentials, with disposition
	// as its Content-Disposition. It does not check that the artifact exists.
	Presign(ctx context.Context, id, disposition string, ttl time.Duration) (string, error)
}

// PerUser is a store that keeps the artifacts of its users apart.
type PerUser interface {
	Store

	// For returns the store of user: what others put is not there, and
	// what is put is the user's. It has a Presign where the store has one.
	For(user string) Store
}

// Lister is a store that lists what it keeps, and marks what it is to keep.
type Lister interface {
	// List lists the artifacts, the newest first: those behind Next of the page before, which
	// is empty for the first page. limit is 1 or more; a store may return fewer.
	List(ctx context.Context, after string, limit int) (Page, error)

	// Keep marks an artifact, so that it does not expire, or takes the mark away: one that
	// would have expired without the mark is then gone. It fails as Stat does.
	Keep(ctx context.Context, id string, kept bool) (Info, error)
}

// Page is a page of a list.
type Page struct {
	Artifacts []Listed
	Next      string // empty after the last
}

// Listed is an artifact of a list.
type Listed struct {
	ID        string
	Size      int64     // bytes; 0 if the list does not know it
	CreatedAt time.Time // UTC, to the second
	ExpiresAt time.Time // zero for never
	Kept      bool      // it was marked to be kept
}

// Sweeper is a store in which what was broken off, by a crash or by others, can
// lie around under no artifact's id.
type Sweeper interface {
	// Sweep removes what has lain around since before, and returns how many
	// such things it removed. Others may sweep, and use the store, meanwhile.
	Sweep(ctx context.Context, before time.Time) (removed int, err error)
}

// Unlinker is a store in which it takes long to see to it that a deletion lasts through a power cut, and
// not longer for many at once.
type Unlinker interface {
	// Unlink is Delete, but that the artifact may be back after a power cut, until Unlinked.
	Unlink(ctx context.Context, id string) error

	// Unlinked returns once what Unlink removed is gone for good.
	Unlinked(ctx context.Context, ids ...string) error
}

// Walker is a store that knows which artifacts it has, of all users.
type Walker interface {
	// Walk returns at most limit ids after an id, in the order of their bytes. "" is before the
	// first. Artifacts that come or go meanwhile may be among them or not.
	Walk(ctx context.Context, after string, limit int) ([]string, error)
}

// Importer is a store that takes artifacts of another store.
type Importer interface {
	// Import is Put for an artifact that another store has described: with its time, and only if
	// r yields what info says, else with ArtifactDamaged.
	Import(ctx context.Context, info Info, r io.Reader) error
}

// Summer is a store that can make sums of pieces for an artifact that has none.
type Summer interface {
	// AddPieces reports whether it had to. It fails with ArtifactDamaged if the artifact is not
	// what was stored.
	AddPieces(ctx context.Context, id string) (added bool, err error)
}

// Info describes a stored artifact.
type Info struct {
	ID          string
	ContentType string
	Size        int64     // bytes
	SHA256      string    // lower-case hex
	CreatedAt   time.Time // UTC, to the second
	ExpiresAt   time.Time // UTC, to the second; zero for an artifact that is kept until it is deleted
}

// NotFound is every store's error for an id under which the caller has nothing. The words are the
// same whatever the reason, to reveal nothing of other users.
func NotFound(op, id string) *fault.Error {
	return fault.New(op, sdkapi.ArtifactNotFound, "there is no artifact %q", id)
}

// IDPattern is what an id looks like: a name of letters, digits, _ and -, and
// an extension. It holds no separator and no leading dot, so no id is a path.
const IDPattern = `^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.[a-z0-9]{1,10}$`

var idPattern = regexp.MustCompile(IDPattern)

// ValidID reports whether id matches IDPattern.
func ValidID(id string) bool { return idPattern.MatchString(id) }

// SniffLen is how many leading bytes Sniff looks at.
const SniffLen = 3072

// Sniff returns the media type of a file by its first SniffLen bytes, and a fresh random id with
// the type's extension. Unknown content is application/octet-stream, .bin.
func Sniff(head []byte) (id, contentType string) {
	m := mimetype.Detect(head)
	id = uuid.NewString() + m.Extension()
	if !ValidID(id) {
		id = uuid.NewString() + ".bin"
	}
	return id, m.String()
}
