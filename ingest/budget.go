package ingest

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// budget is an allocator that panics with a *budgetError once more than most
// bytes are out, which guarded turns into an error. A damaged or hostile file
// that claims to hold petabytes then costs an error and not the process.
type budget struct {
	memory.Allocator
	most int64
	out  atomic.Int64
}

type budgetError struct{ most int64 }

func (e *budgetError) Error() string {
	return fmt.Sprintf("the columns need more than %d MiB of memory", e.most>>20)
}

func (b *budget) charge(n int) {
	if b.out.Add(int64(n)) > b.most && n > 0 {
		b.out.Add(int64(-n))
		panic(&budgetError{b.most})
	}
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

// guarded runs f and turns a panic into an error: the readers of other
// people's files must not end the process.
func guarded(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *budgetError:
			err = p
		case error:
			err = fmt.Errorf("the reader gave up: %w", p)
		default:
			err = fmt.Errorf("the reader gave up: %v", p)
		}
	}()
	return f()
}
