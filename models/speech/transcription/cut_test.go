//go:build system

package transcription_test

// ways returns all ways to send a recording.
func ways[T any](all map[string]T) map[string]T { return all }
