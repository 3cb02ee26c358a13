package mapped

import (
	"fmt"
	"os"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
)

// Folder gives memory in files of a folder. It may be used by several goroutines.
type Folder struct {
	dir string

	mu      sync.Mutex
	regions [][]byte
}

// In returns the memory of a folder, which is made when it is needed. Release gives all of it back.
func In(dir string) *Folder { return &Folder{dir: dir} }

// bytes maps a file of some size.
func (f *Folder) bytes(size int64) ([]byte, error) {
	err := os.MkdirAll(f.dir, 0o755)
	if err != nil {
		return nil, err
	}
	if err := room(f.dir, size); err != nil {
		return nil, noRoom(f.dir, size, err)
	}
	file, err := os.CreateTemp(f.dir, ".mapped-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the mapping holds what is left of it
	if err := os.Remove(file.Name()); err != nil {
		return nil, err
	}
	out, err := mapFile(file, size)
	if err != nil {
		return nil, noRoom(f.dir, size, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.regions = append(f.regions, out)
	return out, nil
}

func noRoom(dir string, size int64, err error) error {
	return fmt.Errorf("there is no room for a file of %d MB in %s: %w", size/1e6, dir, err)
}

// Numbers returns numbers that are 0.
func (f *Folder) Numbers(n int) (*Region, error) {
	bytes, err := f.bytes(8 * int64(n))
	if err != nil {
		return nil, err
	}
	return &Region{Values: arrow.GetData[float64](bytes), folder: f, bytes: bytes}, nil
}

// Release gives memory and disk back, of a nil folder none. Whoever still holds numbers reads 0: no address becomes
// invalid.
func (f *Folder) Release() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.regions {
		remove(r)
	}
	f.regions = nil
}

// Region is memory of a folder, as a design takes it.
type Region struct {
	Values []float64
	folder *Folder
	bytes  []byte
}

// Zeros returns n numbers in another file of the folder.
func (r *Region) Zeros(n int) ([]float64, error) {
	beside, err := r.folder.Numbers(n)
	if err != nil {
		return nil, err
	}
	return beside.Values, nil
}

// Idle says that the numbers first to last−1 are not needed soon: the process gives their pages up. They are read from
// the file, or from what the system has kept of it, when they are needed again.
func (r *Region) Idle(first, last int) {
	page := os.Getpagesize()
	from, to := (8*first+page-1)/page*page, 8*last/page*page
	if last == len(r.Values) {
		to = 8 * last
	}
	if from < to {
		idle(r.bytes[from:to])
	}
}
