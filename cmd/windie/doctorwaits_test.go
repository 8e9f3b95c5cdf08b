//go:build system

package main

import (
	"net"
	"testing"
)

// A database that takes connections and says nothing is found to be wrong, and holds doctor up no longer than a check may take.
func TestDoctorOfASilentDatabase(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	if got := checkedPostgres(t, silent.Addr().String()); got[0].OK {
		t.Errorf("%+v", got[0])
	}
}
