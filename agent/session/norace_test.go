//go:build system && !race

package session_test

const brief = false
