package eyes

import (
	"time"

	"github.com/windieos/windie/client/computer/access"
)

// BePatient gives programs more time to answer, because other tests run beside.
func (e *Eyes) BePatient() {
	e.patience = access.Options{Time: 5 * time.Second, Patience: 2 * time.Second}
}
