package session

import (
	"strings"

	"github.com/windieos/windie/internal/hashid"
	"github.com/windieos/windie/state/journal"
)

// The streams of a session, and the lease that the worker of its turn holds.
func streamOf(id string) string { return "session/" + id }

func controlOf(id string) string { return "control/" + id } // messages to the worker

func stateOf(id string) string { return "state/" + id } // see snapshot.go

func markOf(id string) string { return "mark/" + id } // likewise

func leaseOf(id string) string { return "turn/" + id }

// HostLease is the key of the lease by which one of several clients of a session runs its tools.
func HostLease(id string) string { return "toolhost/" + id }

// Of returns the id of the session that a decision is about.
func Of(d journal.Decision) (id string, known bool) {
	return strings.CutPrefix(d.Stream, streamOf(""))
}

// PromptsOf begins the ids of a user's sessions of prompts.
func PromptsOf(user string) string { return "api/" + hashid.Of(user, 16) + "/" }

// GeneralOf begins the ids of a user's sessions of the general agent service.
func GeneralOf(user string) string { return "v1/" + hashid.Of(user, 16) + "/" }

// DesktopOf begins the ids of the sessions that a user's conversations on /ws are.
func DesktopOf(user string) string { return "ws/" + hashid.Of(user, 8) + "/" }

// HostOf begins the ids of a user's sessions with a remote tool host.
func HostOf(user string) string { return "host/" + hashid.Of(user, 16) + "/" }

// textsOf returns a session's stream of texts.
func textsOf(id string) string { return "texts/" + id }

// textOf returns the stream of a deployment's text.
func textOf(hash string) string { return "text/" + hash }
