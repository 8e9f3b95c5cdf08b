// The program performs the action that its first argument names. It knows nothing of tools.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

func main() {
	args := os.Args[2:]
	switch os.Args[1] {
	case "args":
		fmt.Printf("%q\n", args)
	case "stdin":
		n, _ := io.Copy(os.Stdout, os.Stdin)
		fmt.Fprintln(os.Stderr, n, "bytes")
	case "files":
		for _, name := range args {
			text, err := os.ReadFile(name)
			fmt.Printf("%s %q %v\n", name, text, err)
		}
	case "list":
		list, err := os.ReadDir("/work")
		fmt.Println(len(list), err, os.Getenv("PWD"), os.Getenv("GREETING"))
	case "write":
		fail(os.WriteFile(args[0], []byte(strings.Repeat("x", number(args[1]))), 0o600))
	case "link":
		fail(os.Symlink(args[0], args[1]))
	case "exit":
		fmt.Print("out")
		fmt.Fprint(os.Stderr, "why")
		os.Exit(number(args[0]))
	case "loop":
		for {
		}
	case "memory":
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<20))
			all[len(all)-1][0] = 1
		}
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	fail(err)
	return n
}

func fail(err error) {
	if err != nil {
		fmt.Fprint(os.Stderr, err)
		os.Exit(9)
	}
}
