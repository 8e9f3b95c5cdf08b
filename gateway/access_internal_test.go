package gateway

import (
	"context"
	"testing"

	"github.com/windieos/windie/state/identity"
)

// A request that was let in just before its token was revoked ends all the same,
// and who is not meant goes on.
func TestAccesses(t *testing.T) {
	t.Parallel()
	var all accesses
	laptop, phone, eve := &Request{Owner: "ada", Install: "laptop"}, &Request{Owner: "ada", Install: "phone"}, &Request{Owner: "eve", Install: "hers"}
	cuts := 0
	begin := func(r *Request) (context.Context, func()) {
		return all.Begin(t.Context(), r, func() { cuts++ })
	}
	onLaptop, _ := begin(laptop)
	over, end := begin(laptop)
	onPhone, endPhone := begin(phone)
	hers, _ := begin(eve)
	end()
	if n := all.end(identity.Revocation{User: "ada", Install: "laptop"}); n != 1 || cuts != 1 {
		t.Errorf("%d ended, %d were cut, not 1", n, cuts)
	}
	late, _ := begin(laptop)
	for what, tt := range map[string]struct {
		ctx  context.Context
		want bool
	}{"open": {onLaptop, true}, "begun too late": {late, true}, "over before": {over, false}, "another install's": {onPhone, false}, "another user's": {hers, false}} {
		t.Run(what, func(t *testing.T) {
			if isRevoked(tt.ctx) != tt.want {
				t.Errorf("what is %s is revoked: %v", what, !tt.want)
			}
		})
	}
	all.end(identity.Revocation{User: "ada"})
	late, _ = begin(phone)
	if !isRevoked(onPhone) || !isRevoked(late) || hers.Err() != nil {
		t.Error("the installs of a deleted user go on, or those of others do not")
	}
	endPhone()
	local, _ := all.Begin(t.Context(), &Request{}, nil)
	if local != t.Context() {
		t.Error("local mode has its requests watched")
	}
}
