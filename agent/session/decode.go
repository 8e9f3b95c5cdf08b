package session

import (
	"bytes"
	"encoding/json"

	"github.com/windieos/windie/journal"
)

// Decode returns the data of an event: nil for a kind that this gateway does not
// know, as a newer one may have written the event. The state and the views of
// the protocols are type switches over the result.
func Decode(e journal.Event) (Event, error) {
	decoder, known := decoders[e.Kind]
	if !known {
		return nil, nil
	}
	return decoder(e)
}

// As returns the data of an event if it is a T. An event of another kind is not
// decoded.
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

// encode writes events as the journal takes them.
func encode(events []Event) ([]journal.Event, error) {
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

// marshal writes JSON that nobody embeds into a page: with "<" as it is, a page
// of HTML takes no six times its bytes.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
