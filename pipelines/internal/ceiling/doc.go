// Package ceiling says how much memory a run may take where nobody has said it: a share of what the machine has, or of
// what the control group allows that the process is in; and how much of it may be garbage. It looks at files of the
// kernel, and decides no bits.
//
// Read ceiling.go, then cgroup.go and garbage.go.
package ceiling
