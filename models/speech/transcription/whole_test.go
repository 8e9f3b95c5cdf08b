//go:build !system

package transcription_test

// ways leaves out what is cut: each recording is waited for for seconds then. TestNova is cut all the same.
func ways[T any](all map[string]T) map[string]T {
	delete(all, "cut five times")
	return all
}
