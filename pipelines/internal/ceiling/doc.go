// Package ceiling says how much memory a run may take where nobody has said it: a share of what the machine has, or of
// what the control group allows that the process is in. It looks at files of the kernel, and decides no bits.
//
// Read ceiling.go, then cgroup.go.
package ceiling
