package report

import (
	"context"
	"os"
	"testing"
)

// The blocks that the file lists as free are those that, according to the engine, no table and no catalog uses,
// after fits were written and taken out again. A file that ends before such a block is whole, and one that ends
// before another is not.
func TestFreeBlocks(t *testing.T) {
	l, ctx := open(t, Options{Threads: 1}), context.Background()
	for _, name := range []string{"f1", "f2", "f3"} {
		store(t, l, sampleFit(name), benchFit(20, layoutDraws, 8))
	}
	f, err := os.Open(l.path)
	must(t, err)
	defer f.Close()
	used, err := l.usedBlocks(ctx)
	must(t, err)
	blocks, bad, err := badBlocks(ctx, f)
	must(t, err)
	free := freeBlocks(f)
	if len(bad) > 0 || len(free) == 0 || len(used)+len(free) != blocks {
		t.Errorf("%d blocks, bad %v, %d in use, free %v", blocks, bad, len(used), free)
	}
	for block := range free {
		if used[block] != "" {
			t.Errorf("block %d is free, and holds %s", block, used[block])
		}
	}
	for last := int64(blocks) - 1; last >= 0 && blocks-int(last) < 6; last-- {
		must(t, os.Truncate(l.path, headers+last<<18))
		if err := l.Whole(ctx); isDamage(err) == free[last] {
			t.Errorf("cut before block %d (%s): %v", last, used[last], err)
		}
		if !free[last] {
			break
		}
	}
}

// A list that leads nowhere, or to a block that is not as it was written, says nothing.
func TestFreeBlocksOfDamage(t *testing.T) {
	l, ctx := open(t, Options{Threads: 1}), context.Background()
	store(t, l, sampleFit("f1"), benchFit(20, layoutDraws, 8))
	whole, err := os.ReadFile(l.path)
	must(t, err)
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	header, err := newestHeader(f)
	must(t, err)
	list := int64(field(header, 3) & (1<<placeBits - 1))
	if freeBlocks(f) == nil {
		t.Fatal("a whole file has no list")
	}
	_, err = f.WriteAt([]byte{^whole[headers+list<<18+5000]}, headers+list<<18+5000)
	must(t, err)
	if free := freeBlocks(f); free != nil {
		t.Errorf("a damaged list: %v", free)
	}
	if err := l.Whole(ctx); !isDamage(err) {
		t.Errorf("a damaged list is whole: %v", err)
	}
}
