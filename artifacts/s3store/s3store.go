// Package s3store keeps artifacts in a bucket of any S3-compatible server.
//
//	store, err := s3store.Open(ctx, s3store.Config{
//		Endpoint: "https://s3.example.com", Bucket: "artifacts",
//		AccessKey: key, SecretKey: secret,
//	})
//	if err != nil { ... }
//	defer store.Close()
//
// An artifact is one object, named Prefix and id, of the artifact's own
// content type. Its user metadata hold what S3 does not keep by itself:
//
//	sha256     of the content, lower-case hex
//	created    when it was put, as 2006-01-02T15:04:05Z
//	pieces     the sums of its pieces, in base64; absent for an artifact larger than 40 MB
//	upload     a random word that distinguishes one Put from another
//
// The keys need the rights s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket, without
// which missing objects look forbidden. Sweep needs s3:ListBucketMultipartUploads and
// s3:AbortMultipartUpload.
//
// A call gives up when nothing has moved for Config.StallLimit; as long as bytes flow it may take
// its time.
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

// maxAttempts is how often a request is made that meets a broken connection
// or a busy server, with pauses in between.
const maxAttempts = 4

// maxPresign is the longest that S3 lets a link live.
const maxPresign = 7 * 24 * time.Hour

// Store keeps artifacts in one bucket.
type Store struct {
	client       minio.Core
	transport    *transport
	bucket       string
	prefix       string // empty, or ends in a slash
	createBucket bool
	spoolDir     string // absolute
	stallLimit   time.Duration

	// unconditional is set when the server turns out not to know If-None-Match.
	unconditional atomic.Bool

	// keepsMetadata is set when the server has kept the metadata of an object.
	keepsMetadata atomic.Bool
}

var (
	_ artifacts.Store     = (*Store)(nil)
	_ artifacts.Presigner = (*Store)(nil)
	_ artifacts.Sweeper   = (*Store)(nil)
	_ artifacts.Walker    = (*Store)(nil)
	_ artifacts.Importer  = (*Store)(nil)
)

// Open returns the store that cfg describes, or an error that lists all that is wrong with cfg.
// With CreateBucket it makes the bucket; if the server is away, Ready reports it and tries again.
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

// Close drops idle connections. The store can be used, and closed, again.
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

// stat looks for an object. The answer to HEAD has no body to distinguish a
// missing object from a missing bucket, so for a missing one it looks for both.
func (s *Store) stat(ctx context.Context, id string) (minio.ObjectInfo, error) {
	object, err := s.client.StatObject(ctx, s.bucket, s.key(id), minio.StatObjectOptions{})
	if err == nil && object.Size < 0 { // some proxies take the length out of an answer to HEAD
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
		return nil // so it is not there
	}
	w := watchStalls(ctx, s.stallLimit)
	defer w.end()
	err := s.client.RemoveObject(w.ctx, s.bucket, s.key(id), minio.RemoveObjectOptions{})
	if err == nil || codeOf(err) == minio.NoSuchKey {
		return nil
	}
	return w.fault(op, id, err)
}

// Ready implements artifacts.Store. With Config.CreateBucket it makes a missing bucket.
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
		return nil // we made it, or someone who was faster
	}
	return w.fault(op, "", err)
}

