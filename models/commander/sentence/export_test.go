package sentence

// Learned reads the first step by the network alone.
func Learned(said string, screen []Thing) (step Step, rest string, sure float64, ok bool) {
	p := newParser(said, screen)
	if len(p.tokens) == 0 {
		return step, "", 0, false
	}
	l, ok := p.learned()
	return l.step, p.left(l), l.sure, ok
}
