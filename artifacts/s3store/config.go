package s3store

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// DefaultStallLimit is the stall limit if Config.StallLimit is zero.
const DefaultStallLimit = 30 * time.Second

// Config configures a Store.
type Config struct {
	// Endpoint is the server: host:port, host, or a URL without a path. A URL's scheme, http or
	// https, overrides Secure. Required.
	Endpoint string

	// Bucket is the bucket's name. Required.
	Bucket string

	// Prefix is the start of the names of all objects, like a folder: "windie" and "windie/" mean
	// the same prefix. Empty means no prefix.
	Prefix string

	// Region is the bucket's region, for example "eu-central-1". If it is empty, the Store asks the
	// server once.
	Region string

	// AccessKey and SecretKey sign the requests. Both are required.
	AccessKey string `json:"-"`
	SecretKey string `json:"-"`

	// Secure selects TLS if Endpoint has no scheme. False means plain HTTP, which does not encrypt
	// content.
	Secure bool

	// CreateBucket creates the bucket if it does not exist. The keys must have the right to create
	// buckets.
	CreateBucket bool

	// SpoolDir is a folder for content whose size and SHA-256 are not known yet. Each running Put
	// needs as much space there as its content has. The folder is created if necessary. Empty means
	// the system's folder for temporary files.
	SpoolDir string

	// StallLimit is the maximum time that a call waits while no data moves to or from the server.
	// On a slow line, this time must be enough to send a few megabytes from the system's buffers.
	// Zero means DefaultStallLimit.
	StallLimit time.Duration
}

// String returns the Config without its keys, for logs.
func (c Config) String() string {
	return fmt.Sprintf("bucket %q at %s", c.Bucket, c.Endpoint)
}

// GoString omits the keys, like String.
func (c Config) GoString() string { return c.String() }

// Problem is one error in a Config.
type Problem struct {
	Field string // name of the invalid field of Config
	Text  string // the error and the fix
}

func (p Problem) String() string { return p.Field + ": " + p.Text }

// Check returns all problems of c that it can find without the server.
func (c Config) Check() (problems []Problem) {
	add := func(field string, wrong bool, format string, args ...any) {
		if wrong {
			problems = append(problems, Problem{field, fmt.Sprintf(format, args...)})
		}
	}
	addErr := func(field string, err error) {
		if err != nil {
			add(field, true, "%v", err)
		}
	}
	_, _, err := c.endpoint()
	addErr("Endpoint", err)
	add("Bucket", c.Bucket == "", "is empty; set it to the name of the bucket for artifacts")
	if err := s3utils.CheckValidBucketNameStrict(c.Bucket); err != nil && c.Bucket != "" {
		add("Bucket", true, "invalid bucket name %q; expected 3 to 63 lower-case letters, digits, dots and hyphens, such as windie-artifacts", c.Bucket)
	}
	add("AccessKey", c.AccessKey == "", "is empty; set it to the id of a key that may use the bucket")
	add("SecretKey", c.SecretKey == "", "is empty; set it to the secret of that key")
	_, err = c.keyPrefix()
	addErr("Prefix", err)
	add("StallLimit", c.StallLimit < 0, "%v is negative; set it to a positive duration, or to 0 for the default", c.StallLimit)
	return problems
}

// store checks c and creates a store. It sends no request.
func (c Config) store() (*Store, error) {
	var err error
	for _, wrong := range c.Check() {
		err = errors.Join(err, errors.New(wrong.String()))
	}
	spoolDir, spoolErr := c.spool()
	if err = errors.Join(err, spoolErr); err != nil {
		return nil, fmt.Errorf("s3store: invalid configuration:\n%w", err)
	}
	host, secure, _ := c.endpoint()
	prefix, _ := c.keyPrefix()
	s := &Store{
		bucket: c.Bucket, prefix: prefix,
		createBucket: c.CreateBucket, spoolDir: spoolDir, stallLimit: cmp.Or(c.StallLimit, DefaultStallLimit),
	}
	s.transport = newTransport()
	client, err := minio.NewCore(host, &minio.Options{
		Creds:  credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""),
		Secure: secure, Region: c.Region, // the bucket is in the host name at Amazon, Google and Aliyun, else in the path
		Transport: s.transport, MaxRetries: maxAttempts,
	})
	if err != nil {
		return nil, fmt.Errorf("s3store: invalid configuration:\nEndpoint: %w", err)
	}
	s.client = *client
	return s, nil
}

// endpoint returns the host in Endpoint, and whether to use TLS.
func (c Config) endpoint() (host string, secure bool, err error) {
	const want = "set it to host:port, or to a URL such as https://s3.example.com"
	if c.Endpoint == "" {
		return "", false, fmt.Errorf("the address is empty; %s", want)
	}
	text := c.Endpoint
	switch hasScheme := strings.Contains(text, "://"); {
	case !hasScheme && c.Secure:
		text = "https://" + text
	case !hasScheme:
		text = "http://" + text
	}
	// An invalid URL is not repeated in the error: it may have a password.
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Port() != "" && !isPort(u.Port()):
		return "", false, fmt.Errorf("invalid address; %s", want)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", false, fmt.Errorf("invalid scheme %q; use http or https", u.Scheme)
	case u.User != nil:
		return "", false, errors.New("the address contains a user name; remove it, and set the access key and the secret key instead")
	case u.Path != "" && u.Path != "/", u.RawQuery != "", u.Fragment != "":
		return "", false, errors.New("the address contains a path, a query or a fragment; remove these parts, and set the bucket and the prefix separately")
	}
	return u.Host, u.Scheme == "https", nil
}

// isPort reports whether s is a valid port number, from 1 to 65535.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// keyPrefix returns Prefix with one slash at its end. An empty Prefix stays empty.
func (c Config) keyPrefix() (string, error) {
	prefix := strings.TrimSuffix(c.Prefix, "/")
	if prefix == "" {
		return "", nil
	}
	for part := range strings.SplitSeq(prefix, "/") {
		if part == "" || part == "." || part == ".." {
			return "", fmt.Errorf("invalid prefix %q; expected a path of plain names, such as windie/screens", c.Prefix)
		}
	}
	if err := s3utils.CheckValidObjectNamePrefix(prefix); err != nil {
		return "", err
	}
	return prefix + "/", nil
}

// spool returns the absolute path of the folder for temporary content, and creates the folder if it
// is missing.
func (c Config) spool() (string, error) {
	dir, err := filepath.Abs(cmp.Or(c.SpoolDir, os.TempDir()))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("SpoolDir: %w", err)
	}
	return dir, nil
}
