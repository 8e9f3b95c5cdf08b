// Package s3store stores artifacts in a bucket of any S3-compatible server.
//
//	store, err := s3store.Open(ctx, s3store.Config{
//		Endpoint: "https://s3.example.com", Bucket: "artifacts",
//		AccessKey: key, SecretKey: secret,
//	})
//	if err != nil { ... }
//	defer store.Close()
//
// An artifact is one object, named Prefix and id, with the artifact's content type. Its user
// metadata has:
//
//	sha256     of the content, lower-case hexadecimal
//	created    time of the Put, for example 2006-01-02T15:04:05Z
//	pieces     checksums of its pieces, in base64; absent for an artifact larger than 40 MB
//	upload     a random word that distinguishes one Put from another
//
// The keys need the rights s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket. Without
// s3:ListBucket, the server answers 403 for missing objects. Sweep needs
// s3:ListBucketMultipartUploads and s3:AbortMultipartUpload.
//
// A call gives up when no data has moved for Config.StallLimit. The total time of a call has no
// limit.
package s3store

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// maxAttempts is how often a request is sent if the connection breaks or the server is busy, with
// pauses in between.
const maxAttempts = 4

// maxPresign is S3's maximum lifetime of a link.
const maxPresign = 7 * 24 * time.Hour

// Store stores artifacts in one bucket. Make one with Open.
type Store struct {
	client       minio.Core
	transport    *transport
	bucket       string
	prefix       string // empty, or ends with a slash
	createBucket bool
	spoolDir     string // absolute
	stallLimit   time.Duration

	// unconditional is set once the server has refused If-None-Match.
	unconditional atomic.Bool

	// keepsMetadata is set once the server has stored an object's metadata.
	keepsMetadata atomic.Bool
}

var (
	_ artifacts.Store     = (*Store)(nil)
	_ artifacts.Presigner = (*Store)(nil)
	_ artifacts.Sweeper   = (*Store)(nil)
	_ artifacts.Walker    = (*Store)(nil)
	_ artifacts.Importer  = (*Store)(nil)
)

// Open returns the store for cfg, or an error that lists all problems of cfg. If cfg.CreateBucket
// is true, Open creates the bucket. If the creation fails, Ready reports the error and tries again.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := cfg.store()
	if err != nil {
		return nil, err
	}
	if cfg.CreateBucket {
		_ = s.Ready(ctx)
	}
	return s, nil
}

// Close closes idle connections. The store still works after Close, and Close may be called again.
func (s *Store) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// Stat implements artifacts.Store.
func (s *Store) Stat(ctx context.Context, id string) (artifacts.Info, error) {
	const op = "s3store.Stat"
	if !artifacts.ValidID(id) {
		return artifacts.Info{}, artifacts.NotFound(op, id)
	}
	w := watchStalls(ctx, s.stallLimit)
	defer w.end()
	object, err := s.stat(w.ctx, id)
	if err != nil {
		return artifacts.Info{}, w.fault(op, id, err)
	}
	return infoOf(op, id, object)
}

// stat returns an object's description. A response to HEAD has no body that distinguishes a missing
// object from a missing bucket, so for a 404 it also checks the bucket.
func (s *Store) stat(ctx context.Context, id string) (minio.ObjectInfo, error) {
	object, err := s.client.StatObject(ctx, s.bucket, s.key(id), minio.StatObjectOptions{})
	if err == nil && object.Size < 0 { // some proxies remove the length from a response to HEAD
		var body io.ReadCloser
		if body, object, _, err = s.client.GetObject(ctx, s.bucket, s.key(id), minio.GetObjectOptions{}); err == nil {
			err = body.Close()
		}
	}
	if codeOf(err) != minio.NoSuchKey {
		return object, err
	}
	if exists, bucketErr := s.client.BucketExists(ctx, s.bucket); !exists && bucketErr == nil {
		err = minio.ErrorResponse{Code: minio.NoSuchBucket}
	}
	return object, err
}

