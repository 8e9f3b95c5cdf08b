package conformance

import (
	"slices"
	"strings"
)

// plain are the dialogues, by the beginnings of their names, that a gateway of internal/test/conformance/stage answers as they are recorded. The
// others need a gateway that lacks something, is slow, or has tools and users that only tests have.
var plain = []string{
	"artifacts-", "ocr-", "screen-", "vision-", "prompt-approval", "prompt-stream", "prompt-conversation", "prompt-repaired", "v1-approval", "toolhost-events", "toolhost-sessions", "toolhost-hello",
	"v1-chat", "v1-sessions", "v1-again", "v1-without-stream", "v1-memory", "ws-",
}

// unlike are those of them that need another gateway: hosted, with other models, with a voice, or one that forgets.
var unlike = []string{"vision-model", "ws-envelope", "ws-expired", "ws-handshake", "ws-hosted", "ws-resync", "ws-settings", "ws-speech"}

// Plain returns the dialogues that a gateway of internal/test/conformance/stage answers as they are recorded.
func Plain(all []*Dialogue) (list []*Dialogue) {
	for _, d := range all {
		if !slices.Contains(unlike, d.Name) && slices.ContainsFunc(plain, func(name string) bool { return strings.HasPrefix(d.Name, name) }) {
			list = append(list, d)
		}
	}
	return list
}
