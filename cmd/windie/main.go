// Command windie is a gateway for agents that look at screens and use tools.
//
//	windie serve                        run the gateway
//	windie agent                        talk to an agent that works with the tools of this machine
//	windie mcp                          serve the gateway's tools to one MCP client, over stdin and stdout
//	windie desktop                      lend this machine's screen, keyboard and files to the agent
//	windie ocr shot.png --find "Save"   read one picture, without a gateway
//	windie look shot.png                list the texts and elements of one picture
//	windie locate shot.png "the bell"   find a described element in one picture
//	windie eval DIR                     measure reading on labelled screens
//	windie tool                         write, build, inspect, call and test plugins
//	windie plugin                       add, update, publish and sign plugins
//	windie memory                       write, search and check the memory of agents
//	windie user, windie token           manage the users of a hosted gateway and their tokens
//	windie console                      print a link to the console
//	windie approvals                    list, approve and deny calls that wait for a person
//	windie audit                        list the calls of tools
//	windie config                       print the current settings
//	windie backup, windie restore       write all stored data to one file, and read it back
//	windie migrate                      move data from SQLite to PostgreSQL, or from a folder to S3
//	windie scrub                        check all artifacts for damage
//	windie doctor                       check the requirements of the gateway
//	windie top                          show the activity of a running gateway
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/perception/lstm"
)

// main ends with the exit code of run. It also serves as the supervisor of an agent's programs.
func main() {
	computer.Supervise() // does not return in a process that supervises an agent's program
	os.Exit(run(untilSignaled(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// untilSignaled returns a context that ends with a signal. As soon as the context has ended, a
// second signal ends the program.
func untilSignaled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan os.Signal, 1)
	signal.Notify(first, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-first
		signal.Stop(first)
		cancel()
	}()
	return ctx
}

// run runs the command that args name, and returns the exit code. Tests call it instead of main.
func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := rootCommand(environ)
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.InitDefaultCompletionCmd(args...) // only here, because it remembers the output that is set above
	finishCommands(cmd)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if unknown := ""; !errors.As(err, new(*usageError)) {
		if _, failed := fmt.Sscanf(err.Error(), "unknown command %q for", &unknown); failed == nil {
			err = unknownCommand(cmd, unknown)
		}
	}
	return reportError(ctx, err, stderr)
}

// reportError prints why a command failed, unless that is already printed, and returns the exit code.
func reportError(ctx context.Context, err error, stderr io.Writer) int {
	text := strings.TrimSpace(err.Error())
	if silent, ok := errors.AsType[silentError](err); ok && text == "" { // joined errors may have a text
		return int(silent)
	}
	interrupted := ctx.Err() != nil && errors.Is(err, context.Canceled)
	// the command itself has nothing to report
	if interrupted && strings.HasSuffix(text, context.Canceled.Error()) {
		text = "interrupted"
	}
	fmt.Fprintln(stderr, "windie:", plain.Lines(text, ""))
	if interrupted {
		return exitInterrupted
	}
	return exitCodeOf(err)
}

// rootCommand returns windie with all its commands. run completes it with finishCommands.
func rootCommand(environ []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "windie",
		Short:         "A self-hosted gateway for agents that look at screens and use tools",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,

		DisableSuggestions: true, // of cobra; unknownCommand makes its own
	}
	root.SetVersionTemplate("windie {{.Version}}\n")
	root.SetUsageFunc(printUsage)
	root.SetFlagErrorFunc(explainFlag)
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		if cmd.Name() == "serve" || cmd.Name() == "doctor" { // these report it themselves
			return
		}
		for _, said := range unknownVariables(environ) {
			fmt.Fprintln(cmd.ErrOrStderr(), "windie:", plain.Text(said))
		}
	}
	load := addConfigFlags(root, environ)
	root.AddGroup(commandGroups...)
	root.AddCommand(inGroup("gateway", serveCommand(load, environ), doctorCommand(load, environ), topCommand(load), configCommand(load), embedCommand(load), consoleCommand(load))...)
	root.AddCommand(inGroup("pictures", ocrCommand(load), lookCommand(load), locateCommand(load), evalCommand(load))...)
	root.AddCommand(inGroup("tools", agentCommand(load, environ), toolCommand(load, environ), pluginCommand(load, environ), mcpCommand(load, environ), modelsCommand(load, environ),
		workerCommand(load), desktopCommand(load), approvalsCommand(load), auditCommand(load))...)
	root.AddCommand(inGroup("people", userCommand(load), tokenCommand(load))...)
	root.AddCommand(inGroup("state", memoryCommand(load), backupCommand(load), restoreCommand(load), migrateCommand(load),
		scrubCommand(load), pruneCommand(load))...)
	root.AddCommand(versionCommand(), manCommand())
	startWithSummaries(root)
	root.AddCommand(helpTopics(root)...)
	root.SetHelpCommand(helpCommand())
	return root
}

// build is the output of `windie version --json`.
type build struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	// instruction sets that the reader can use on this processor, fastest first
	Kernels []string `json:"kernels"`
}

// versionCommand returns `windie version`. It needs no settings, so it works if they are invalid.
func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  windie version\n  windie version --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return plain.JSON(cmd.OutOrStdout(), build{version, runtime.Version(), runtime.GOOS, runtime.GOARCH, lstm.Kernels()})
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "windie", version)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the version and the build target as JSON")
	return cmd
}