// Delete implements artifacts.Store.
func (s *Store) Delete(ctx context.Context, id string) error {
	const op = "s3store.Delete"
	if !artifacts.ValidID(id) {
		return nil // an invalid id has no artifact
	}
	w := watchStalls(ctx, s.stallLimit)
	defer w.end()
	err := s.client.RemoveObject(w.ctx, s.bucket, s.key(id), minio.RemoveObjectOptions{})
	if err == nil || codeOf(err) == minio.NoSuchKey {
		return nil
	}
	return w.fault(op, id, err)
}

// Ready implements artifacts.Store. If Config.CreateBucket is true, it creates a missing bucket.
func (s *Store) Ready(ctx context.Context) error {
	const op = "s3store.Ready"
	w := watchStalls(ctx, s.stallLimit)
	defer w.end()
	exists, err := s.client.BucketExists(w.ctx, s.bucket)
	switch {
	case err != nil:
		return w.fault(op, "", err)
	case exists:
		return nil
	case !s.createBucket:
		return w.fault(op, "", minio.ErrorResponse{Code: minio.NoSuchBucket})
	}
	err = s.client.MakeBucket(w.ctx, s.bucket, minio.MakeBucketOptions{})
	if err == nil || codeOf(err) == minio.BucketAlreadyOwnedByYou {
		return nil // this call created it, or a faster one did
	}
	return w.fault(op, "", err)
}

// Presign implements artifacts.Presigner. The time to live, ttl, must be from one second to one week.
func (s *Store) Presign(ctx context.Context, id, disposition string, ttl time.Duration) (string, error) {
	const op = "s3store.Presign"
	switch {
	case !artifacts.ValidID(id):
		return "", artifacts.NotFound(op, id)
	case ttl < time.Second || ttl > maxPresign:
		return "", fault.New(op, sdkapi.Internal, "invalid lifetime %v of a link; expected 1s to %v", ttl, maxPresign)
	}
	w := watchStalls(ctx, s.stallLimit) // it may have to request the region
	defer w.end()
	params := url.Values{}
	if disposition != "" {
		params.Set("response-content-disposition", disposition)
	}
	link, err := s.client.PresignedGetObject(w.ctx, s.bucket, s.key(id), ttl, params)
	if err != nil {
		return "", w.fault(op, id, err)
	}
	return link.String(), nil
}

// key returns the name of an artifact's object.
func (s *Store) key(id string) string { return s.prefix + id }

// Names of user metadata in a response's headers.
const (
	metaSHA256  = "Sha256"
	metaCreated = "Created"
	metaUpload  = "Upload"
	metaPieces  = "Pieces"
)

// infoOf describes an object. It fails with ArtifactNotFound for an object that Put has not
// created.
func infoOf(op, id string, object minio.ObjectInfo) (artifacts.Info, error) {
	created, err := time.Parse(time.RFC3339, object.UserMetadata[metaCreated])
	if err == nil && object.UserMetadata[metaSHA256] == "" {
		err = errors.New("the object's metadata has no sha256")
	}
	if err != nil {
		return artifacts.Info{}, artifacts.NotFound(op, id).Because(err)
	}
	if object.Size < 0 {
		return artifacts.Info{}, fault.New(op, sdkapi.StorageUnavailable, "the artifact storage does not return the size of artifacts, which the gateway needs; use an S3 server that returns Content-Length")
	}
	return artifacts.Info{
		ID: id, ContentType: object.ContentType, Size: object.Size,
		SHA256: object.UserMetadata[metaSHA256], CreatedAt: created.UTC(),
	}, nil
}

// piecesOf returns the piece checksums of an object, nil if there are none. For damaged checksums
// it returns ones that fit no artifact.
func piecesOf(object minio.ObjectInfo) (sums artifacts.Pieces) {
	text := object.UserMetadata[metaPieces]
	if text == "" && object.Size > 0 {
		return nil
	}
	if sums.UnmarshalText([]byte(text)) != nil {
		return artifacts.Pieces{}
	}
	return sums
}

// listPage is the maximum number of objects in one response, S3's own limit.
const listPage = 1000

