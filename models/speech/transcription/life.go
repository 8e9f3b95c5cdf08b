package transcription

import "context"

// life is the work of a listener, until it ends.
type life struct {
	ctx  context.Context // ends with the work
	done chan struct{}
	why  error // once it is done
}

// live begins work on a goroutine of its own.
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

// until waits until wait returns, or the listener ends.
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
