package models

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// Secret is a key to a provider. When it is printed, logged or marshalled, alone or inside another
// value, it appears as "[secret]". The zero value is empty.
type Secret struct {
	// A pointer, because fmt prints unexported fields without calling their methods. For a pointer in
	// a struct, fmt prints only the address.
	value *string
}

// NewSecret returns a secret from value. It removes white space at both ends, because a pasted key
// may have some.
func NewSecret(value string) Secret {
	value = strings.TrimSpace(value)
	if value == "" {
		return Secret{}
	}
	return Secret{&value}
}

// Reveal returns the text of the secret. It is for the request that needs the key.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Known reports whether the secret is not empty.
func (s Secret) Known() bool { return s.value != nil }

// String returns "[secret]", or "" if the secret is empty.
func (s Secret) String() string {
	if s.value == nil {
		return ""
	}
	return "[secret]"
}

// Format writes the result of String for every formatting verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns the result of String, for package log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns the result of String, for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// hideIn returns text with String in place of the secret, because servers may repeat a key that they refuse.
func (s Secret) hideIn(text string) string {
	if s.value == nil {
		return text
	}
	return strings.ReplaceAll(text, *s.value, s.String())
}

// Keyring stores the keys that users sent with their sessions. The keys are only in memory, so
// users must send them again after a restart. The zero value is empty and ready to use. Its methods
// are safe for concurrent use.
type Keyring struct {
	mu   sync.Mutex
	keys map[[2]string]Secret // by user and provider
}

// Set stores a user's key to a provider. An empty key deletes the stored key.
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

// Get returns a user's key to a provider. It returns an empty Secret if the user has stored none
// for this provider.
func (k *Keyring) Get(user, provider string) Secret {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[[2]string{user, provider}]
}
