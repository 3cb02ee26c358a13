//go:build !linux

package main

import "syscall"

// diesWithParent puts a process in a group of its own. Only Linux ties it to its parent.
func diesWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
