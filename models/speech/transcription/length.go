package transcription

import "time"

// FileLength returns the duration of a compressed recording, and the number of bytes that it could
// not read as sound. It knows Opus in Ogg or WebM, MP3 and M4A. For any other file, the number is
// the size of the file. FileLength accepts any bytes and decodes no sound.
func FileLength(file []byte) (plays time.Duration, unread int) {
	if plays = readMP4(file); plays > 0 {
		return plays, 0
	}
	if plays, unread = OpusLength(file); plays > 0 {
		return plays, unread
	}
	return readMP3(file)
}
