package quota_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// arrivals are bodies that arrive, with the reasons for which they were cut.
type arrivals struct {
	*quota.Arriving

	cut map[*quota.Arrival]error
}

func (a arrivals) begin(address, user string) *quota.Arrival {
	var x *quota.Arrival
	x = a.Begin(func() (string, string) { return address, user }, func(why error) {
		a.cut[x] = why
		go x.End() // as its reader does
	})
	return x
}

// Half-sent bodies take the room from each other, and not from those who send a little.
func TestArrivingCutsWhoSendsTheMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := arrivals{quota.NewArriving(1000 << 10), map[*quota.Arrival]error{}}
		var greedy []*quota.Arrival
		for range 9 {
			x := all.begin("a", "ann")
			greedy = append(greedy, x)
			if err := x.Arrived(100 << 10); err != nil {
				t.Fatal(err)
			}
		}
		beside := all.begin("a", "bob")
		began := time.Now()
		if err := errors.Join(beside.Arrived(60<<10), beside.Arrived(150<<10)); err != nil || time.Since(began) > time.Second {
			t.Errorf("another user at the address, after %v: %v", time.Since(began), err)
		}
		began = time.Now()
		if err := errors.Join(all.begin("b", "").Arrived(40<<10), all.begin("c", "").Arrived(40<<10)); time.Since(began) > 0 || err != nil || len(all.cut) != 2 {
			t.Errorf("small ones after %v: %v; %d were cut; %d bytes", time.Since(began), err, len(all.cut), all.Bytes())
		}
		for _, x := range greedy {
			if err, why := x.Lost(), all.cut[x]; (err == nil) != (why == nil) || err != nil && (fault.CodeOf(err) != sdkapi.Overloaded || fault.CodeOf(why) != sdkapi.Overloaded) {
				t.Errorf("lost %v, cut because %v", err, why)
			}
			if err := x.Arrived(101 << 10); all.cut[x] != nil && fault.CodeOf(err) != sdkapi.Overloaded {
				t.Errorf("a body that was cut goes on: %v", err)
			}
		}
		began = time.Now()
		if err := greedy[8].Arrived(900 << 10); fault.CodeOf(err) != sdkapi.Overloaded || time.Since(began) > 10*time.Second {
			t.Errorf("who sends the most: %v after %v", err, time.Since(began))
		}
	})
}

// A body waits for those before it of the same sender, and all that was taken is given back.
func TestArrivingWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := arrivals{quota.NewArriving(1000 << 10), map[*quota.Arrival]error{}}
		first, second := all.begin("a", ""), all.begin("a", "")
		if err := first.Arrived(900 << 10); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, first.End)
		if err := second.Arrived(800 << 10); err != nil || len(all.cut) > 0 || all.Bytes() != 800<<10 {
			t.Errorf("%v; cut %v; %d bytes", err, all.cut, all.Bytes())
		}
		second.End()
		second.End()
		if all.Bytes() != 0 {
			t.Errorf("%d bytes are left", all.Bytes())
		}
		if err := all.begin("b", "").Arrived(1001 << 10); fault.CodeOf(err) != sdkapi.Overloaded {
			t.Errorf("more than there is: %v", err)
		}
	})
}

// Without a limit nothing is counted.
func TestArrivingWithoutLimit(t *testing.T) {
	t.Parallel()
	none := quota.NewArriving(0)
	x := none.Begin(nil, nil)
	if err := errors.Join(x.Arrived(1<<40), x.Lost()); err != nil || none.Bytes() != 0 {
		t.Error(err)
	}
	x.End()
}
