// Package conformance holds clients to the dialogues of the API: it drives a client, in whatever language, against
// a gateway, looks at each request on its way, and breaks what comes back.
//
// A client takes part by a driver: a program that reads a line of JSON for each call and writes what came of it.
//
//	> {"id": 1, "op": "screen.resolve", "args": {"body": {"image": {"artifact_id": "a.png"}, "text": "Check out"}}, "opts": {"baseURL": "http://127.0.0.1:4711"}}
//	< {"id": 1, "ok": {"text": "Check out", …}}
//	< {"id": 1, "error": {"code": "TEXT_NOT_FOUND", "status": 404, "requestId": "…"}}
//
// op is the x-sdk of the operation in the API document, so that a new route needs no new case. cmd/conformance/README.md
// has the whole protocol.
//
// A case is a dialogue, whose requests the client must send as they are recorded, or a fault. A step is one request
// of a dialogue. Steps that no typed client can send are played without it. A skip is a step or a fault that a
// client is known not to pass, with the reason; a skip that passes is stale, and fails.
package conformance
