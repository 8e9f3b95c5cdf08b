package wasmtools

// WithoutImages has snapshots compare all of a memory until it is over, as where the system does not say which pages were
// written to.
func WithoutImages() (over func()) {
	was := pagemap
	pagemap = func() int { return noPagemap }
	return func() { pagemap = was }
}
