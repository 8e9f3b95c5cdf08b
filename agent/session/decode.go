package session

import (
	"bytes"
	"encoding/json"

	"github.com/windieos/windie/state/journal"
)

// Decode returns the data of an event; nil for an unknown kind, which a newer
// gateway wrote. The state and the protocols' views are type switches over it.
func Decode(e journal.Event) (Event, error) {
	decoder, known := decoders[e.Kind]
	if !known {
		return nil, nil
	}
	return decoder(e)
}

// As returns the data of an event if it is a T. It decodes no other kinds.
func As[T Event](e journal.Event) (data T, is bool, err error) {
	if is = e.Kind == data.kind(); is {
		err = json.Unmarshal(e.Data, &data)
	}
	return data, is, err
}

// decode is a decoder of events whose data is a T.
func decode[T Event](e journal.Event) (Event, error) {
	var data T
	err := json.Unmarshal(e.Data, &data)
	return data, err
}

// encode returns events for the journal.
func encode[E Event](events []E) ([]journal.Event, error) {
	list := make([]journal.Event, len(events))
	for i, e := range events {
		data, err := marshal(e)
		if err != nil {
			return nil, err
		}
		list[i] = journal.Event{Kind: e.kind(), Data: data}
	}
	return list, nil
}

// marshal returns JSON that no page embeds: "<" takes one byte in it, and not six.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
