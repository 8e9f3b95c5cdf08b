package s3store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/minio/minio-go/v7"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Put implements artifacts.Store. It reads all of r first, and then uploads the content in a single
// request. Amazon limits such a request to 5 GB. The server verifies the SHA-256. If the server has
// stored the artifact, Put succeeds even if ctx has ended.
//
// The server decides whether an id is new. If a server refuses If-None-Match, Put checks the id
// before the upload, so two concurrent Puts may both succeed. If a server ignores If-None-Match,
// the later Put replaces the artifact of the earlier one. Random ids make both cases unlikely.
func (s *Store) Put(ctx context.Context, id, contentType string, r io.Reader) (artifacts.Info, error) {
	const op = "s3store.Put"
	if !artifacts.ValidID(id) {
		return artifacts.Info{}, fault.New(op, sdkapi.Internal, "invalid artifact id %q; nothing was stored: expected a name with an extension, such as screen-1.png", id)
	}
	spooled, about, err := s.spool(ctx, op, r)
	if err != nil {
		return artifacts.Info{}, err
	}
	defer spooled.remove()
	about.ID, about.ContentType = id, contentType
	if err := newUpload(s, op, spooled, about).run(ctx); err != nil {
		return artifacts.Info{}, err
	}
	return about.Info, nil
}

// Import implements artifacts.Importer.
func (s *Store) Import(ctx context.Context, info artifacts.Info, r io.Reader) error {
	const op = "s3store.Import"
	if !artifacts.ValidID(info.ID) {
		return fault.New(op, sdkapi.Internal, "invalid artifact id %q; nothing was stored: expected a name with an extension, such as screen-1.png", info.ID)
	}
	spooled, about, err := s.spool(ctx, op, r)
	if err != nil {
		return err
	}
	defer spooled.remove()
	if about.SHA256 != info.SHA256 || about.Size != info.Size {
		return artifacts.Damaged(op, info.ID)
	}
	return newUpload(s, op, spooled, described{info, about.pieces}).run(ctx)
}

// described is the description of an artifact with its piece checksums.
type described struct {
	artifacts.Info
	pieces artifacts.Pieces
}

// spoolFile has the content of one Put. Where the system allows it, the file has no name, so that
// it disappears even after a crash.
type spoolFile struct {
	*os.File
	named bool
}

// spool writes r to a file of its own, and describes it.
func (s *Store) spool(ctx context.Context, op string, r io.Reader) (*spoolFile, described, error) {
	file, err := newSpoolFile(s.spoolDir)
	if err != nil {
		return nil, described{}, spoolFault(op, err)
	}
	info, pieces, err := artifacts.Receive(ctx, file, r)
	if err == nil {
		return file, described{info, pieces}, nil
	}
	file.remove()
	if errors.As(err, new(*artifacts.SourceError)) {
		// A fault of r stays in the chain, for the caller.
		return nil, described{}, fmt.Errorf("%s: %w", op, err)
	}
	return nil, described{}, spoolFault(op, err)
}

// newSpoolFile creates a file in dir. It deletes the file's name at once if the system allows that
// for an open file.
func newSpoolFile(dir string) (*spoolFile, error) {
	file, err := os.CreateTemp(dir, "windie-put-*")
	if err != nil {
		return nil, err
	}
	return &spoolFile{File: file, named: os.Remove(file.Name()) != nil}, nil
}

// remove closes and deletes the file.
func (f *spoolFile) remove() {
	_ = f.Close() // the content is not needed any more
	if f.named {
		_ = os.Remove(f.Name()) // a remaining file only takes space
	}
}

// spoolFault returns the fault for an error of the gateway's own disk: STORAGE_FULL or
// STORAGE_UNAVAILABLE.
func spoolFault(op string, err error) error {
	if artifacts.Full(err) {
		return fault.New(op, sdkapi.StorageFull, "the gateway's own disk is full, so it cannot receive the artifact; free space in its folder for temporary files").Because(err)
	}
	return fault.New(op, sdkapi.StorageUnavailable, "the gateway cannot buffer the artifact on its disk; check that it may write to its folder for temporary files and that the disk has free space").Because(err)
}

// firstPause is the maximum pause between the first two attempts. The maximum doubles with each
// later pause.
const firstPause = 200 * time.Millisecond

