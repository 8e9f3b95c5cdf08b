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

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string // of Config
	Text  string // what is wrong with it, and what would be right
}

func (p Problem) String() string { return p.Field + ": " + p.Text }

// Check returns all that is wrong with c, as far as c alone says it.
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
	add("Bucket", c.Bucket == "", "is empty; name the bucket to keep artifacts in")
	if err := s3utils.CheckValidBucketNameStrict(c.Bucket); err != nil && c.Bucket != "" {
		add("Bucket", true, "%q is no name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens, such as windie-artifacts", c.Bucket)
	}
	add("AccessKey", c.AccessKey == "", "is empty; set it to the id of a key that may use the bucket")
	add("SecretKey", c.SecretKey == "", "is empty; set it to the secret of that key")
	_, err = c.keyPrefix()
	addErr("Prefix", err)
	add("StallLimit", c.StallLimit < 0, "%v is negative", c.StallLimit)
	return problems
}

// store checks c and makes a store of it. It talks to nobody.
func (c Config) store() (*Store, error) {
	var err error
	for _, wrong := range c.Check() {
		err = errors.Join(err, errors.New(wrong.String()))
	}
	spoolDir, spoolErr := c.spool()
	if err = errors.Join(err, spoolErr); err != nil {
		return nil, fmt.Errorf("s3store: the configuration is wrong:\n%w", err)
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
		return nil, fmt.Errorf("s3store: the configuration is wrong:\nEndpoint: %w", err)
	}
	s.client = *client
	return s, nil
}

// endpoint splits Endpoint into the host and whether to use TLS.
func (c Config) endpoint() (host string, secure bool, err error) {
	const want = "set it to host:port, or to a URL as https://s3.example.com"
	if c.Endpoint == "" {
		return "", false, fmt.Errorf("is empty; %s", want)
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
	case err != nil || u.Hostname() == "" || u.Port() != "" && !isPort(u.Port()):
		return "", false, fmt.Errorf("is no address; %s", want)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", false, fmt.Errorf("the scheme %q is neither http nor https", u.Scheme)
	case u.User != nil:
		return "", false, errors.New("holds a user; set the access key and the secret key instead")
	case u.Path != "" && u.Path != "/", u.RawQuery != "", u.Fragment != "":
		return "", false, errors.New("has more than a host; name the bucket and the prefix by themselves")
	}
	return u.Host, u.Scheme == "https", nil
}

// isPort reports whether s is the number of a port that one can connect to.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// keyPrefix returns Prefix with one slash at its end, or nothing.
func (c Config) keyPrefix() (string, error) {
	prefix := strings.TrimSuffix(c.Prefix, "/")
	if prefix == "" {
		return "", nil
	}
	for part := range strings.SplitSeq(prefix, "/") {
		if part == "" || part == "." || part == ".." {
			return "", fmt.Errorf("%q is not a path of plain names, such as windie/screens", c.Prefix)
		}
	}
	if err := s3utils.CheckValidObjectNamePrefix(prefix); err != nil {
		return "", err
	}
	return prefix + "/", nil
}

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
