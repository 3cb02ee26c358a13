package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// acts names the environment variable by which the test binary becomes the program pipeline. It lists what the calls do in
// turn, the last for all that follow: a number is an exit code, "hang" waits for SIGTERM and exits 130, "deaf" does not mind it, "die"
// ends by SIGKILL, "part" ends as gather --partial does if a shard is missing. "parent" is a worker that carries out a shard and hangs.
const acts = "GLMBATCH_FAKE"

func TestMain(m *testing.M) {
	if list := os.Getenv(acts); list != "" {
		os.Exit(fake(strings.Fields(list), os.Args[1:]))
	}
	code := m.Run()
	summary(code)
	os.Exit(code)
}

// summary ends the tests with a server, which print one line on all of them.
var summary = func(code int) {}

// fake keeps the contract of pipeline's verbs: what it prints, the files of a folder, and exit codes.
func fake(list, args []string) int {
	if list[0] == "parent" {
		os.Setenv(acts, "hang")
		a := Activities{Program: os.Args[0], Grace: time.Minute, Every: time.Second}
		fmt.Println(a.process(nil, nil, func() {}, []string{"run", "--plan", args[0], "--shard", "0/1"}))
		return 1
	}
	dir := args[1] // of gather
	for i, arg := range args {
		if arg == "--plan" || arg == "--to" {
			dir = args[i+1]
		}
	}
	turn := called(dir, args)
	act := list[min(turn, len(list)-1)]
	switch args[0] {
	case "plan":
		var n int
		fmt.Sscan(args[3], &n)
		keep(filepath.Join(dir, "plan.json"), planned(n))
	case "run":
		var i, n int
		fmt.Sscanf(args[4], "%d/%d", &i, &n)
		keep(filepath.Join(dir, "progress", strconv.Itoa(i)+".json"), Beat{Shard: i, Fits: 5, Done: 4 + turn, Failed: 1, SpoolBytes: 1 << 20})
		keep(filepath.Join(dir, "pid"), os.Getpid())
	}
	fmt.Fprintf(os.Stderr, "one\nturn %d of %s\n", turn, args[0])
	switch act {
	case "hang":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		keep(filepath.Join(dir, "hangs"), true)
		<-c
		return 130
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		keep(filepath.Join(dir, "hangs"), true)
		time.Sleep(time.Minute)
	case "part":
		fmt.Fprintln(os.Stderr, "missing: shard 1 has no fragment\nexit code 3: 1 missing")
		return 3
	case "die":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	}
	code, err := strconv.Atoi(act)
	if err != nil {
		panic("no act " + act)
	}
	return code
}

// planned is the fake's plan: five fits in each shard.
func planned(shards int) map[string][]int {
	return map[string][]int{"fits": slices.Repeat([]int{5}, shards)}
}

// called appends a call to DIR/calls and returns how many there were.
func called(dir string, args []string) int {
	path := filepath.Join(dir, "calls")
	text, _ := os.ReadFile(path)
	if err := os.MkdirAll(filepath.Join(dir, "progress"), 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, append(text, strings.Join(args, " ")+"\n"...), 0o644); err != nil {
		panic(err)
	}
	return strings.Count(string(text), "\n")
}

// keep writes a file of JSON whole.
func keep(path string, value any) {
	text, err := json.Marshal(value)
	whole := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err == nil {
		err = os.WriteFile(whole, text, 0o644)
	}
	if err == nil {
		err = os.Rename(whole, path)
	}
	if err != nil {
		panic(err)
	}
}

// faked returns activities whose program is this test, and a folder with a plan of two shards.
func faked(t *testing.T, list string) (*Activities, string) {
	t.Helper()
	t.Setenv(acts, list)
	dir := t.TempDir()
	keep(filepath.Join(dir, "plan.json"), planned(2))
	return &Activities{Program: os.Args[0], Grace: 10 * time.Second, Every: 20 * time.Millisecond}, dir
}

// await waits for a file of the fake.
func await(t *testing.T, path string) []byte {
	t.Helper()
	for range 1000 {
		if text, err := os.ReadFile(path); err == nil {
			return text
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("there is no %s after 10 s", path)
	return nil
}
