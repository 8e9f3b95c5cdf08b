package minilm

import "sync"

// maxRows is the maximum number of rows in a piece: enough to reuse a weight while it is in the
// cache, and few enough that the rows fit into the cache too.
const maxRows = MaxTokens

// text is one text of a piece.
type text struct {
	tokens []int32
	row    int       // index of its first row
	vector []float32 // result
}

// piece is a group of texts whose rows pass through the layers together.
type piece struct {
	texts []text
	rows  int
}

// place adds a text to the last piece, or to a new one if it does not fit.
func place(pieces []piece, t text) []piece {
	if n := len(pieces); n == 0 || pieces[n-1].rows+len(t.tokens) > maxRows {
		pieces = append(pieces, piece{})
	}
	last := &pieces[len(pieces)-1]
	t.row = last.rows
	last.rows += len(t.tokens)
	last.texts = append(last.texts, t)
	return pieces
}

// spare is how many rows behind the last one a kernel may read.
const spare = tileRows - 1

// workspace has the rows of a piece. Rows behind the end of a piece have old values. The kernels
// compute them too, and their results are ignored.
type workspace struct {
	x   [(maxRows + spare) * Width]float32 // input and output of a layer
	y   [(maxRows + spare) * Width]float32 // added to x
	qkv [(maxRows + spare) * 3 * Width]float32
	up  [(maxRows + spare) * inner]float32
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}
