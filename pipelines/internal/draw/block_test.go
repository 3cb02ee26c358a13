package draw

import (
	"testing"

	"glmbatch/pipelines/internal/plan"
)

// A block has at most 1024 draws and the bytes of a block, one draw at least, and where
// it has 128 or more it ends with a refresh of a kernel, after which states are small.
func TestBlockSize(t *testing.T) {
	for params, want := range map[int]int{1: 1024, 100: 1024, plan.BlockBytes / 8 / 300: 256,
		plan.BlockBytes / 8 / 127: 127, plan.BlockBytes / 8: 1, plan.BlockBytes: 1} {
		n := blockSize(params)
		if n > 1 && 8*n*params > plan.BlockBytes || n >= 128 && n%128 != 0 {
			t.Errorf("%d numbers a draw: blocks of %d draws", params, n)
		}
		if n != want {
			t.Errorf("%d numbers a draw: blocks of %d draws, want %d", params, n, want)
		}
	}
}
