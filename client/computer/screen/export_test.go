package screen

// Missing says why a system's screen cannot be used.
func Missing(name, system string) string {
	return missing(name, system, func(string) string { return "" })
}
