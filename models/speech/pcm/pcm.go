// Package pcm is sound as numbers: samples of 16 bits, one channel, at a rate of so many a second.
package pcm

import "encoding/binary"

// Decode returns the samples in bytes, which are little endian. A byte that is left over is not looked at.
func Decode(sound []byte) []int16 {
	out := make([]int16, len(sound)/2)
	for i := range out {
		out[i] = int16(binary.LittleEndian.Uint16(sound[2*i:]))
	}
	return out
}

// Encode returns samples as bytes, little endian.
func Encode(sound []int16) []byte {
	out := make([]byte, 0, 2*len(sound))
	for _, s := range sound {
		out = binary.LittleEndian.AppendUint16(out, uint16(s))
	}
	return out
}

// WAV returns a file of sound in the format RIFF WAVE of 16 bits, one channel, at a rate in Hz.
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
	out = le.AppendUint16(out, 1) // channel
	out = le.AppendUint32(out, uint32(rate))
	out = le.AppendUint32(out, uint32(rate*bytesPerSample))
	out = le.AppendUint16(out, bytesPerSample)
	out = le.AppendUint16(out, 8*bytesPerSample)
	out = append(out, "data"...)
	out = le.AppendUint32(out, size)
	return append(out, Encode(sound)...)
}
