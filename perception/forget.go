package perception

// Forgetter is an optional interface of an Engine that caches the texts of lines. Forget deletes
// the cached texts of a user. If users share a cache, user is "" and Forget deletes the texts of
// all users.
type Forgetter interface{ Forget(user string) }

// Forget deletes all cached data of a user: scenes, and the engine's texts of lines. If users share
// a cache, Forget deletes the data of all users.
func (s *Scenes) Forget(user string) {
	s.forget(user, func(Key) bool { return true })
}

// ForgetImage deletes the cached scenes of a user's image. It also deletes all cached texts of the
// user's lines, because the engine does not know which image a line came from. If users
// share a cache, ForgetImage does this for all users.
func (s *Scenes) ForgetImage(user, sha256 string) {
	s.forget(user, func(key Key) bool { return key.SHA256 == sha256 })
}

// forget deletes the user's scenes that drop accepts, and all lines of the user.
func (s *Scenes) forget(user string, drop func(Key) bool) {
	if !s.opts.Apart {
		user = ""
	}
	matches := func(key Key) bool { return key.User == user && drop(key) }
	s.mu.Lock()
	s.cache.drop(matches)
	for key, l := range s.loads {
		if matches(key) {
			l.forgotten = true
		}
	}
	callbacks := s.onForget
	s.mu.Unlock()
	for _, forget := range callbacks {
		forget(matches)
	}
	if e, ok := ability[Forgetter](s.engine); ok {
		e.Forget(user)
	}
}

// OnForget registers the function forget for a cache whose entries derive from scenes. Forget and
// ForgetImage call forget with a function drop. The function forget must call drop with the key of
// each entry, and delete the entry if drop returns true.
func (s *Scenes) OnForget(forget func(drop func(Key) bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onForget = append(s.onForget, forget)
}

// drop calls accept with each key, and deletes the scenes for which it returns true.
func (c *cache) drop(accept func(Key) bool) {
	for _, key := range c.live.Keys() {
		if accept(key) {
			c.live.Remove(key)
		}
	}
	c.packed.Drop(accept)
}
