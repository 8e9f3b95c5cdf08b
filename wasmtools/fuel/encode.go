package fuel

// appendU32 appends v as unsigned LEB128.
func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendSigned appends v as signed LEB128.
func appendSigned(b []byte, v int64) []byte {
	for v < -0x40 || v > 0x3f {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// appendName appends a name with its length.
func appendName(b []byte, name string) []byte {
	b = appendU32(b, uint32(len(name)))
	return append(b, name...)
}

// appendSized appends body with its size.
func appendSized(b, body []byte) []byte {
	b = appendU32(b, uint32(len(body)))
	return append(b, body...)
}
