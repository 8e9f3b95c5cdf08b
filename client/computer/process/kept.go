package process

import (
	"bytes"
	"fmt"
	"sync"
)

// kept is a writer that stores the beginning and the end of its input, and counts the rest.
type kept struct {
	half int // bytes of each half

	mu         sync.Mutex
	head, tail []byte
	missing    int64
}

// Write implements io.Writer.
func (k *kept) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(p)
	if room := k.half - len(k.head); room > 0 {
		take := min(room, len(p))
		k.head, p = append(k.head, p[:take]...), p[take:]
	}
	k.tail = append(k.tail, p...)
	if over := len(k.tail) - k.half; over > 0 {
		k.missing += int64(over)
		k.tail = append(k.tail[:0], k.tail[over:]...)
	}
	return n, nil
}

// String returns the stored input in valid UTF-8.
func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := bytes.Clone(k.head)
	if k.missing > 0 {
		all = fmt.Appendf(all, "\n… %d bytes left out …\n", k.missing)
	}
	return string(bytes.ToValidUTF8(append(all, k.tail...), []byte("\uFFFD")))
}
