package transcription

import "time"

// FileLength returns the duration of a compressed recording, and how many of its bytes are
// unreadable or of another kind. For a file other than Opus in Ogg or WebM, MP3 or M4A, these are
// all bytes. It accepts any bytes and decodes no sound.
func FileLength(file []byte) (plays time.Duration, unread int) {
	if plays = readMP4(file); plays > 0 {
		return plays, 0
	}
	if plays, unread = OpusLength(file); plays > 0 {
		return plays, unread
	}
	return readMP3(file)
}
