package ingest

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// budget is an allocator that panics with a *budgetError once more than most
// bytes are out, which guarded turns into an error. A damaged or hostile file
// that claims to hold petabytes then costs an error and not the process.
type budget struct {
	memory.Allocator
	most  int64
	out   atomic.Int64
	claim func(bytes int64) error // Source.Claim
	shelf *shelf                  // nil if there is no memory beyond the heap

	mu      sync.Mutex
	claimed int64
}

// claimStep is the memory of columns before they claim any, and the step of a claim.
const claimStep = 64 << 20

// budgetError reports that columns need more memory than is available. Need is the memory for the whole file, 0 if
// that is not known.
type budgetError struct{ most, need int64 }

func (e *budgetError) Error() string {
	if e.need > e.most {
		return fmt.Sprintf("the data need about %s of memory, and reading may take %s", words.Bytes(e.need),
			words.Bytes(e.most))
	}
	return fmt.Sprintf("the data need more than %s of memory", words.Bytes(e.most))
}

const budgetHint = "name fewer columns in formulas, read fewer rows (sql: chooses them), or give it more: --memory, " +
	"or run: {memory: …}"

// hinted adds what to do about an error to one of the budget.
func hinted(err error) error {
	var over *budgetError
	if errors.As(err, &over) {
		return words.Hint(err, budgetHint)
	}
	return err
}

func (b *budget) charge(n int) {
	out := b.out.Add(int64(n))
	if n <= 0 {
		return
	}
	if out > b.most {
		b.out.Add(int64(-n))
		panic(&budgetError{most: b.most})
	}
	if b.claim != nil && out > claimStep {
		b.claimUpTo(out)
	}
}

// claimUpTo claims what columns take beyond the first step.
func (b *budget) claimUpTo(out int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.claimed < out-claimStep {
		if err := b.claim(claimStep); err != nil {
			panic(err)
		}
		b.claimed += claimStep
	}
}

// charge takes bytes besides columns from the budget that mem is.
func charge(mem memory.Allocator, bytes int) {
	if b, ok := mem.(*budget); ok {
		b.charge(bytes)
	}
}

// announce is for a panic while a file is read from its beginning on: one of the budget gets what the whole file would
// need, by the part that was read. It panics again.
func announce(in content, p any) {
	if p == nil {
		return
	}
	over, ok := p.(*budgetError)
	at, err := in.Seek(0, io.SeekCurrent)
	if ok && err == nil && at > 0 {
		over.need = int64(float64(over.most) * float64(in.Size()) / float64(at))
	}
	panic(p)
}

func (b *budget) Allocate(size int) []byte {
	b.charge(size)
	return b.Allocator.Allocate(size)
}

func (b *budget) Reallocate(size int, p []byte) []byte {
	b.charge(size - len(p))
	return b.Allocator.Reallocate(size, p)
}

func (b *budget) Free(p []byte) {
	b.out.Add(int64(-len(p)))
	b.Allocator.Free(p)
}

// shelf is where the numbers of columns stay: in the heap, and from some bytes on beyond it.
type shelf struct {
	heap   *budget
	beyond Beyond

	mu     sync.Mutex
	inHeap int64
	there  map[*byte]bool // what is beyond, by its first byte
	out    int64          // beyond
}

// kept is the allocator of what stays of a table that mem's budget is for.
func kept(mem memory.Allocator) memory.Allocator {
	if b, ok := mem.(*budget); ok && b.shelf != nil {
		return b.shelf
	}
	return mem
}

func (s *shelf) Allocate(size int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inHeap+int64(size) <= s.beyond.Heap {
		s.inHeap += int64(size)
		return s.heap.Allocate(size)
	}
	if s.out+int64(size) > s.beyond.Most {
		panic(&budgetError{most: s.beyond.Heap + s.beyond.Most})
	}
	b := s.beyond.Memory.Allocate(size)
	s.out += int64(len(b))
	s.there[&b[0]] = true
	return b
}

func (s *shelf) Reallocate(size int, p []byte) []byte {
	if size <= len(p) {
		return p[:size]
	}
	out := s.Allocate(size)
	copy(out, p)
	s.Free(p)
	return out
}

func (s *shelf) Free(p []byte) {
	if len(p) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.there[&p[0]] {
		s.inHeap -= int64(len(p))
		s.heap.Free(p)
		return
	}
	delete(s.there, &p[0])
	s.out -= int64(len(p))
	s.beyond.Memory.Free(p)
}

// guarded runs f and turns a panic into an error: the readers of other
// people's files must not end the process.
func guarded(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *budgetError:
			err = p
		case error:
			err = fmt.Errorf("the reader failed: %w", p)
		default:
			err = fmt.Errorf("the reader failed: %v", p)
		}
	}()
	return f()
}
