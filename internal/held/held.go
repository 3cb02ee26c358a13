package held

import (
	"context"
	"path/filepath"
	"sync"
)

// files are those that this process has open.
var files = struct {
	sync.Mutex
	by map[string]*file
}{by: map[string]*file{}}

// file is one that is open.
type file struct {
	users int           // how many readers, or −1 for a writer
	free  chan struct{} // closed when no user has it open
}

// Read notes a reader of a file until release is called, and reports whether it may read: not while the file is
// written.
func Read(path string) (release func(), ok bool) {
	release, _ = enter(path, 1)
	return release, release != nil
}

// AwaitRead is Read that waits for the writer. Its error is that of ctx.
func AwaitRead(ctx context.Context, path string) (release func(), err error) {
	for {
		release, free := enter(path, 1)
		if release != nil {
			return release, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-free:
		}
	}
}

// Write notes the writer of a file until release is called, and reports whether it may write: not while another does,
// or a reader has it open.
func Write(path string) (release func(), ok bool) {
	release, _ = enter(path, -1)
	return release, release != nil
}

// enter adds a reader, 1, or a writer, −1. Where that cannot be now, release is nil, and free is closed when it may.
func enter(path string, as int) (release func(), free <-chan struct{}) {
	path = name(path)
	files.Lock()
	defer files.Unlock()
	f := files.by[path]
	switch {
	case f == nil:
		f = &file{free: make(chan struct{})}
		files.by[path] = f
	case as < 0 || f.users < 0:
		return nil, f.free
	}
	f.users += as
	return sync.OnceFunc(func() {
		files.Lock()
		defer files.Unlock()
		if f.users -= as; f.users == 0 {
			delete(files.by, path)
			close(f.free)
		}
	}), nil
}

// name is one for all ways to spell a path; a file that is not there yet has links in its folder at most.
func name(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}