// Walk implements artifacts.Walker. It returns the ids in byte order, because S3 lists names in this
// order.
func (s *Store) Walk(ctx context.Context, after string, limit int) (ids []string, err error) {
	const op = "s3store.List"
	w := watchStalls(ctx, s.stallLimit)
	defer w.end()
	options := minio.ListObjectsOptions{Prefix: s.prefix, StartAfter: s.prefix + after, Recursive: true, MaxKeys: min(listPage, limit)}
	for object := range s.client.ListObjectsIter(w.ctx, s.bucket, options) {
		w.moved()
		if object.Err != nil {
			return nil, w.fault(op, "", object.Err)
		}
		if id := strings.TrimPrefix(object.Key, s.prefix); artifacts.ValidID(id) {
			ids = append(ids, id)
		}
		if len(ids) >= limit {
			break
		}
	}
	if ctx.Err() != nil {
		return nil, w.fault(op, "", ctx.Err())
	}
	return ids, nil
}

// noSuchUpload is S3's code for an upload that has ended.
const noSuchUpload = "NoSuchUpload"

// Sweep implements artifacts.Sweeper. It aborts unfinished multipart uploads that began before the given time, if their
// object name is the name of an artifact. Proxies create such uploads when they split an upload. Unfinished uploads
// cost money and appear in no list of objects. If the access keys lack the rights for this, Sweep does nothing.
func (s *Store) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	const op = "s3store.Sweep"
	w := watchStalls(ctx, s.stallLimit)
	defer w.end()
	note := func(callErr error) {
		if callErr != nil && err == nil && !notForUs(callErr) {
			err = w.fault(op, "", callErr) // the first error is enough
		}
	}
	var keyMarker, uploadMarker string
	for {
		w.moved()
		page, listErr := s.client.ListMultipartUploads(w.ctx, s.bucket, s.prefix, keyMarker, uploadMarker, "", 0)
		note(listErr)
		for _, upload := range page.Uploads {
			if !artifacts.ValidID(strings.TrimPrefix(upload.Key, s.prefix)) || !upload.Initiated.Before(before) {
				continue
			}
			w.moved()
			abortErr := s.client.AbortMultipartUpload(w.ctx, s.bucket, upload.Key, upload.UploadID)
			note(abortErr)
			if abortErr == nil {
				removed++
			}
		}
		// A server that ignores markers.
		again := page.NextKeyMarker == keyMarker && page.NextUploadIDMarker == uploadMarker
		if listErr != nil || !page.IsTruncated || again || ctx.Err() != nil {
			return removed, err
		}
		keyMarker, uploadMarker = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// notForUs reports whether an upload cannot be listed or aborted for a harmless reason: the keys
// lack the right, the server lacks the feature, or the upload has ended.
func notForUs(err error) bool {
	switch codeOf(err) {
	case minio.AccessDenied, minio.NotImplemented, noSuchUpload:
		return true
	}
	return false
}

// Limits of connections. If connecting takes longer, it is tried again within the stall limit.
const (
	dialLimit = 10 * time.Second
	tlsLimit  = 10 * time.Second
	idleLimit = time.Minute

	// Bodies of askFrom or more bytes are sent only when the server has answered "100 Continue", or
	// has not answered for askLimit. If a server refuses a request and closes the connection during
	// a body, net/http fails on the body, and the refusal is lost.
	askFrom  = 1 << 20
	askLimit = time.Second
)

// transport sends HTTP requests to the server. It has no response timeout, because minio-go would
// retry after one; the watch limits the wait.
type transport struct{ *http.Transport }

// newTransport returns a transport without a limit for the total time of a request, with the proxy
// of the environment.
func newTransport() *transport {
	dialer := &net.Dialer{Timeout: dialLimit, KeepAlive: 30 * time.Second}
	return &transport{&http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   tlsLimit,
		ExpectContinueTimeout: askLimit,
		IdleConnTimeout:       idleLimit,
		MaxIdleConnsPerHost:   16,
		DisableCompression:    true, // an object stored as gzip must arrive as gzip
	}}
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.ContentLength >= askFrom {
		req = req.Clone(req.Context()) // the caller owns the request
		req.Header.Set("Expect", "100-continue")
	}
	return t.Transport.RoundTrip(req)
}
