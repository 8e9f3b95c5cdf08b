// Package artifacts stores files from clients and from the gateway: screenshots, overlays,
// attachments.
//
// An artifact is written once and never changes. The stores are dirstore (a folder) and s3store
// (any S3-compatible server). Package storetest is their test suite. Package owned wraps a store,
// and adds an owner and an expiry to each artifact.
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

// Store stores artifacts. Its methods are safe for concurrent use. Its errors are faults.
// ArtifactNotFound means that an artifact is missing or its id is invalid. ArtifactDamaged means
// that an artifact's content has changed since it was stored. StorageUnavailable means that the
// back end fails.
type Store interface {
	// Put stores the content of r under id, and returns its description. If id is invalid (see
	// ValidID) or in use, Put fails with Internal, and an existing artifact is not changed. Put is
	// atomic: after an error of r or ctx, nothing is stored. r's own error is in the chain of Put's
	// error, with no other fault around it. Put reads r to its end and does not close it. Memory
	// use does not grow with r, except in the memory store. contentType must not be empty.
	Put(ctx context.Context, id, contentType string, r io.Reader) (Info, error)

	// Stat returns the description of the artifact with this id.
	Stat(ctx context.Context, id string) (Info, error)

	// Get opens at most length bytes of the artifact from offset on. A negative length means up to
	// the end. If offset is the end, the reader is empty. If offset is past the end, Get fails with
	// RangeNotSatisfiable. The caller closes the reader. ctx also limits reading. The reader
	// verifies each piece of the content before it returns a byte of it; Get verifies the first
	// piece.
	Get(ctx context.Context, id string, offset, length int64) (io.ReadCloser, Info, error)

	// Delete deletes the artifact. A missing artifact is not an error.
	Delete(ctx context.Context, id string) error

	// Ready checks that the store can be used now. Its error says what to do.
	Ready(ctx context.Context) error
}

// Presigner is a store that can create links to its artifacts.
type Presigner interface {
	// Presign returns a URL that serves the artifact for ttl without credentials, with disposition
	// as its Content-Disposition. It does not check that the artifact exists.
	Presign(ctx context.Context, id, disposition string, ttl time.Duration) (string, error)
}

// PerUser is a store that separates the artifacts of its users.
type PerUser interface {
	Store

	// For returns the store of a user. It shows only the user's artifacts, and its Put makes the
	// user the owner. It implements Presigner if the underlying store does.
	For(user string) Store
}

// Lister is a store that can list its artifacts and protect them from expiry.
type Lister interface {
	// List returns a page of artifacts, newest first. after is Next of the previous page, empty for
	// the first page. limit is 1 or more; a store may return fewer.
	List(ctx context.Context, after string, limit int) (Page, error)

	// Keep protects an artifact from expiry if kept is true, or ends the protection. If the
	// artifact's age already exceeds its retention, it expires when the protection ends. Keep fails
	// as Stat does.
	Keep(ctx context.Context, id string, kept bool) (Info, error)
}

// Page is one page of a list.
type Page struct {
	Artifacts []Listed
	Next      string // cursor of the next page; empty on the last page
}

// Listed is an artifact in a list.
type Listed struct {
	ID        string
	Size      int64     // in bytes; 0 if unknown
	CreatedAt time.Time // UTC, to the second
	ExpiresAt time.Time // zero: never
	Kept      bool      // whether it is protected from expiry
}

// Sweeper is a store in which crashes or other programs can leave partial content that belongs to
// no artifact.
type Sweeper interface {
	// Sweep deletes leftovers that have not changed since before, and returns their number. It may
	// run at the same time as other calls, Sweep included.
	Sweep(ctx context.Context, before time.Time) (removed int, err error)
}

// Unlinker is a store in which it takes long to make a deletion survive a power cut. Many deletions
// at once take no longer than one deletion.
type Unlinker interface {
	// Unlink is Delete, except that the artifact may reappear after a power cut until Unlinked
	// returns.
	Unlink(ctx context.Context, id string) error

	// Unlinked makes earlier calls of Unlink for these ids permanent.
	Unlinked(ctx context.Context, ids ...string) error
}

// Walker is a store that can list the ids of all users' artifacts.
type Walker interface {
	// Walk returns at most limit ids that sort after the id after, in byte order. "" is before the
	// first id. Artifacts that are created or deleted meanwhile may be included or missing.
	Walk(ctx context.Context, after string, limit int) ([]string, error)
}

// Importer is a store that can copy artifacts from another store.
type Importer interface {
	// Import stores an artifact of another store with its original description, time included. It
	// fails with ArtifactDamaged unless the content of r matches info.
	Import(ctx context.Context, info Info, r io.Reader) error
}

// Summer is a store that can add missing piece checksums to an artifact.
type Summer interface {
	// AddPieces adds the checksums, and reports whether they were missing. It fails with
	// ArtifactDamaged if the artifact differs from the stored content.
	AddPieces(ctx context.Context, id string) (added bool, err error)
}

// Info describes a stored artifact.
type Info struct {
	ID          string
	ContentType string
	Size        int64     // in bytes
	SHA256      string    // in lower-case hexadecimal
	CreatedAt   time.Time // UTC, to the second
	ExpiresAt   time.Time // UTC, to the second; zero: never
}

// NotFound returns the error of all stores if the caller has no artifact with this id. The message
// is the same for every cause, so that it reveals nothing about other users.
func NotFound(op, id string) *fault.Error {
	return fault.New(op, sdkapi.ArtifactNotFound, "there is no artifact %q", id)
}

// IDPattern is the pattern of a valid id: a name of letters, digits, _ and -, and an extension. An
// id has no separator and no leading dot, so it cannot be used as a path.
const IDPattern = `^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.[a-z0-9]{1,10}$`

var idPattern = regexp.MustCompile(IDPattern)

// ValidID reports whether id matches IDPattern.
func ValidID(id string) bool { return idPattern.MatchString(id) }

// SniffLen is the number of leading bytes that Sniff examines.
const SniffLen = 3072

// Sniff detects the media type of a file from its first SniffLen bytes. It returns a new random id
// with the type's extension, and the type. Unknown content has the type application/octet-stream
// and the extension .bin.
func Sniff(head []byte) (id, contentType string) {
	m := mimetype.Detect(head)
	id = uuid.NewString() + m.Extension()
	if !ValidID(id) {
		id = uuid.NewString() + ".bin"
	}
	return id, m.String()
}
