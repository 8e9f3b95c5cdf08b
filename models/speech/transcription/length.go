package transcription

import "time"

// FileLength returns how long a compressed recording plays, and how many bytes of it are something else or cannot be read: all of a file
// that is no Opus in Ogg or WebM, no MP3, and no M4A. It takes any bytes, and decodes no sound.
func FileLength(file []byte) (plays time.Duration, unread int) {
	if plays = readMP4(file); plays > 0 {
		return plays, 0
	}
	if plays, unread = OpusLength(file); plays > 0 {
		return plays, unread
	}
	return readMP3(file)
}
