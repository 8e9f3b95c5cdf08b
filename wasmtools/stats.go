package wasmtools

// Count returns how many plugins of the folder are in each state.
func (p *Plugins) Count() map[State]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := map[State]int{Ready: 0, Starting: 0, Disabled: 0, Broken: 0}
	for _, h := range p.held {
		count[h.state]++
	}
	return count
}
