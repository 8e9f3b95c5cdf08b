package lstm

import (
	"bytes"
	"encoding/binary"
)

// partVersion is the part with the name of the model, for example "4.00.00alpha:eng:synth20170629".
const partVersion = 23

// Cut returns a traineddata file that has only the parts that Load needs, and the name of the
// model. The file for English becomes a tenth as large, because most of the file is word lists. Cut
// fails if Load fails.
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
		offset := int64(-1) // a missing part
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
