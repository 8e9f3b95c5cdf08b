package session

import (
	"strings"

	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/state/journal"
)

// streamOf returns the name of the stream of a session's events. For an empty id, it returns the
// prefix of all such names. The functions below do the same for other streams and leases.
func streamOf(id string) string { return "session/" + id }

// controlOf returns the name of the stream with messages to a session's worker.
func controlOf(id string) string { return "control/" + id }

// stateOf returns the name of the stream with the last stored state of a session, see snapshot.go.
func stateOf(id string) string { return "state/" + id }

// markOf returns the name of the stream with a session's mark, an older stored state, see snapshot.go.
func markOf(id string) string { return "mark/" + id }

// leaseOf returns the key of the lease for working on a session's turns. One gateway at a time holds it.
func leaseOf(id string) string { return "turn/" + id }

// HostLease returns the key of the lease for running a session's tools. If several clients share the session, only the
// client that holds the lease runs the tools.
func HostLease(id string) string { return "toolhost/" + id }

// Of returns the id of the session that a decision belongs to. If the decision belongs to no
// session, known is false.
func Of(d journal.Decision) (id string, known bool) {
	return strings.CutPrefix(d.Stream, streamOf(""))
}

// PromptsOf returns the prefix of the ids of a user's prompt sessions.
func PromptsOf(user string) string { return "api/" + hashid.Of(user, 16) + "/" }

// GeneralOf returns the prefix of the ids of a user's sessions of the general agent service.
func GeneralOf(user string) string { return "v1/" + hashid.Of(user, 16) + "/" }

// DesktopOf returns the prefix of the ids of a user's sessions on /ws.
func DesktopOf(user string) string { return "ws/" + hashid.Of(user, 8) + "/" }

// HostOf returns the prefix of the ids of a user's sessions whose tools run on a remote host.
func HostOf(user string) string { return "host/" + hashid.Of(user, 16) + "/" }

// textsOf returns the name of a session's stream of texts.
func textsOf(id string) string { return "texts/" + id }

// textOf returns the name of the stream with one text of the deployment, see texts.go.
func textOf(hash string) string { return "text/" + hash }
