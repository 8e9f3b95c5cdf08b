package transcription_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain has many tests run at once: they wait more than they work.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
