package conformance

import (
	"context"
	"strings"
)

// Running is a Stage that is one gateway, which runs already, at a URL.
type Running string

// Start implements Stage.
func (r Running) Start(context.Context, string, []byte) (gateway string, stop func(), err error) {
	return string(r), func() {}, nil
}

// WithoutModel returns the dialogues that ask no model, which a gateway needs no script for, and begin with no memory.
func WithoutModel(all []*Dialogue) (list []*Dialogue) {
	for _, d := range all {
		asks := d.Model != nil || strings.Contains(d.Name, "memory")
		for _, s := range d.Steps {
			asks = asks || s.stream || s.socket
		}
		if !asks {
			list = append(list, d)
		}
	}
	return list
}
