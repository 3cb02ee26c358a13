package main

import "syscall"

// diesWithParent puts a process in a group of its own and ties it to the thread that starts it.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
