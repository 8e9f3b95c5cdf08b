package minilm

import "sync"

// maxRows is how many rows a piece has at most: enough to use a weight well while it is in the
// cache, and few enough that the rows stay there too.
const maxRows = MaxTokens

// text is one text of a piece.
type text struct {
	tokens []int32
	row    int       // the first of its rows
	vector []float32 // the result
}

// piece is the texts whose rows go through the layers together.
type piece struct {
	texts []text
	rows  int
}

// place adds a text to the last piece, or to a new one where it does not fit.
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

// spare is how many rows a kernel may look at behind the last one.
const spare = tileRows - 1

// workspace holds the rows of a piece. Rows past the end of a piece keep what was there before:
// they are computed with, and their results are left out.
type workspace struct {
	x   [(maxRows + spare) * Width]float32 // what goes from layer to layer
	y   [(maxRows + spare) * Width]float32 // what is added to x
	qkv [(maxRows + spare) * 3 * Width]float32
	up  [(maxRows + spare) * inner]float32
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}
