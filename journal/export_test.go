package journal

// Waiting counts the streams that somebody waits for.
func Waiting(m *Memory) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting)
}
