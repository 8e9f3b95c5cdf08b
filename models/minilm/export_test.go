package minilm

// Weights and Opened are for the tests from outside.
var (
	Weights = weights
	Opened  = opened
)
