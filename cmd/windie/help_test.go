package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help of a command shows its own flags, and not the settings, which have a page.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args    []string
		has     []string
		without []string
	}{
		{[]string{"--help"}, []string{"Images, without a gateway:", "  ocr\n", "windie help commands, settings", "--version"}, []string{"--listen", "WINDIE_"}},
		{[]string{"serve", "--help"}, []string{"Common settings:\n      --config FILE", "--listen STRING", "--data-dir FOLDER", "env WINDIE_MODE"}, []string{"--ocr-languages"}},
		{[]string{"help", "commands"}, []string{"Images, without a gateway:\n", "  ocr     Read the text"}, []string{"--listen"}},
		{[]string{"ocr", "--help"}, []string{"Read the text in one image, without a gateway.\n\nFILE is an image", "usage: windie ocr FILE [flags]", "Examples:\n  windie ocr screen.png\n", "--threshold SCORE", "X,Y,WIDTH,HEIGHT"}, []string{"--listen", "WINDIE_"}},
		{[]string{"tool"}, []string{"usage: windie tool COMMAND", "  inspect "}, []string{"--listen"}},
		{[]string{"help", "settings"}, []string{"--listen  string  WINDIE_LISTEN  default 127.0.0.1:8765", "--drain-timeout  duration", "--trusted-network  bool", "--trusted-proxies  list", "--max-artifact-bytes  int", "database_url  string  WINDIE_DATABASE_URL"}, []string{"--database-url"}},
		{[]string{"help", "exit-codes"}, []string{"  0  ", "  1  ", "  2  ", "  3  "}, nil},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			t.Parallel()
			code, out, complaint := windie(t, nil, tt.args...)
			flat := strings.ReplaceAll(out, "Usage:\n  ", "usage: ")
			if code != 0 || complaint != "" {
				t.Errorf("exit code %d, %s", code, complaint)
			}
			for _, text := range tt.has {
				if !strings.Contains(flat, text) {
					t.Errorf("the help has no %q:\n%s", text, out)
				}
			}
			for _, text := range tt.without {
				if strings.Contains(flat, text) {
					t.Errorf("the help has %q:\n%s", text, out)
				}
			}
		})
	}
}

// A call that cannot be carried out as it was written ends with 2, and says how it is written.
func TestWrongCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		says []string
	}{
		{[]string{"tol"}, []string{`unknown command "tol"`, "did you mean", "tool", "usage: windie COMMAND"}},
		{[]string{"tool", "inspec"}, []string{`unknown command "inspec" for "windie tool"; did you mean inspect?`, "usage: windie tool COMMAND"}},
		{[]string{"help", "nonsense"}, []string{`unknown command "nonsense" for "windie"`}},
		{[]string{"help", "tool", "inspec"}, []string{"did you mean inspect?"}},
		{[]string{"completion", "tcsh"}, []string{`unknown command "tcsh" for "windie completion"`}},
		{[]string{"tool", "runtime", "ad"}, []string{`unknown command "ad" for "windie tool runtime"`}},
		{[]string{"user", "create", "bob"}, []string{`windie user create takes no arguments, but got "bob"`}},
		{[]string{"locate", "x.png"}, []string{"missing DESCRIPTION"}},
		{[]string{"tool", "call"}, []string{"missing FILE TOOL"}},
		{[]string{"ocr", "x.png", "y.png"}, []string{`windie ocr takes only FILE, but also got "y.png"`}},
		{[]string{"doctor", "--runnin"}, []string{"unknown flag: --runnin; did you mean --running?"}},
		{[]string{"serve", "--lissten", "x"}, []string{"did you mean --listen?"}},
		{[]string{"look", "x.png", "--region", "1,2,3"}, []string{"wrong arguments:\n  - --region: must be"}},
		{[]string{"locate", "x.png", ""}, []string{"wrong arguments:\n  - DESCRIPTION: must say"}},
		{[]string{"console", "--at", "nowhere"}, []string{"wrong arguments:\n  - --at: "}},
		{[]string{"serve", "--listen", "300.1.1.1:99"}, []string{"the settings have problems", `"300.1.1.1" is neither an IP address, for example 127.0.0.1, nor a host name`}},
		{[]string{"ocr"}, []string{"missing FILE", "usage: windie ocr FILE [flags]", "see also: windie ocr --help"}},
		{[]string{"ocr", "--frob", "x"}, []string{"unknown flag: --frob", "usage: windie ocr FILE [flags]"}},
		{[]string{"look", "x.png", "--role", "buton"}, []string{`--role: there is no "buton"; the roles are button, icon button`}},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			t.Parallel()
			code, out, complaint := windie(t, nil, tt.args...)
			if code != exitUsage || out != "" {
				t.Errorf("exit code %d, printed %q", code, out)
			}
			for _, text := range tt.says {
				if !strings.Contains(complaint, text) {
					t.Errorf("it does not say %q:\n%s", text, complaint)
				}
			}
		})
	}
}

// Every command has a group, a description in one line and an example, and its arguments and the values of its
// flags are in capitals.
func TestCommandsAreDescribed(t *testing.T) {
	t.Parallel()
	root := rootCommand(nil)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.GroupID == "" && c.Name() != "version" {
			t.Errorf("%s has no group", c.Name())
		}
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: Short is %q", c.CommandPath(), c.Short)
		}
		_, arguments, _ := strings.Cut(c.Use, " ")
		if arguments != strings.ToUpper(arguments) {
			t.Errorf("%s: arguments %q are not in capitals", c.CommandPath(), arguments)
		}
		topic := !c.Runnable() && !c.HasSubCommands()
		if c.HasParent() && c.IsAvailableCommand() && !topic && !strings.Contains(c.Example, " "+c.CommandPath()) {
			t.Errorf("%s: the examples %q do not call it", c.CommandPath(), c.Example)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); name != strings.ToUpper(name) {
				t.Errorf("%s --%s: the value %q is not in capitals", c.CommandPath(), f.Name, name)
			}
		})
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(root)
}

// Variables that may be misspelt are warned of by every command.
func TestMisspeltVariables(t *testing.T) {
	t.Parallel()
	var out, complaint output
	if code := run(t.Context(), []string{"version"}, []string{"WINDIE_LISTN=x"}, nil, &out, &complaint); code != 0 ||
		complaint.String() != "windie: WINDIE_LISTN is not a setting; did you mean WINDIE_LISTEN?\n" {
		t.Errorf("exit code %d, %q", code, complaint.String())
	}
}

// Flags of settings that are true or false need no value.
func TestBoolSettings(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"--trusted-network"}, {"--trusted-network=true"}} {
		c, err := loadWith(t, flags, nil, "")
		if err != nil || !c.TrustedNetwork {
			t.Errorf("%v: %t, %v", flags, c.TrustedNetwork, err)
		}
	}
}

// config --json has the settings as values, and no secret.
func TestConfigJSON(t *testing.T) {
	t.Parallel()
	var out, complaint output
	code := run(t.Context(), []string{"config", "--json"}, []string{"WINDIE_OPERATOR_TOKEN=0123456789abcdef0", "WINDIE_DATA_DIR=" + t.TempDir()}, nil, &out, &complaint)
	var got map[string]any
	if err := json.Unmarshal([]byte(out.String()), &got); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, complaint.String())
	}
	said := fmt.Sprint([]any{got["listen"], got["drain_timeout"], got["trusted_network"], got["operator_token"], got["s3.secret_key"]})
	if want := "[127.0.0.1:8765 30s false [set] ]"; said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
}
