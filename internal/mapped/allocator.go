package mapped

import (
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// segmentBytes is the size of the files of an Allocator.
const segmentBytes = 64 << 20

// Allocator gives memory of a folder to arrays. It panics with the error if there is no room.
type Allocator struct {
	folder *Folder

	mu      sync.Mutex
	at      map[*byte]*segment // what is out, by its first byte
	current *segment
}

// segment is a file from whose beginning on memory is given out; it goes when all of that is back.
type segment struct {
	bytes     []byte
	used, out int
}

// Allocator returns the folder's memory for arrays.
func (f *Folder) Allocator() *Allocator { return &Allocator{folder: f, at: map[*byte]*segment{}} }

// Allocate returns memory whose bytes are 0.
func (a *Allocator) Allocate(size int) []byte {
	if size == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	const line = 64
	s := a.current
	if s == nil || s.used+size > len(s.bytes) {
		bytes, err := a.folder.bytes(max(segmentBytes, int64(size)))
		if err != nil {
			panic(err)
		}
		s = &segment{bytes: bytes}
		a.current = s
	}
	out := s.bytes[s.used : s.used+size : s.used+size]
	s.used += (size + line - 1) / line * line
	s.out++
	a.at[&out[0]] = s
	return out
}

// Reallocate is for memory that grows, which a table's own does not.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	if size <= len(b) {
		return b[:size]
	}
	out := a.Allocate(size)
	copy(out, b)
	a.Free(b)
	return out
}

// Free takes back what Allocate gave.
func (a *Allocator) Free(b []byte) {
	if len(b) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.at[&b[0]]
	delete(a.at, &b[0])
	s.out--
	if s.out > 0 {
		return
	}
	remove(s.bytes)
	if s == a.current {
		a.current = nil
	}
}

var _ memory.Allocator = (*Allocator)(nil)
