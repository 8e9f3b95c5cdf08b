// Command cutfile writes the parts of a traineddata file that the reader needs:
//
//	go run ./perception/lstm/cutfile FROM TO
//
// testdata/eng.traineddata of package lstm was made by it.
package main

import (
	"fmt"
	"os"

	"github.com/windieos/windie/perception/lstm"
)

// main exits with 2 for wrong arguments and with 1 for an error.
func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: cutfile FROM TO")
		os.Exit(2)
	}
	if err := cut(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "cutfile:", err)
		os.Exit(1)
	}
}

// cut reads a traineddata file and writes its needed parts to a file that only the user can read. If it fails before
// the write, it leaves an existing file alone.
func cut(from, to string) error {
	whole, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	data, err := lstm.Cut(whole)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.WriteFile(to, data, 0o600)
}