// Presign implements artifacts.Presigner. A ttl is a second at least and a week at most.
func (s *Store) Presign(ctx context.Context, id, disposition string, ttl time.Duration) (string, error) {
	const op = "s3store.Presign"
	switch {
	case !artifacts.ValidID(id):
		return "", artifacts.NotFound(op, id)
	case ttl < time.Second || ttl > maxPresign:
		return "", fault.New(op, sdkapi.Internal, "a link cannot live for %v; from 1s to %v is possible", ttl, maxPresign)
	}
	w := watchStalls(ctx, s.stallLimit) // the region may have to be asked for
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

func (s *Store) key(id string) string { return s.prefix + id }

// Names of user metadata, as they come back in a header.
const (
	metaSHA256  = "Sha256"
	metaCreated = "Created"
	metaUpload  = "Upload"
	metaPieces  = "Pieces"
)

// infoOf describes an object. One that no Put has made is no artifact.
func infoOf(op, id string, object minio.ObjectInfo) (artifacts.Info, error) {
	created, err := time.Parse(time.RFC3339, object.UserMetadata[metaCreated])
	if err == nil && object.UserMetadata[metaSHA256] == "" {
		err = errors.New("there is no sha256 in its metadata")
	}
	if err != nil {
		return artifacts.Info{}, artifacts.NotFound(op, id).Because(err)
	}
	if object.Size < 0 {
		return artifacts.Info{}, fault.New(op, sdkapi.StorageUnavailable, "the artifact storage does not say how long artifacts are; it has to")
	}
	return artifacts.Info{
		ID: id, ContentType: object.ContentType, Size: object.Size,
		SHA256: object.UserMetadata[metaSHA256], CreatedAt: created.UTC(),
	}, nil
}

// piecesOf returns the sums of an object's pieces, nil if there are none. Sums that are damaged do
// not fit any artifact.
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

// listPage is how many objects one request lists at most, which S3 bounds too.
const listPage = 1000

// Walk implements artifacts.Walker. S3 lists names in the order of their bytes.
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

// noSuchUpload is what S3 says of an upload that has ended.
const noSuchUpload = "NoSuchUpload"

// Sweep implements artifacts.Sweeper: it aborts multipart uploads under artifacts' names that were
// begun before a time and never ended. Proxies that split uploads make them, and they cost money
// unlisted. Without the rights, Sweep does nothing.
func (s *Store) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	const op = "s3store.Sweep"
	w := watchStalls(ctx, s.stallLimit)
	defer w.end()
	note := func(callErr error) {
		if callErr != nil && err == nil && !notForUs(callErr) {
			err = w.fault(op, "", callErr) // the first says enough
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
		again := page.NextKeyMarker == keyMarker && page.NextUploadIDMarker == uploadMarker // as a server might that does not know markers
		if listErr != nil || !page.IsTruncated || again || ctx.Err() != nil {
			return removed, err
		}
		keyMarker, uploadMarker = page.NextKeyMarker, page.NextUploadIDMarker
	}
}

// notForUs reports whether an upload cannot be listed or aborted because the keys may not, the
// server does not know how, or somebody was faster.
func notForUs(err error) bool {
	switch codeOf(err) {
	case minio.AccessDenied, minio.NotImplemented, noSuchUpload:
		return true
	}
	return false
}

// Limits of the connections. A server that takes longer to set one up is tried
// again, within the stall limit.
const (
	dialLimit = 10 * time.Second
	tlsLimit  = 10 * time.Second
	idleLimit = time.Minute

	// Bodies from askFrom bytes on are sent only when the server says to go on, or says nothing for
	// askLimit: if a server refuses and closes the connection during a body, net/http fails on the
	// body, and the refusal is lost.
	askFrom  = 1 << 20
	askLimit = time.Second
)

// transport speaks HTTP with the server. Only the watch limits the wait for an answer: minio-go
// would retry after a timeout.
type transport struct{ *http.Transport }

func newTransport() *transport {
	dialer := &net.Dialer{Timeout: dialLimit, KeepAlive: 30 * time.Second}
	return &transport{&http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   tlsLimit,
		ExpectContinueTimeout: askLimit,
		IdleConnTimeout:       idleLimit,
		MaxIdleConnsPerHost:   16,
		DisableCompression:    true, // an object stored as gzip is to arrive as gzip
	}}
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.ContentLength >= askFrom {
		req = req.Clone(req.Context()) // the request is not ours to change
		req.Header.Set("Expect", "100-continue")
	}
	return t.Transport.RoundTrip(req)
}
