//go:build !system

package fuel_test

// alterations of each module of the specification are tried.
const alterations = 1
