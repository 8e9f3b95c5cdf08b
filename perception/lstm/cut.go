package lstm

import (
	"bytes"
	"encoding/binary"
)

// partVersion is a line of text that names the model, as "4.00.00alpha:eng:synth20170629".
const partVersion = 23

// Cut returns a traineddata file with only what Load reads of data, and the line that names the
// model. English becomes a tenth as large: most of its file is lists of words.
func Cut(data []byte) ([]byte, error) {
	if _, err := Load(data); err != nil {
		return nil, err
	}
	found, err := parts(data)
	if err != nil {
		return nil, err
	}
	const count = partVersion + 1
	head := binary.LittleEndian.AppendUint32(nil, count)
	var body bytes.Buffer
	for part := range count {
		offset := int64(-1) // of a missing part
		switch part {
		case partLSTM, partUnicharset, partRecoder, partVersion:
			if content, ok := found[part]; ok {
				offset = int64(4 + 8*count + body.Len())
				body.Write(content)
			}
		}
		head = binary.LittleEndian.AppendUint64(head, uint64(offset))
	}
	return append(head, body.Bytes()...), nil
}
