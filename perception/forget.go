package perception

// A Forgetter is an engine that keeps what it has read, for a user or, where users share a cache,
// for everybody, whose name is empty.
type Forgetter interface{ Forget(user string) }

// Forget drops all that is cached for a user: scenes, and what the engine keeps of their lines. Where
// users share a cache it drops the cache.
func (s *Scenes) Forget(user string) {
	s.forget(user, func(Key) bool { return true })
}

// ForgetImage drops what is cached of an image of a user, as ForgetImage of everybody where users
// share a cache. Lines are cached without the images they are from, so all of the user's go.
func (s *Scenes) ForgetImage(user, sha256 string) {
	s.forget(user, func(key Key) bool { return key.SHA256 == sha256 })
}

// forget drops those of a user's scenes that drop accepts, and the user's lines.
func (s *Scenes) forget(user string, drop func(Key) bool) {
	if !s.opts.Apart {
		user = ""
	}
	theirs := func(key Key) bool { return key.User == user && drop(key) }
	s.mu.Lock()
	s.cache.drop(theirs)
	for key, l := range s.loads {
		if theirs(key) {
			l.forgotten = true
		}
	}
	others := s.onForget
	s.mu.Unlock()
	for _, forget := range others {
		forget(theirs)
	}
	if e, ok := ability[Forgetter](s.engine); ok {
		e.Forget(user)
	}
}

// OnForget has forget called with what is to be dropped, for caches of what follows from scenes.
func (s *Scenes) OnForget(forget func(drop func(Key) bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onForget = append(s.onForget, forget)
}

// drop drops the scenes whose keys are accepted.
func (c *cache) drop(accept func(Key) bool) {
	for _, key := range c.live.Keys() {
		if accept(key) {
			c.live.Remove(key)
		}
	}
	c.packed.Drop(accept)
}
