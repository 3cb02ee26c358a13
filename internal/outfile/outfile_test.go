package outfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// says fills a file with a text.
func says(text string) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	}
}

// content is that of a file, and its mode.
func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	info, err := os.Stat(path)
	must(t, err)
	return fmt.Sprintf("%s %o", text, info.Mode().Perm())
}

// names are those of the files in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestWriteReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	must(t, Write(path, 0o640, says("one")))
	old, err := os.Open(path)
	must(t, err)
	defer old.Close()
	must(t, os.WriteFile(path+TempSuffix, []byte("left by a process that was killed"), 0o600))
	must(t, Write(path, 0o644, says("two")))
	if got := content(t, path); got != "two 644" {
		t.Errorf("replaced: %s", got)
	}
	if before, _ := io.ReadAll(old); string(before) != "one" {
		t.Errorf("who has the old file open reads %q", before)
	}
	failed := errors.New("no more")
	if err := Write(path, 0o644, func(*os.File) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if got := content(t, path) + "; " + names(t, dir); got != "two 644; a.txt" {
		t.Errorf("after a failure: %s", got)
	}
}

// Links are followed, also those that lead nowhere yet, and stay.
func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "real", "deep"), 0o755))
	must(t, os.Symlink(filepath.Join("real", "deep"), filepath.Join(dir, "folder")))
	must(t, os.Symlink(filepath.Join("..", "a.txt"), filepath.Join(dir, "real", "deep", "second")))
	must(t, os.Symlink(filepath.Join("folder", "second"), filepath.Join(dir, "first")))
	for _, text := range []string{"made", "replaced"} {
		must(t, Write(filepath.Join(dir, "first"), 0o644, says(text)))
		if got := content(t, filepath.Join(dir, "real", "a.txt")); got != text+" 644" {
			t.Errorf("at the end of the links: %s", got)
		}
	}
	for _, link := range []string{"first", "folder", filepath.Join("folder", "second")} {
		if info, err := os.Lstat(filepath.Join(dir, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", link, err)
		}
	}
	circle := filepath.Join(dir, "circle")
	must(t, os.Symlink("circle", circle))
	if err := Write(circle, 0o644, says("x")); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a circle of links: %v", err)
	}
	must(t, os.Symlink(filepath.Join(dir, "real", "a.txt"), filepath.Join(dir, "b.txt"+TempSuffix)))
	if err := Write(filepath.Join(dir, "b.txt"), 0o644, says("stolen")); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link in place of the file beside: %v", err)
	}
}

// Devices and pipes are written to as they are, and no other kind of thing is.
func TestWriteInPlace(t *testing.T) {
	dir := t.TempDir()
	device := filepath.Join(dir, "null")
	must(t, os.Symlink(os.DevNull, device))
	for _, path := range []string{os.DevNull, device} {
		must(t, Write(path, 0o644, says("gone")))
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("%s is no device any more: %v", os.DevNull, err)
	}
	pipe := filepath.Join(dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	if err := Write(pipe, 0o644, says("x")); err == nil || !strings.Contains(err.Error(), "start its reader first") {
		t.Errorf("a pipe without a reader: %v", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	must(t, err)
	defer reader.Close()
	must(t, Write(pipe, 0o644, says("through")))
	if got, err := io.ReadAll(reader); err != nil || string(got) != "through" {
		t.Errorf("read %q from the pipe, %v", got, err)
	}
	if err := Write(dir, 0o644, says("x")); err == nil || !strings.Contains(err.Error(), "name a file inside it") {
		t.Errorf("a folder: %v", err)
	}
	if got := names(t, dir); got != "null pipe" {
		t.Errorf("left: %s", got)
	}
}

// New leaves an existing file unchanged.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	must(t, New(path, 0o600, says("first")))
	if err := New(path, 0o600, says("second")); !errors.Is(err, os.ErrExist) {
		t.Errorf("error %v", err)
	}
	if got := content(t, path) + "; " + names(t, dir); got != "first 600; a.txt" {
		t.Errorf("afterwards: %s", got)
	}
}

// Writers of one file take turns, and each leaves a whole file.
func TestWritersTakeTurns(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				if err := Write(path, 0o644, says(strings.Repeat(fmt.Sprint(i), 1<<16))); err != nil {
					t.Error(err)
				}
				text, err := os.ReadFile(path)
				if err != nil || len(text) != 1<<16 || len(bytes.Trim(text, string(text[:1]))) > 0 {
					t.Errorf("half a file: %d bytes, %v", len(text), err)
				}
			}
		})
	}
	all.Wait()
	if got := names(t, dir); got != "a.txt" {
		t.Errorf("left: %s", got)
	}
}

// slowEnv makes this test binary a process that writes to the file that it names and does not end.
const slowEnv = "GLMBATCH_TEST_SLOW"

func TestMain(m *testing.M) {
	if path := os.Getenv(slowEnv); path != "" {
		_ = Write(path, 0o644, func(f *os.File) error {
			_, _ = f.WriteString("half")
			fmt.Println("halfway")
			time.Sleep(time.Hour)
			return nil
		})
	}
	os.Exit(m.Run())
}

// However many processes are killed while they write a file, one file is next to it, and none after the next that
// is not killed.
func TestKilledWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	must(t, Write(path, 0o644, says("old")))
	for range 2 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), slowEnv+"="+path)
		stdout, err := child.StdoutPipe()
		must(t, err)
		must(t, child.Start())
		_, err = io.ReadFull(stdout, make([]byte, len("halfway")))
		must(t, err)
		must(t, child.Process.Kill())
		_ = child.Wait() // it was killed
		if got := content(t, path) + "; " + names(t, dir); got != "old 644; page.html page.html"+TempSuffix {
			t.Errorf("after a kill: %s", got)
		}
	}
	must(t, Write(path, 0o644, says("new")))
	if got := content(t, path) + "; " + names(t, dir); got != "new 644; page.html" {
		t.Errorf("afterwards: %s", got)
	}
}

// A file has the permissions that it is asked for, less those of the umask, also where a killed process left another.
func TestUmask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	defer syscall.Umask(syscall.Umask(0o027))
	for _, left := range []bool{false, true} {
		if left {
			must(t, os.WriteFile(path+TempSuffix, nil, 0o600))
		}
		must(t, Write(path, 0o666, func(*os.File) error { return nil }))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}
