package session

import (
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/state/journal"
)

// A decision about a call has an id whatever the model's provider calls the call, and the one that releases before gave it.
func TestDecisionID(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ call, quoted string }{
		"plain":           {"call_1<&>", `"call_1<&>"`},
		"a NUL":           {"a\x00", `"a\u0000"`},
		"a bell":          {"a\a", `"a\u0007"`},
		"a rare letter":   {"a\U000e0001", `"a` + "\U000e0001" + `"`},
		"a line's end":    {"a\u2028", `"a\u2028"`},
		"no UTF-8 at all": {"a\xff", `"a\ufffd"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := journal.Digest(Approval, []byte(`["turn_1",2,`+tt.quoted+`]`))
			if err != nil {
				t.Fatal(err)
			}
			turn, call := &Turn{ID: "turn_1", Round: 2}, &Call{Call: models.Call{ID: tt.call}}
			if got := turn.decisionID(call, Approval, 0); got != Approval+"_"+want[:32] {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
