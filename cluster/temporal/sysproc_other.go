//go:build !linux

package main

import "syscall"

// diesWithParent puts a process in a group of its own. Only Linux ties it to its parent: elsewhere a process outlives a
// worker that is killed, and its shard is carried out twice, with equal draws.
func diesWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
