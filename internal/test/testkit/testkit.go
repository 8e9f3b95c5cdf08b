// Package testkit has helpers for tests, and the servers they run against.
//
//	server := testkit.S3(t) // skips the test where there is no S3 server
package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// strictEnv names the variable that, set to 1, allows no skips.
const strictEnv = "WINDIE_TEST_STRICT"

// Skip skips a test that cannot run here, and says what is missing and how to
// get it. With WINDIE_TEST_STRICT=1 the test fails instead: where everything
// is meant to be there, a skip hides something.
func Skip(t testing.TB, missing, howToGet string) {
	t.Helper()
	if os.Getenv(strictEnv) == "1" {
		t.Fatalf("%s is missing, and %s=1 allows no skips; to get it: %s", missing, strictEnv, howToGet)
	}
	t.Skipf("%s is missing; to get it: %s", missing, howToGet)
}

// Kernel returns what tests that read screens have the reader compute with, one
// of lstm.Kernels, as WINDIE_TEST_KERNEL says; empty for the machine's fastest.
func Kernel() string { return os.Getenv("WINDIE_TEST_KERNEL") }

// RepoRoot returns the folder that holds go.mod, above the test's own.
func RepoRoot(t testing.TB) string {
	t.Helper()
	start, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("there is no go.mod in %s or above it", start)
		}
	}
}

// Network returns the file of a network of Tesseract: its network of English, without its lists of words. It is cut out of
// the file in Debian's package tesseract-ocr-eng 1:4.1.0-2, whose SHA-256 is
// 7d4322bd2a7749724879683fc3912cb542f19906c83bcc1a52132556427170b2, by perception/lstm/cutfile.
func Network(t testing.TB) string {
	t.Helper()
	return filepath.Join(RepoRoot(t), "perception", "lstm", "testdata", "eng.traineddata")
}
