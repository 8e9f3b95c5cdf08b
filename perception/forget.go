package perception

// Forgetter is an optional interface of an Engine that caches the texts of lines. Forget deletes
// the cached texts of one user. If all users share a cache, user is "".
type Forgetter interface{ Forget(user string) }

// Forget deletes all cached data of a user: the scenes, and the texts of lines that the engine has
// cached. If users share a cache, Forget deletes the whole cache.
func (s *Scenes) Forget(user string) {
	s.forget(user, func(Key) bool { return true })
}

// ForgetImage deletes the cached scenes of one image of a user. If users share a cache, it deletes
// the scenes of the image for all users. It also deletes all lines of the user that the engine has
// cached, because the engine does not know which image a line is from.
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

// OnForget registers forget for a cache whose entries derive from scenes. Each call of Forget or
// ForgetImage calls forget with the function drop, which reports whether the cache must delete the
// entries of a key.
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
