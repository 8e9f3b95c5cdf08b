package doorstest

// Beats reads a stream until n more heartbeats have arrived, or until the stream ends. It returns the events between
// the heartbeats.
func (r *RawEvents) Beats(n int) (events []Event, err error) {
	beat := func() (count int) {
		for _, c := range r.comments {
			if c == "heartbeat" {
				count++
			}
		}
		return count
	}
	for enough := beat() + n; ; {
		e, err := r.Next(func(read int) bool { return read == 0 && beat() >= enough })
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}
