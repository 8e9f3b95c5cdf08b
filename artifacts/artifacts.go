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

	// Ready returns nil if the store can be used now. If the store cannot be used, the error
	// message describes the fix.
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

	// For returns a view of the store for a user. The view shows only artifacts that the user owns,
	// and the user owns all artifacts that Put stores there. The view implements Presigner if the
	// underlying store implements Presigner.
	For(user string) Store
}

// Lister is a store that can list its artifacts and protect them from expiry.
type Lister interface {
	// List returns a page of artifacts, newest first. cursor is Next of the previous page, and
	// empty for the first page. limit is 1 or more; a store may return fewer artifacts.
	List(ctx context.Context, cursor string, limit int) (Page, error)

	// Keep sets whether an artifact is protected from expiry. If kept is false and the artifact's
	// age exceeds its retention, the artifact expires at once. Keep fails with the same errors as
	// Stat.
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
	Size      int64     // size of the artifact in bytes; 0 if unknown
	CreatedAt time.Time // time at which the artifact was stored, in UTC, to the second
	ExpiresAt time.Time // time at which the artifact expires; zero means never
	Kept      bool      // whether the artifact is protected from expiry
}

// Sweeper is a store in which crashes or other programs can leave partial content that belongs to
// no artifact.
type Sweeper interface {
	// Sweep deletes leftovers that have not changed since the time cutoff, and returns their
	// number. Sweep may run at the same time as any other call, also of Sweep.
	Sweep(ctx context.Context, cutoff time.Time) (removed int, err error)
}

// Unlinker is a store that deletes many artifacts faster in two steps. Unlink deletes each
// artifact, but a power cut may undo the deletion. Unlinked then makes all the deletions permanent
// at once.
type Unlinker interface {
	// Unlink deletes an artifact, like Delete. Until Unlinked returns, a power cut may undo the
	// deletion.
	Unlink(ctx context.Context, id string) error

	// Unlinked makes the deletions of these ids by Unlink permanent.
	Unlinked(ctx context.Context, ids ...string) error
}

// Walker is a store that can list the ids of all users' artifacts.
type Walker interface {
	// Walk returns a page of at most limit ids, sorted in byte order. cursor is the last id of the
	// previous page, and empty for the first page. Artifacts that are created or deleted meanwhile
	// may be included or missing.
	Walk(ctx context.Context, cursor string, limit int) ([]string, error)
}

// Importer is a store that can copy artifacts from another store.
type Importer interface {
	// Import stores a copy of another store's artifact. info is the description of the artifact in
	// that store, and the copy gets the same description, including the time. r is the content.
	// Import fails with ArtifactDamaged if r does not match info.
	Import(ctx context.Context, info Info, r io.Reader) error
}

// Summer is a store that can compute the checksums of artifacts that were stored without checksums.
// See Pieces.
type Summer interface {
	// AddPieces computes and stores an artifact's checksums if they are missing, and reports
	// whether they were missing. It fails with ArtifactDamaged if the content does not match the
	// artifact's size and SHA-256.
	AddPieces(ctx context.Context, id string) (added bool, err error)
}

// Info describes a stored artifact.
type Info struct {
	ID          string
	ContentType string
	Size        int64     // size of the content, in bytes
	SHA256      string    // SHA-256 of the content, in lower-case hexadecimal
	CreatedAt   time.Time // time at which the artifact was stored, in UTC, to the second
	ExpiresAt   time.Time // time at which the artifact expires, in UTC, to the second; zero means never
}

// NotFound returns the error for an artifact that does not exist or that belongs to another user.
// All stores return the same message in both cases, so that it reveals nothing about other users.
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
