package s3store

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// DefaultStallLimit is what a Config.StallLimit of zero stands for.
const DefaultStallLimit = 30 * time.Second

// Config says where artifacts are kept, and how.
type Config struct {
	// Endpoint is the server: host:port, host, or a URL without a path. The
	// scheme of a URL, http or https, decides in place of Secure. Required.
	Endpoint string

	// Bucket is the bucket's name. Required.
	Bucket string

	// Prefix is what the names of objects begin with, as a folder:
	// "windie" and "windie/" mean the same. Empty means no prefix.
	Prefix string

	// Region is where the bucket is, as "eu-central-1"; if empty, the server is asked once.
	Region string

	// AccessKey and SecretKey sign the requests. Both are required.
	AccessKey string `json:"-"`
	SecretKey string `json:"-"`

	// Secure asks for TLS where Endpoint has no scheme. False means plain
	// HTTP, over which content travels in the clear.
	Secure bool

	// PathStyle puts the bucket into the path of URLs, not into the host name. False depends on
	// Endpoint: Amazon, Google and Aliyun get the host name, all others the path.
	PathStyle bool

	// SSE is how the server encrypts what it stores: "s3" with its own keys, "kms:KEYID" with that
	// key of its key service. Empty leaves it to the bucket's setting.
	SSE string

	// CreateBucket makes the bucket if it does not exist, for which keys need the right.
	CreateBucket bool

	// SpoolDir is where content waits until its size and SHA-256 are known; each Put in progress
	// takes up its size there. It is created if need be. Empty means the system's folder for
	// temporary files.
	SpoolDir string

	// StallLimit is how long a call waits while nothing moves between here and the server; on a
	// slow line it must be long enough for a few megabytes in the system's buffers. Zero means
	// DefaultStallLimit.
	StallLimit time.Duration
}

// String leaves the keys out, so that a Config may be logged.
func (c Config) String() string {
	return fmt.Sprintf("bucket %q at %s", c.Bucket, c.Endpoint)
}

// GoString leaves the keys out as well.
func (c Config) GoString() string { return c.String() }

// store checks c and makes a store of it. It talks to nobody.
func (c Config) store() (*Store, error) {
	host, secure, endpointErr := c.endpoint()
	prefix, prefixErr := c.keyPrefix()
	sse, sseErr := c.encryption()
	spoolDir, spoolErr := c.spool()
	err := errors.Join(endpointErr, c.checkNames(), prefixErr, sseErr, spoolErr)
	if c.StallLimit < 0 {
		err = errors.Join(err, problem("StallLimit", "%v is negative", c.StallLimit))
	}
	if err != nil {
		return nil, fmt.Errorf("s3store: the configuration is wrong:\n%w", err)
	}
	s := &Store{
		bucket: c.Bucket, prefix: prefix, sse: sse,
		createBucket: c.CreateBucket, spoolDir: spoolDir, stallLimit: cmp.Or(c.StallLimit, DefaultStallLimit),
	}
	s.transport = newTransport()
	lookup := minio.BucketLookupAuto
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.NewCore(host, &minio.Options{
		Creds:  credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""),
		Secure: secure, Region: c.Region, BucketLookup: lookup,
		Transport: s.transport, MaxRetries: maxAttempts,
	})
	if err != nil {
		return nil, fmt.Errorf("s3store: the configuration is wrong:\n%w", problem("Endpoint", "%w", err))
	}
	s.client = *client
	return s, nil
}

func (c Config) checkNames() error {
	var problems []error
	if err := s3utils.CheckValidBucketNameStrict(c.Bucket); err != nil {
		problems = append(problems, problem("Bucket", "%w", err))
	}
	if c.AccessKey == "" {
		problems = append(problems, problem("AccessKey", "is empty"))
	}
	if c.SecretKey == "" {
		problems = append(problems, problem("SecretKey", "is empty"))
	}
	return errors.Join(problems...)
}

func problem(field, format string, args ...any) error {
	return fmt.Errorf("%s: %w", field, fmt.Errorf(format, args...))
}

// endpoint splits Endpoint into the host and whether to use TLS.
func (c Config) endpoint() (host string, secure bool, err error) {
	const want = "set it to host:port, or to a URL as https://s3.example.com"
	if c.Endpoint == "" {
		return "", false, problem("Endpoint", "is empty; %s", want)
	}
	text := c.Endpoint
	switch hasScheme := strings.Contains(text, "://"); {
	case !hasScheme && c.Secure:
		text = "https://" + text
	case !hasScheme:
		text = "http://" + text
	}
	// What cannot be parsed is not repeated: it may hold a password.
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "":
		return "", false, problem("Endpoint", "is no address; %s", want)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", false, problem("Endpoint", "the scheme %q is neither http nor https", u.Scheme)
	case u.User != nil:
		return "", false, problem("Endpoint", "holds a user; keys belong in AccessKey and SecretKey")
	case u.Path != "" && u.Path != "/", u.RawQuery != "", u.Fragment != "":
		return "", false, problem("Endpoint", "has more than a host; buckets belong in Bucket, folders in Prefix")
	}
	return u.Host, u.Scheme == "https", nil
}

// keyPrefix returns Prefix with one slash at its end, or nothing.
func (c Config) keyPrefix() (string, error) {
	prefix := strings.TrimSuffix(c.Prefix, "/")
	if prefix == "" {
		return "", nil
	}
	for part := range strings.SplitSeq(prefix, "/") {
		if part == "" || part == "." || part == ".." {
			return "", problem("Prefix", "%q is not a path of plain names", c.Prefix)
		}
	}
	if err := s3utils.CheckValidObjectNamePrefix(prefix); err != nil {
		return "", problem("Prefix", "%w", err)
	}
	return prefix + "/", nil
}

func (c Config) encryption() (encrypt.ServerSide, error) {
	keyID, kms := strings.CutPrefix(c.SSE, "kms:")
	switch {
	case c.SSE == "":
		return nil, nil
	case c.SSE == "s3":
		return encrypt.NewSSE(), nil
	case kms && keyID != "":
		return encrypt.NewSSEKMS(keyID, nil)
	}
	return nil, problem("SSE", "%q is neither empty nor \"s3\" nor \"kms:\" and the id of a key", c.SSE)
}

func (c Config) spool() (string, error) {
	dir, err := filepath.Abs(cmp.Or(c.SpoolDir, os.TempDir()))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", problem("SpoolDir", "%w", err)
	}
	return dir, nil
}
