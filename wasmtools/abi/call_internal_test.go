package abi

import "testing"

// An instance that waits for its next run holds no data of the last one.
func TestEndReleasesTheData(t *testing.T) {
	t.Parallel()
	c := &Call{}
	if err := c.Begin(t.Context(), nil, Limits{InputBytes: 10, OutputBytes: 10, HostCalls: 1}, []byte("input")); err != nil {
		t.Fatal(err)
	}
	if n := c.operate(t.Context(), "no such operation", nil); n >= 0 || len(c.answer) != int(-n) {
		t.Fatalf("the answer has %d bytes of %d", len(c.answer), n)
	}
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	if c.input != nil || c.unread != nil || c.answer != nil || c.vars != nil {
		t.Errorf("it holds the input %q, %q, the answer %q and the variables %v", c.input, c.unread, c.answer, c.vars)
	}
}
