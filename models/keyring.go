package models

import "sync"

// Keyring holds keys that users brought with their sessions. They are in memory
// alone: after a restart the users bring them again. Its zero value is empty,
// and its methods may be called from several goroutines.
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
