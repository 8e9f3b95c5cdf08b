package transcription

import "context"

// life is the goroutine of a listener.
type life struct {
	ctx  context.Context // ends when the work ends
	done chan struct{}   // closed when the work has returned
	why  error           // error of the work; valid once done is closed
}

// live starts work in a new goroutine.
func live(ctx context.Context, work func(context.Context) error) *life {
	ctx, cancel := context.WithCancel(ctx)
	l := &life{ctx: ctx, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer cancel()
		l.why = work(ctx)
	}()
	return l
}

// Wait implements Listener.
func (l *life) Wait() error {
	<-l.done
	return l.why
}

// until calls wait with a context that ends with the listener. It returns the listener's error if
// the listener has ended.
func (l *life) until(wait func(context.Context) error) error {
	err := wait(l.ctx)
	if l.ctx.Err() != nil {
		if why := l.Wait(); why != nil {
			return why
		}
		return l.ctx.Err()
	}
	return err
}
