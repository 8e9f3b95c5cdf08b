package docs

import (
	"maps"
	"slices"
	"strings"
)

// The names of the unions of all messages at /ws, one per direction.
const (
	clientMessages = "WSClientMessage"
	serverMessages = "WSServerMessage"
)

// nameEvents describes the events of streams and the messages of sockets. The schema of a response has
// x-union, the name of a union, and x-events, the data's schema by kind of event. Instead of x-events, it
// may have x-any-event, one schema for all kinds. Each kind gets a separate schema with the kind as a
// constant, so that typed clients can derive the data's type from the kind.
func (d *document) nameEvents() {
	for _, op := range d.operations {
		for _, response := range at(op, "responses") {
			r, _ := response.(object)
			for _, media := range at(r, "content") {
				m, _ := media.(object)
				if schema := at(m, "schema"); schema["x-union"] != nil {
					m["schema"] = d.union(schema)
				} else {
					for by, of := range at(schema, "properties") {
						if direction, _ := of.(object); direction["x-union"] != nil {
							at(schema, "properties")[by] = d.union(direction)
						}
					}
				}
			}
		}
	}
}

// union adds the schemas of a union and returns a reference to the union.
func (d *document) union(schema object) object {
	name, _ := schema["x-union"].(string)
	by, wrap := "event", eventOf
	if name == clientMessages || name == serverMessages {
		by, wrap = "type", messageOf
	}
	if data := schema["x-any-event"]; data != nil {
		event := eventOf("", data)
		at(event, "properties")["event"] = object{"type": "string", "description": "The kind of event, which its data has too."}
		d.schemas[name] = event
		return ref(name)
	}
	var choices []any
	mapping := object{}
	events := at(schema, "x-events")
	for _, kind := range slices.Sorted(maps.Keys(events)) {
		to := kindName(name, kind)
		schema := ref(to)
		if kind == handshakeMessage { // a handshake has no envelope
			schema, _ = events[kind].(object)
		} else {
			d.schemas[to] = wrap(kind, events[kind])
		}
		choices, mapping[kind] = append(choices, schema), schema["$ref"]
	}
	d.schemas[name] = object{"oneOf": choices, "discriminator": object{"propertyName": by, "mapping": mapping}}
	return ref(name)
}

// kindName returns the schema name for one kind of a union: "prompt.created" of PromptEvent is
// PromptCreatedEvent.
func kindName(union, kind string) string {
	of, what := strings.TrimSuffix(union, "Event"), "Event"
	if of == union {
		of, what = "WS", "Message"
	}
	return of + strings.TrimPrefix(pascal(kind), of) + what
}

// eventOf returns the schema of a server-sent event.
func eventOf(kind string, data any) object {
	return object{
		"type": "object", "required": []any{"event", "data"},
		"properties": object{
			"id":    object{"type": "string", "description": "The cursor behind the event, for Last-Event-ID."},
			"event": object{"type": "string", "const": kind}, "data": data,
		},
	}
}

// messageOf returns the schema of a message at /ws.
func messageOf(kind string, payload any) object {
	text := func(description string) object { return object{"type": "string", "description": description} }
	return object{
		"type": "object", "required": []any{"id", "type", "payload"},
		"properties": object{
			"id": object{"type": "string", "format": "uuid"}, "type": object{"type": "string", "const": kind}, "payload": payload,
			"timestamp": text("When it was sent, in RFC 3339. Of a client it is ignored."), "in_reply_to": text("The id of the message that this one answers."),
			"seq":              object{"type": "integer", "format": "int64", "description": "For resume: all up to here has been sent."},
			"conversation_ref": text("The conversation that it belongs to."), "turn_ref": text("The turn that it belongs to."),
			"query_ref": text("The id of the query that began the turn, where that is known."),
		},
	}
}

// handshakeMessage is the type of a client's first message.
const handshakeMessage = "handshake"
