package gateway

// truncate cuts a text to so many bytes, at a character's end.
func truncate(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most]
}
