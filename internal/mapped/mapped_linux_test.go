package mapped

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Numbers keep their values when their pages are given up, no file has a name, and what is released reads 0.
func TestNumbers(t *testing.T) {
	dir := t.TempDir()
	f := In(dir + "/work")
	const n = 1 << 18 // 2 MB
	r, err := f.Numbers(n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Values {
		r.Values[i] = float64(i)
	}
	if left, err := os.ReadDir(dir + "/work"); err != nil || len(left) != 0 {
		t.Errorf("files with names: %v, %v", left, err)
	}
	for _, idle := range [][2]int{{0, n}, {1, n - 1}, {511, 513}, {5, 5}, {n - 1, n}} {
		r.Idle(idle[0], idle[1])
	}
	for i, v := range r.Values {
		if v != float64(i) {
			t.Fatalf("number %d is %v after its page was given up", i, v)
		}
	}
	other, err := r.Zeros(n)
	if err != nil || len(other) != n || other[n-1] != 0 {
		t.Fatal("the numbers beside", err)
	}
	f.Release()
	if r.Values[n-1] != 0 || other[0] != 0 {
		t.Error("numbers outlive their release")
	}
}

// A file that has no room is an error that names the folder, before a page or a block is used: a disk that is full
// for a moment fails whoever writes then.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	size := 2*int64(disk.Bavail)*disk.Bsize + 1<<30
	if err := room(dir, size); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("error %v before a file is made", err)
	}
	_, err := In(dir).Numbers(int(size / 8))
	if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("error %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
}

// A file goes when all that it gave is back.
func TestAllocator(t *testing.T) {
	f := In(t.TempDir())
	a := f.Allocator()
	const size = segmentBytes / 4
	var out [][]byte
	for i := range 6 {
		b := a.Allocate(size)
		b[0], b[size-1] = byte(i+1), byte(i+1)
		out = append(out, b)
	}
	if len(f.regions) != 2 {
		t.Fatalf("%d files for six quarters", len(f.regions))
	}
	for i, b := range out {
		if b[0] != byte(i+1) || b[size-1] != byte(i+1) {
			t.Errorf("quarter %d was overwritten", i)
		}
	}
	for _, b := range out[1:4] {
		a.Free(b)
	}
	if out[0][0] != 1 {
		t.Error("a file went before all of it was back")
	}
	a.Free(out[0])
	if out[0][0] != 0 || out[4][0] != 5 {
		t.Error("the first file should be gone, and the second not")
	}
	big := a.Allocate(2 * segmentBytes)
	if grown := a.Reallocate(100, big); len(grown) != 100 {
		t.Error("not shortened")
	}
	if len(a.Allocate(0)) != 0 {
		t.Error("no bytes are some")
	}
}
