package testkit

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// How long an S3 server may take to answer for the first time, and how many
// are started in turn should a port turn out to be taken.
const (
	s3Patience = 10 * time.Second
	s3Starts   = 3
)

// S3Server is a running S3 server with one empty bucket.
type S3Server struct {
	Endpoint  string // as http://127.0.0.1:41234
	Region    string
	Bucket    string
	AccessKey string
	SecretKey string
	Folders   []string // in which it keeps everything, to look into
}

// S3 starts an S3 server of the test's own, versitygw on a temporary folder, which ends with the
// test. Its output is logged if the test fails.
func S3(t testing.TB) S3Server {
	t.Helper()
	program := findTool(t, "versitygw")
	server := S3Server{Region: "us-east-1", Bucket: "windie-test", AccessKey: "test-access", SecretKey: "test-secret-of-some-length"}
	// The server keeps a bucket as a folder. What belongs to an object beside
	// its content goes to a sidecar: the file system may lack attributes.
	data, sidecar := t.TempDir(), t.TempDir()
	server.Folders = []string{data, sidecar}
	if err := os.Mkdir(filepath.Join(data, server.Bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	for range s3Starts {
		addr := freeAddr(t)
		health := "/health-" + rand.Text() // which nobody else on that address has
		server.Endpoint = "http://" + addr
		cmd := exec.CommandContext(t.Context(), program, "--port", addr, "--region", server.Region, "--keep-alive", "--health", health,
			"posix", "--sidecar", sidecar, data)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+server.AccessKey, "ROOT_SECRET_KEY="+server.SecretKey)
		if err = startChild(t, cmd, server.Endpoint+health); err == nil {
			return server
		}
	}
	t.Fatalf("versitygw: %v", err)
	return server
}

// findTool returns the path of a program that 'make deps' installs, or skips the test.
func findTool(t testing.TB, name string) string {
	t.Helper()
	if program := filepath.Join(RepoRoot(t), ".tools", "bin", name); isProgram(program) {
		return program
	}
	program, err := exec.LookPath(name)
	if err != nil {
		Skip(t, "the program "+name, "make deps")
	}
	return program
}

func isProgram(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// freeAddr returns a loopback address on which nothing listens. Until the
// caller does, something else may: it then has to try another.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// startChild starts cmd, whose context is to end with the test, and waits
// until url answers. The child ends before the test's temporary folders go.
func startChild(t testing.TB, cmd *exec.Cmd, url string) error {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = s3Patience // should a grandchild hold on to the output
	dieWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // cmd.ProcessState says as much
		close(ended)
	}()
	if err := waitFor(url, ended); err != nil {
		_ = cmd.Process.Kill()
		<-ended
		return fmt.Errorf("%w (%v); it printed:\n%s", err, cmd.ProcessState, output.String())
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the context, which has ended, does so too
		<-ended
		if t.Failed() {
			t.Logf("%s printed:\n%s", filepath.Base(cmd.Path), output.String())
		}
	})
	return nil
}

// waitFor waits until url answers with 200, and stops when the server ends.
func waitFor(url string, ended <-chan struct{}) error {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for deadline := time.Now().Add(s3Patience); time.Now().Before(deadline); {
		resp, err := client.Get(url)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ended:
			return errors.New("the process ended before it answered")
		case <-time.After(10 * time.Millisecond):
		}
	}
	return fmt.Errorf("no answer from %s in %v", url, s3Patience)
}
