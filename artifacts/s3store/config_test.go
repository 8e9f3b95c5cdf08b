package s3store_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/artifacts/s3store"
)

// TestOpenListsAllProblems opens a store with several invalid settings. The error must list all of
// them.
func TestOpenListsAllProblems(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := s3store.Open(t.Context(), s3store.Config{
		Endpoint: "ftp://s3.example.com", Bucket: "Not A Bucket", Prefix: "a/../b", SpoolDir: file + "/below", StallLimit: -1,
	})
	if err == nil {
		t.Fatal("Open took it")
	}
	for _, field := range []string{"Endpoint", "Bucket", "Prefix", "AccessKey", "SecretKey", "SpoolDir", "StallLimit"} {
		if !strings.Contains(err.Error(), "\n"+field+": ") {
			t.Errorf("%s is not mentioned in: %v", field, err)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		change func(*s3store.Config)
		want   string // what the error says; empty for none
	}{
		{func(c *s3store.Config) {}, ""},
		{func(c *s3store.Config) { c.Endpoint = "" }, "Endpoint: the address is empty"},
		{func(c *s3store.Config) { c.Endpoint = "https://" }, "Endpoint: invalid address"},
		{func(c *s3store.Config) { c.Endpoint = "http://a b" }, "Endpoint: invalid address"},
		{func(c *s3store.Config) { c.Endpoint = "https://key:hush@s3.example.com" }, "Endpoint: the address contains a user name"},
		{func(c *s3store.Config) { c.Endpoint = "https://s3.example.com/bucket" }, "Endpoint: the address contains a path, a query or a fragment"},
		{func(c *s3store.Config) { c.Endpoint = "https://s3.example.com/" }, ""},
		{func(c *s3store.Config) { c.Endpoint = "https://s3_.example.com_" }, "Endpoint: "}, // which minio-go finds
		{func(c *s3store.Config) { c.Endpoint = "[::1]:9000" }, ""},
		{func(c *s3store.Config) { c.Prefix = "/" }, ""},
		{func(c *s3store.Config) { c.Prefix = "/a" }, "Prefix: "},
		{func(c *s3store.Config) { c.Prefix = "a//b" }, "Prefix: "},
		{func(c *s3store.Config) { c.Prefix = "a/b/" }, ""},
		{func(c *s3store.Config) { c.StallLimit = time.Hour }, ""},
	} {
		t.Run(fmt.Sprintf("%d %q", i, c.want), func(t *testing.T) {
			cfg := config(nowhere)
			c.change(&cfg)
			_, err := s3store.Open(t.Context(), cfg)
			if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
				t.Errorf("Open(%+v): %v, want %q", cfg, err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("the error repeats a password: %v", err)
			}
		})
	}
}

// TestEndpoint checks the scheme and the host that a store uses, by the URL of a link.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		endpoint string
		secure   bool
		want     string
	}{
		{"s3.example.com", false, "http://s3.example.com/windie-test/a.png"},
		{"s3.example.com", true, "https://s3.example.com/windie-test/a.png"},
		{"s3.example.com:9000", true, "https://s3.example.com:9000/windie-test/a.png"},
		{"http://s3.example.com", true, "http://s3.example.com/windie-test/a.png"},
		{"https://s3.example.com:443", false, "https://s3.example.com/windie-test/a.png"},
		{"https://s3.amazonaws.com", false, "https://windie-test.s3.dualstack.us-east-1.amazonaws.com/a.png"},
	} {
		t.Run(fmt.Sprint(c.endpoint, " ", c.want), func(t *testing.T) {
			cfg := config(nowhere)
			cfg.Endpoint, cfg.Secure = c.endpoint, c.secure
			link, err := open(t, cfg).Presign(t.Context(), "a.png", "", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse(link)
			if err != nil {
				t.Fatal(err)
			}
			if got := u.Scheme + "://" + u.Host + u.Path; got != c.want {
				t.Errorf("%s, Secure %v: the link is to %s, want %s", c.endpoint, c.secure, got, c.want)
			}
		})
	}
}

func TestConfigHidesItsKeys(t *testing.T) {
	t.Parallel()
	cfg := config(nowhere)
	cfg.AccessKey, cfg.SecretKey = "hush-access", "hush-secret"
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(format, cfg); strings.Contains(text, "hush") {
			t.Errorf("%s prints %s", format, text)
		}
	}
}
