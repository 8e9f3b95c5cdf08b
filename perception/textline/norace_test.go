//go:build !race

package textline_test

// smaller is by how much a large picture is smaller: not at all.
const smaller = 1
