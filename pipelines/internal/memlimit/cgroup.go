package memlimit

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// limits returns the limits of the control groups that the process is in, those of version 1 and of version 2, each
// with the groups around it: the least of them holds. A group without a limit adds none, or one beyond any memory.
func limits(root fs.FS) []int64 {
	mounts, _ := fs.ReadFile(root, "proc/self/mountinfo")
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	var out []int64
	for _, line := range strings.Split(string(groups), "\n") {
		parts := strings.SplitN(line, ":", 3) // "4:memory:/a/b", or "0::/a/b" of version 2
		if len(parts) < 3 {
			continue
		}
		file, kind := "memory.max", "cgroup2"
		if parts[1] != "" {
			file, kind = "memory.limit_in_bytes", "cgroup"
		}
		controllers := strings.Split(parts[1], ",")
		if kind == "cgroup" && !slices.Contains(controllers, "memory") {
			continue
		}
		for _, m := range mountsOf(string(mounts), kind) {
			for at := m.inside(parts[2]); ; at = path.Dir(at) {
				text, _ := fs.ReadFile(root, strings.TrimPrefix(path.Join(m.point, at, file), "/"))
				if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
					out = append(out, limit)
				}
				if at == "/" {
					break
				}
			}
		}
	}
	return out
}

// mount is the mount point of a hierarchy of control groups.
type mount struct {
	root  string // the group whose folder point is
	point string
}

// mountsOf reads those of a kind from mountinfo; of version 1 the one with memory.
func mountsOf(mountinfo, kind string) []mount {
	var out []mount
	for _, line := range strings.Split(mountinfo, "\n") {
		// "32 31 0:29 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory"
		before, after, found := strings.Cut(line, " - ")
		place, what := strings.Fields(before), strings.Fields(after)
		if !found || len(place) < 5 || len(what) < 3 || what[0] != kind {
			continue
		}
		if kind == "cgroup2" || slices.Contains(strings.Split(what[2], ","), "memory") {
			out = append(out, mount{root: place[3], point: place[4]})
		}
	}
	return out
}

// inside returns the folder of a group below the mount's; "/" of a group that is not inside.
func (m mount) inside(group string) string {
	group = path.Clean("/" + group)
	if m.root == "/" {
		return group
	}
	if below, ok := strings.CutPrefix(group, m.root); ok {
		return path.Clean("/" + below)
	}
	return "/"
}
