//go:build system

package restarts_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/gateway/doors"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/sqljournal"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// serving names, to a child process, the folder of the gateway that it is, and
// servingOver the database, if that is not there.
const (
	serving     = "WINDIE_TEST_PROMPT_DIR"
	servingOver = "WINDIE_TEST_PROMPT_DB"
)

// beGateway serves prompts from a folder until it is killed, and prints its URL.
func beGateway(dir string) error {
	config := database.Config{File: filepath.Join(dir, "windie.db")}
	if over := os.Getenv(servingOver); over != "" {
		config = database.Config{URL: over}
	}
	db, err := database.Open(context.Background(), config)
	if err != nil {
		return err
	}
	log, err := sqljournal.Open(db, sqljournal.Options{Reclaim: true}) // as the product does, or the turns of one that died would wait for its leases
	if err != nil {
		return err
	}
	_ = log.Close()
	cfg, _, err := doorstest.PromptGateway(db, dir, 2*time.Second)
	if err != nil {
		return err
	}
	go cfg.Sessions.Run(context.Background())
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + ln.Addr().String())
	return doors.New(cfg).Serve(context.Background(), ln)
}

// spawn runs such a gateway, and returns its URL and what kills it.
func spawn(t *testing.T, dir string, env ...string) (url string, kill func()) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(append(os.Environ(), serving+"="+dir), env...)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), kill
}

// A prompt waits for its approval through the gateway's death, and through
// another one behind that.
func TestPromptApprovalOutlivesTheGateway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, kill := spawn(t, dir)
	l := doorstest.Prompted(t, url, `{"input":"What is here?"}`)
	l.Asked(url)
	kill()
	url, kill = spawn(t, dir)
	if status := l.Answer(url, "approve", `{"toolCallId":"call-1"}`); status != http.StatusOK {
		t.Fatalf("the answer got %d", status)
	}
	kill() // it may have called the tool, or not
	url, _ = spawn(t, dir)
	l.Until(url, sdkapi.EventPromptCompleted)
	if got := doorstest.Calls(t, dir); len(got) > 1 {
		t.Errorf("the tool was called with %v", got)
	}
	again := &doorstest.Listener{T: t, Prompt: l.Prompt, Heard: []doorstest.Event{{Id: ""}}}
	again.On(url, func(doorstest.Event) bool { return true })
	if got := again.Heard[1:]; !slices.Equal(doorstest.Unmarked(got), doorstest.Unmarked(l.Heard)) {
		t.Errorf("heard on three gateways\n%v, and at last\n%v", l.Heard, got)
	}
}
