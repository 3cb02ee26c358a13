//go:build loopback

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The last line of the tests with a server: how many runs were as they must be, and what was measured.
var (
	held, lost, skipped []string
	facts               []string
)

func init() {
	summary = func(code int) {
		load, _ := os.ReadFile("/proc/loadavg")
		line := "temporal: ok"
		if code != 0 {
			line = "temporal: FAILED"
		}
		if all := len(held) + len(lost) + len(skipped); all > 0 {
			line += fmt.Sprintf("; %d of %d nights ended with the digests of one run", len(held), all)
		}
		for what, names := range map[string][]string{"not so": lost, "left out": skipped} {
			if len(names) > 0 {
				line += fmt.Sprintf("; %s: %s", what, strings.Join(names, ", "))
			}
		}
		for _, fact := range facts {
			line += "; " + fact
		}
		fmt.Printf("%s; load %s\n", line, strings.Fields(string(load) + " ?")[0])
	}
}

// note notes how a night's test ended.
func note(t *testing.T) {
	_, name, _ := strings.Cut(t.Name(), "/")
	switch {
	case t.Failed():
		lost = append(lost, name)
	case t.Skipped():
		skipped = append(skipped, name)
	default:
		held = append(held, name)
	}
}

// fact logs what was measured, and keeps it for the last line.
func fact(t *testing.T, format string, args ...any) {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	t.Log(text)
	facts = append(facts, text)
}

// short is a duration as people read it.
func short(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// loaded reports whether other processes want the processors, so that times mean little.
func loaded() bool {
	text, _ := os.ReadFile("/proc/loadavg")
	var load float64
	fmt.Sscan(string(text), &load)
	return load > 2
}
