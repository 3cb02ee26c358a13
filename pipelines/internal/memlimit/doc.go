// Package memlimit determines the memory of a run if the caller gives no limit: a share of the machine's memory, or
// of the limit of the process's control group; and the share of it that may be garbage. It looks at files of the
// kernel, and decides no bits.
//
// Read memlimit.go, then cgroup.go and garbage.go.
package memlimit
