//go:build race

package main

// raceDetector says that memory is used for more than what is kept.
const raceDetector = true
