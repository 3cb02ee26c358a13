package memlimit

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
)

// The default ceiling leaves a quarter of the memory to all else: other programs, files that the kernel keeps, and
// what a run takes beyond its estimates. least is what a run needs of its own.
const (
	shareOf, shareFrom = 3, 4
	least              = 128e6
)

// Default returns the ceiling of this machine in bytes, and 0 if the system does not report its memory.
func Default() int64 { return Of(os.DirFS("/")) }

// Of returns the ceiling of the machine whose files root has: three quarters of its memory, or of the least limit
// among those of the process's control groups if that is lower. It is 0 if neither is known.
func Of(root fs.FS) int64 {
	memory := total(root)
	for _, limit := range limits(root) {
		if memory == 0 || limit < memory {
			memory = limit
		}
	}
	if memory == 0 {
		return 0
	}
	return max(least, memory/shareFrom*shareOf)
}

// total is the memory of the machine, 0 if it is not known.
func total(root fs.FS) int64 {
	text, _ := fs.ReadFile(root, "proc/meminfo")
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var kilobytes int64
		if n, _ := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return 0
}
