//go:build race

package textline_test

// smaller is by how much a large picture is smaller with the race detector, with
// which each pixel takes ten times as long. Without it, scripts/machines.sh has the
// same tests take the whole picture.
const smaller = 2
