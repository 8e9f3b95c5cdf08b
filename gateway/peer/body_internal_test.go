package peer

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// A body that comes byte by byte ends, however often a byte comes; one that comes fast enough
// is read however long it takes, and what the gateway does meanwhile is not the client's.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		piece, pieces int
		every, work   time.Duration
		within        time.Duration // in which it ends early; 0: it is read to the end
	}{
		"a byte in ten seconds":    {piece: 1, pieces: 100, every: 10 * time.Second, within: 31 * time.Second},
		"a byte a second":          {piece: 1, pieces: 1000, every: time.Second, within: 31 * time.Second},
		"half of the rate":         {piece: 1 << 10, pieces: 1000, every: 2 * time.Second, within: 62 * time.Second},
		"the rate":                 {piece: 1 << 10, pieces: 300, every: time.Second},
		"in bursts":                {piece: 20 << 10, pieces: 10, every: 20 * time.Second},
		"a gateway that is slower": {piece: 1 << 10, pieces: 50, every: 100 * time.Millisecond, work: 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, end := pieces(tt.pieces, tt.piece, tt.every)
				defer end()
				began := time.Now()
				b := &Body{r: server, conn: server, left: tt.piece * tt.pieces, stall: 30 * time.Second, deadline: began.Add(bodyTimeout)}
				var err error
				for buffer := make([]byte, 64<<10); err == nil; time.Sleep(tt.work) {
					_, err = b.Read(buffer)
				}
				took := time.Since(began)
				if tt.within == 0 && !errors.Is(err, io.EOF) || tt.within > 0 && (!IsTimeout(err) || took > tt.within) {
					t.Errorf("after %v and %d bytes: %v", took, b.arrived, err)
				}
			})
		})
	}
}

// pieces returns a connection to which a client sends count pieces of size bytes, each some time after the one before. end
// closes it and waits for the client.
func pieces(count, size int, every time.Duration) (server net.Conn, end func()) {
	client, server := net.Pipe()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for range count {
			time.Sleep(every)
			if _, err := client.Write(make([]byte, size)); err != nil {
				return
			}
		}
	}()
	return server, func() {
		_ = server.Close()
		<-sent
	}
}

// What is read whole is waited for as what is read in pieces, however few deadlines are set for it.
func TestSlowWholeBodies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pieces, come int
		every        time.Duration
		within       time.Duration // in which it ends early; 0: it is read to the end
	}{
		"at the rate":         {pieces: 300, come: 300, every: time.Second},
		"at once":             {pieces: 300, come: 300},
		"that stop at once":   {pieces: 300, come: 10, within: 31 * time.Second},
		"that stop later on":  {pieces: 300, come: 100, every: time.Second, within: 131 * time.Second},
		"that come too late":  {pieces: 300, come: 300, every: 31 * time.Second, within: 32 * time.Second},
		"a little at a time":  {pieces: 300, come: 300, every: 10 * time.Millisecond},
		"that do not come in": {pieces: 300, within: 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, end := pieces(tt.come, 1<<10, tt.every)
				defer end()
				began := time.Now()
				b := NewBody(server, server, tt.pieces<<10, 30*time.Second)
				whole, err := ReadWhole(b, 1<<20, nil)
				took := time.Since(began)
				if tt.within == 0 && (err != nil || len(whole) != tt.pieces<<10) || tt.within > 0 && (fault.CodeOf(err) != sdkapi.RequestTimeout || took > tt.within) {
					t.Errorf("after %v and %d bytes: %v", took, b.Arrived(), err)
				}
			})
		})
	}
}

// unread is a connection that takes some bytes and then nothing, until its deadline.
type unread struct {
	net.Conn
	room     int
	deadline time.Time
}

func (u *unread) SetWriteDeadline(at time.Time) error {
	u.deadline = at
	return nil
}

func (u *unread) Write(p []byte) (int, error) {
	n := min(u.room, len(p))
	if u.room -= n; n == len(p) {
		return n, nil
	}
	time.Sleep(time.Until(u.deadline))
	return n, os.ErrDeadlineExceeded
}

func always() error { return nil }

// A download that nobody reads ends within seconds, however large it is.
func TestUnreadDownloads(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("x", 64<<20)
	for name, copying := range map[string]func(w io.Writer) (int64, error){
		"by reading": func(w io.Writer) (int64, error) { return io.Copy(w, io.LimitReader(strings.NewReader(content), 1<<40)) },
		"by writing": func(w io.Writer) (int64, error) {
			n, err := w.Write([]byte(content))
			return int64(n), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := &unread{room: 3 << 20}
				began := time.Now()
				n, err := copying(PacedWriter{conn, conn, always})
				if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || n != 3<<20 || took > 20*time.Second {
					t.Errorf("after %v and %d bytes: %v", took, n, err)
				}
			})
		})
	}
}

// What is written is what was to be written, by either way.
func TestPacedWriter(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("0123456789", 100_000)
	for name, limit := range map[string]int64{"all": 1 << 30, "a part": 700_001, "a piece": pacePiece, "nothing": 0} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			source := io.LimitReader(strings.NewReader(content), limit)
			n, err := io.Copy(PacedWriter{&out, nil, always}, source)
			if want := content[:min(limit, int64(len(content)))]; err != nil || out.String() != want || n != int64(len(want)) {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
}

// refusing reserves memory for a body until it is complete, and then refuses it.
type refusing struct{ given bool }

func (r *refusing) Arrived(_ int64, complete bool) error {
	if complete {
		return fault.New("gateway.body", sdkapi.Overloaded, "no memory for the body")
	}
	return nil
}

func (r *refusing) Give() { r.given = true }

// A body that is refused with its last byte is refused, whether its length is known or not.
func TestWholeBodiesRefusedAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, length := range map[string]int{"of a known length": 4 << 10, "chunked": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, server := net.Pipe()
			defer client.Close()
			defer server.Close()
			held := &refusing{}
			b := NewBody(strings.NewReader(strings.Repeat("x", 4<<10)), server, length, time.Minute)
			b.Hold(held)
			if whole, err := ReadWhole(b, 1<<20, nil); fault.CodeOf(err) != sdkapi.Overloaded || !held.given {
				t.Errorf("%d bytes, error %v, memory released: %v", len(whole), err, held.given)
			}
		})
	}
}