// settleLimit is how long an upload that failed or was cancelled waits to learn whether its object
// exists.
const settleLimit = 5 * time.Second

// upload is the object of one Put during its upload.
//
// It repeats requests itself, each with a body of its own. minio-go would rewind a single body,
// which net/http may still be reading for the previous attempt, after an early response such as
// 503.
type upload struct {
	store   *Store
	op      string
	content io.ReaderAt
	info    described
	word    string // random; stored in the object's metadata to recognise this upload

	mu    sync.Mutex // guards the fields below
	begun bool       // a part of the content was sent
	sent  bool       // all content was sent, so the server may create the object
	left  bool       // the caller left before that; nothing more may be sent
}

// newUpload returns an upload that has sent nothing. An empty content counts as sent, because
// nobody reads it.
func newUpload(s *Store, op string, content io.ReaderAt, info described) *upload {
	empty := info.Size == 0 // a body without content is never read
	return &upload{store: s, op: op, content: content, info: info, word: uuid.NewString(), begun: empty, sent: empty}
}

// run uploads the content. After an error the object does not exist, as far as the server's
// responses show.
func (u *upload) run(ctx context.Context) error {
	if err := u.put(ctx); err != nil || u.store.keepsMetadata.Load() {
		return err
	}
	return u.confirm(ctx)
}

// confirm checks the first object that a store has created, and deletes it if it has no metadata:
// on such a server every artifact would be lost. If the check gets no response, the upload still
// counts as successful.
func (u *upload) confirm(ctx context.Context) error {
	object, err := u.look(ctx)
	if err != nil {
		return nil //nolint:nilerr // the next upload looks again
	}
	if object.UserMetadata[metaSHA256] != "" {
		u.store.keepsMetadata.Store(true)
		return nil
	}
	return errors.Join(fault.New(u.op, sdkapi.StorageUnavailable, "the S3 server, or a proxy in front of it, drops the metadata of objects (headers x-amz-meta-), which the gateway needs; nothing was stored: configure it to keep the metadata, or use another server"),
		u.store.Delete(context.WithoutCancel(ctx), u.info.ID))
}

// put creates the object.
func (u *upload) put(ctx context.Context) error {
	if u.store.unconditional.Load() {
		return u.runUnconditional(ctx)
	}
	err := u.send(ctx, true)
	if codeOf(err) == minio.NotImplemented {
		err = u.runUnconditional(ctx)
		if err == nil { // so the server refuses only the condition
			u.store.unconditional.Store(true)
		}
	}
	return err
}

// runUnconditional is put for servers that do not support If-None-Match.
func (u *upload) runUnconditional(ctx context.Context) error {
	switch _, err := u.store.Stat(ctx, u.info.ID); {
	case err == nil:
		return u.taken()
	case fault.CodeOf(err) != sdkapi.ArtifactNotFound:
		return err
	}
	return u.send(ctx, false)
}

// send repeats the request until a response is final. If onlyNew is true, the server must refuse an
// existing object.
func (u *upload) send(ctx context.Context, onlyNew bool) error {
	w := watchStalls(context.WithoutCancel(ctx), u.store.stallLimit)
	defer w.end()
	w.caller = ctx // giveUp decides what its end means
	if err := ctx.Err(); err != nil {
		return w.fault(u.op, u.info.ID, err)
	}
	defer context.AfterFunc(ctx, func() { u.giveUp(ctx, w) })()
	err := u.attempt(w, onlyNew)
	for n := 1; n < maxAttempts && mayPass(err) && u.pause(ctx, w, n); n++ {
		err = u.attempt(w, onlyNew)
	}
	if err == nil {
		return nil
	}
	return u.settle(ctx, w, err)
}

// attempt sends the request once, with the content from its start.
func (u *upload) attempt(w *watch, onlyNew bool) error {
	s := u.store
	opts := minio.PutObjectOptions{
		ContentType:          u.info.ContentType,
		UserMetadata:         u.metadata(),
		DisableContentSha256: true, // a checksum per chunk; the request has the checksum of the whole
	}
	if onlyNew {
		opts.SetMatchETagExcept("*")
	}
	w.moved() // our own pause does not count as a stall
	b := &body{content: io.NewSectionReader(u.content, 0, u.info.Size), upload: u, watch: w}
	_, err := s.client.PutObject(w.ctx, s.bucket, s.key(u.info.ID), b, u.info.Size, "", u.info.SHA256, opts)
	return err
}

