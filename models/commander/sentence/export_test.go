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

// Cost is what the grammar's reading of the first step costs.
func Cost(said string, screen []Thing) float64 {
	g, _ := newParser(said, screen).grammar()
	return g.cost
}

// Grammar reads the first step by the grammar alone.
func Grammar(said string, screen []Thing) (step Step, rest string, err error) {
	p := newParser(said, screen)
	g, ok := p.grammar()
	if !ok {
		return step, "", &Unclear{Part: said}
	}
	return g.step, p.after(g), nil
}
