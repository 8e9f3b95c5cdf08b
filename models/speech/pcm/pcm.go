// Package pcm handles uncompressed sound: 16-bit samples of one channel.
package pcm

import "encoding/binary"

// Decode converts little-endian bytes to samples. If the number of bytes is odd, it ignores the
// last byte.
func Decode(sound []byte) []int16 {
	out := make([]int16, len(sound)/2)
	for i := range out {
		out[i] = int16(binary.LittleEndian.Uint16(sound[2*i:]))
	}
	return out
}

// Encode converts samples to little-endian bytes.
func Encode(sound []int16) []byte {
	out := make([]byte, 0, 2*len(sound))
	for _, s := range sound {
		out = binary.LittleEndian.AppendUint16(out, uint16(s))
	}
	return out
}

// WAV returns a WAV file (RIFF WAVE, 16 bits, one channel) with the sound at a rate in Hz.
func WAV(sound []int16, rate int) []byte {
	const header, format, bytesPerSample = 44, 16, 2
	size := uint32(len(sound) * bytesPerSample)
	le := binary.LittleEndian
	out := make([]byte, 0, header+int(size))
	out = append(out, "RIFF"...)
	out = le.AppendUint32(out, header-8+size)
	out = append(out, "WAVEfmt "...)
	out = le.AppendUint32(out, format)
	out = le.AppendUint16(out, 1) // PCM
	out = le.AppendUint16(out, 1) // one channel
	out = le.AppendUint32(out, uint32(rate))
	out = le.AppendUint32(out, uint32(rate*bytesPerSample))
	out = le.AppendUint16(out, bytesPerSample)
	out = le.AppendUint16(out, 8*bytesPerSample)
	out = append(out, "data"...)
	out = le.AppendUint32(out, size)
	return append(out, Encode(sound)...)
}
