package kv

// Block keeps all changes waiting until release is called.
func (s *Store) Block() (release func()) {
	s.writing <- struct{}{}
	return func() { <-s.writing }
}
