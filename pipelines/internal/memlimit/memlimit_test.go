package memlimit

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// The ceiling is three quarters of the least of: the machine, the process's control group, the groups around it.
func TestOf(t *testing.T) {
	const (
		machine = "MemFree:  1 kB\nMemTotal:       16777216 kB\n" // 16 GiB
		v1      = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n" +
			"33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
			"35 31 0:32 / /sys/fs/cgroup/memory rw shared:4 - cgroup cgroup rw,memory\n"
		docker1 = "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		v2      = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
		none    = "9223372036854771712\n" // as version 1 writes it
	)
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no system":  {map[string]string{}, 0},
		"no groups":  {map[string]string{"proc/meminfo": machine}, 12 << 30},
		"not a line": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "nonsense\n\n"}, 12 << 30},
		"v1": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v1,
			"proc/self/cgroup": "4:memory:/a/b\n1:cpu:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "4294967296\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes":   none,
			"sys/fs/cgroup/cpu/a/memory.limit_in_bytes":      "1000\n"}, 3 << 30},
		"v1, the group around it": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v1,
			"proc/self/cgroup": "4:cpuacct,memory:/a/b\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": none,
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes":   "2147483648\n"}, 3 << 29},
		"v1 in a container": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": docker1,
			"proc/self/cgroup":                               "4:memory:/docker/abc/job\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     none,
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "4294967296\n"}, 3 << 30},
		"v2": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v2,
			"proc/self/cgroup": "0::/user.slice/job.scope\n",
			"sys/fs/cgroup/user.slice/job.scope/memory.max": "4294967296\n",
			"sys/fs/cgroup/user.slice/memory.max":           "max\n"}, 3 << 30},
		"v2, the group around it": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v2,
			"proc/self/cgroup": "0::/user.slice/job.scope\n",
			"sys/fs/cgroup/user.slice/job.scope/memory.max": "max\n",
			"sys/fs/cgroup/user.slice/memory.max":           "4294967296\n"}, 3 << 30},
		"v2 in a container": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v2,
			"proc/self/cgroup": "0::/../../outside\n", "sys/fs/cgroup/memory.max": "4294967296\n"}, 3 << 30},
		"more than the machine": {map[string]string{"proc/meminfo": machine, "proc/self/mountinfo": v2,
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999999\n"}, 12 << 30},
		"no machine":  {map[string]string{"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4294967296"}, 3 << 30},
		"very little": {map[string]string{"proc/meminfo": "MemTotal: 1000 kB\n"}, 128e6},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := Of(root); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

// On Linux the kernel reports it.
func TestDefault(t *testing.T) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil || !strings.Contains(string(text), "MemTotal") {
		t.Skip("this system has no /proc/meminfo")
	}
	if got := Default(); got < 128e6 || got > 1<<50 {
		t.Errorf("the default ceiling is %d bytes", got)
	}
}
