package rootfs_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental/sysfs"

	"github.com/windieos/windie/wasmtools/rootfs"
)

func Example() {
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "passwords")); err != nil {
		log.Fatal(err)
	}

	m, err := rootfs.Open(dir, rootfs.Options{Write: true, MaxBytes: 10 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	folders := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(m.FS(), "/notes")
	_ = wazero.NewModuleConfig().WithFSConfig(folders) // for the guest

	_, errno := m.FS().Stat("passwords")
	fmt.Println("passwords:", errno)
	fmt.Println("a folder:", m.FS().Mkdir("today", 0), "and", m.Used(), "bytes used")
	// Output:
	// passwords: operation not permitted
	// a folder: success and 2048 bytes used
}
