package command

import (
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Output with more lines than an answer has room for is refused, as more values are.
func TestMostLines(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("a\n", maxValues)
	if got, err := lines([]byte(most)); err != nil || len(got) != maxValues || got[maxValues-1] != "a" {
		t.Errorf("%d lines, %v", len(got), err)
	}
	if got, err := (Output{As: Lines}).answer([]byte(most+"a"), nil); fault.CodeOf(err) != sdkapi.ToolError {
		t.Errorf("one more: %v, %v", got, err)
	}
}
