package models

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// Secret is a key to a provider. However it is printed, logged or marshalled,
// alone or inside something else, it says "[secret]". The zero value holds nothing.
type Secret struct {
	// A pointer, because fmt shows unexported fields without asking their
	// methods, and of a pointer inside a struct it shows the address alone.
	value *string
}

// NewSecret returns a secret that holds value, without the spaces and line
// ends that come along when a key is pasted.
func NewSecret(value string) Secret {
	value = strings.TrimSpace(value)
	if value == "" {
		return Secret{}
	}
	return Secret{&value}
}

// Reveal returns what the secret holds, for the request that needs it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Known reports whether there is a secret.
func (s Secret) Known() bool { return s.value != nil }

// String returns what stands in place of the secret.
func (s Secret) String() string {
	if s.value == nil {
		return ""
	}
	return "[secret]"
}

// Format writes String, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns String, for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// hideIn returns text with the secret replaced, since servers repeat what they refuse.
func (s Secret) hideIn(text string) string {
	if s.value == nil {
		return text
	}
	return strings.ReplaceAll(text, *s.value, s.String())
}

// Keyring holds keys that users brought with their sessions, in memory alone: after a restart the
// users bring them again. Its zero value is empty, and its methods are safe for concurrent use.
type Keyring struct {
	mu   sync.Mutex
	keys map[[2]string]Secret // by user and provider
}

// Set keeps a user's key to a provider, or forgets it where there is none.
func (k *Keyring) Set(user, provider string, key Secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil {
		k.keys = map[[2]string]Secret{}
	}
	if !key.Known() {
		delete(k.keys, [2]string{user, provider})
		return
	}
	k.keys[[2]string{user, provider}] = key
}

// Get returns a user's key to a provider, none where there is none.
func (k *Keyring) Get(user, provider string) Secret {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[[2]string{user, provider}]
}
