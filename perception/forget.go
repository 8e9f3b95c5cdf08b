package perception

// Forgetter is an optional ability of an Engine that caches texts of lines. Forget deletes the
// cache of one user. If all users share a cache, the user is "".
type Forgetter interface{ Forget(user string) }

// Forget deletes all cached data of a user: scenes, and the engine's lines. If users share a cache,
// it deletes the whole cache.
func (s *Scenes) Forget(user string) {
	s.forget(user, func(Key) bool { return true })
}

// ForgetImage deletes the cached scenes of one image of a user. If users share a cache, it deletes
// the image's scenes of all users. The engine does not know which image a line is from, so
// ForgetImage deletes all cached lines of the user.
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

// OnForget registers a callback of a cache whose entries derive from scenes. Each Forget or
// ForgetImage calls forget with a function that reports whether to delete the entries of a key.
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
