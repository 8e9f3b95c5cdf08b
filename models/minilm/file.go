package minilm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// The files of the only supported version of the model, with their sizes in bytes and SHA-256.
const (
	weightsFile  = "model.safetensors"
	weightsBytes = 90_868_376
	weightsSum   = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

	vocabularyFile  = "vocab.txt"
	vocabularyBytes = 231_508
	vocabularySum   = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
)

// readWhole returns the content of a file. It fails unless size and SHA-256 match.
func readWhole(path string, size int64, sum string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != size {
		return nil, fmt.Errorf("%s has %d bytes, but the file of all-MiniLM-L6-v2 has %d bytes; fetch it again", path, info.Size(), size)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	if found := sha256.Sum256(data); hex.EncodeToString(found[:]) != sum {
		return nil, fmt.Errorf("%s is damaged: its SHA-256 is %x, but the SHA-256 of all-MiniLM-L6-v2 is %s; fetch it again", path, found, sum)
	}
	return data, nil
}