// maxSums is the maximum size of piece checksums in an object's metadata, in bytes of base64: S3
// accepts 2 KB of metadata in total. An artifact of more than 40 MB has no piece checksums and is
// verified as a whole.
const maxSums = 1720

// metadata returns the user metadata of the object. It omits piece checksums that are larger than
// maxSums.
func (u *upload) metadata() map[string]string {
	m := map[string]string{metaSHA256: u.info.SHA256, metaCreated: u.info.CreatedAt.Format(time.RFC3339), metaUpload: u.word}
	if sums, err := u.info.pieces.MarshalText(); err == nil && len(sums) <= maxSums {
		m[metaPieces] = string(sums)
	}
	return m
}

// pause waits a random time before attempt n+1, so that uploads that failed together do not retry
// together. It returns false if the caller has left.
func (u *upload) pause(ctx context.Context, w *watch, n int) bool {
	longest := firstPause << (n - 1)
	select {
	case <-time.After(longest/2 + rand.N(longest/2)): //nolint:gosec // a weak random number will do
		return true
	case <-ctx.Done():
	case <-w.ctx.Done():
	}
	return false
}

// mayPass reports whether a retry may succeed.
func mayPass(err error) bool {
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return err != nil // the connection broke
	}
	switch answer.Code {
	case "RequestTimeout": // Amazon's status 400 for content that arrived too slowly
		return true
	case minio.AuthorizationHeaderMalformed: // minio-go has learnt the bucket's region from it
		return true
	}
	return slices.Contains([]int{
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}, answer.StatusCode)
}

// settle looks at the object to find out the meaning of a failure: the server's real response, a
// success or an early refusal, may have been lost.
func (u *upload) settle(ctx context.Context, w *watch, err error) error {
	object, lookErr := u.look(ctx)
	switch {
	case lookErr == nil && object.UserMetadata[metaUpload] == u.word:
		return nil
	case lookErr == nil, codeOf(err) == minio.PreconditionFailed:
		return u.taken().Because(err)
	case codeOf(err) == "" && codeOf(lookErr) != minio.NoSuchKey:
		err = errors.Join(err, lookErr) // usually for the same reason
	}
	return w.fault(u.op, u.info.ID, err)
}

// errNothingSent is look's error if no content was sent.
var errNothingSent = errors.New("the gateway sent no content")

// look requests the object's description, even if ctx has ended.
func (u *upload) look(ctx context.Context) (minio.ObjectInfo, error) {
	if !u.hasBegun() {
		return minio.ObjectInfo{}, errNothingSent
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(settleLimit, u.store.stallLimit))
	defer cancel()
	return u.store.stat(ctx, u.info.ID)
}

// giveUp ends the upload because the caller has left. If all content was sent, giveUp waits up to
// settleLimit for the response: otherwise the request might create the object after everyone has
// stopped looking.
func (u *upload) giveUp(ctx context.Context, w *watch) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.sent {
		time.AfterFunc(settleLimit, func() { w.cancel(ctx.Err()) })
		return
	}
	u.left = true
	w.cancel(ctx.Err())
}

// hasBegun reports whether a part of the content was sent, so that the object may exist.
func (u *upload) hasBegun() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.begun
}

// taken returns the fault for an id that is in use.
func (u *upload) taken() *fault.Error {
	return fault.New(u.op, sdkapi.Internal, "the artifact %q already exists and was not changed; choose another id", u.info.ID)
}

// body is the content of one attempt. Each read counts as movement for the watch. It cannot be
// rewound, which keeps minio-go from retrying.
type body struct {
	content *io.SectionReader
	upload  *upload
	watch   *watch
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	u := b.upload
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.left {
		return 0, context.Canceled
	}
	n, err := b.content.Read(p)
	u.begun = true
	if at, _ := b.content.Seek(0, io.SeekCurrent); at == u.info.Size {
		u.sent = true
	}
	b.watch.moved()
	return n, err
}
