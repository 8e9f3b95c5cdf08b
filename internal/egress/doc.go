// Package egress is the one place where requests of untrusted code leave the
// process: it sends what the operator granted and nothing else.
//
//	client, err := egress.New(egress.Config{Rules: []egress.Rule{{Host: "api.example.com", Path: "/v1"}}})
//	session := client.Session() // one call of one plugin
//	reply, err := session.Do(ctx, egress.Request{URL: "https://api.example.com/v1/items"})
//	session.Attempts() // what left, what was refused, and how to allow it
//
// # Vocabulary
//
// The guest is the code that asks; the operator is who runs the gateway. A
// grant is the list of a guest's rules. Rules add up: a request may leave when
// one of them matches, and gets the secrets of all that do. A session is one
// call of the guest, with a budget of requests and bytes. An attempt is one
// request of a session, a redirect or a refused one included. A hint is the
// rule that would have allowed an attempt, as a line of JSON.
//
// # How a request leaves
//
//	budget -> spelling -> rules -> header, secrets -> address, at the dial -> reply
//	   ^                                                                        |
//	   +------------------- the next hop of a redirect -------------------------+
//
// Each redirect takes the whole way again. Addresses are looked at where the
// system connects, on the address it connects to, so a name that resolves
// differently the second time gains nothing. Proxies of the environment are
// not used, cookies are not kept, and a host has one spelling: whatever else a
// resolver or a URL parser might take for an address is refused.
//
// Only gzip is asked for. It is undone here, so that limits count what the
// guest gets and secrets can be found in it; a reply encoded otherwise is
// refused.
//
// # What it cannot see
//
// A server may read a method or a path from elsewhere than the request line.
// The headers known for that are refused, a form field called "_method" is
// not. Secrets are taken out of replies when spelled as they are, in JSON, in
// hex, percent-encoded or in base64; a server that hands them to the guest
// turned around, in pieces or encrypted is not stopped, nor is one that keeps
// them from one gateway process to the next. Values under six bytes are not
// looked for, since they would be found everywhere.
package egress
