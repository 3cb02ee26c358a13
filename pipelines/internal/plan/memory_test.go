package plan

import (
	"strconv"
	"strings"
	"testing"
)

// What a hint says would do does, and the smallest limit leaves something.
func TestMemoryEstimates(t *testing.T) {
	for _, rows := range []int{10, 1000, 1_000_000, 5_000_000} {
		for _, columns := range []int{1, 20, 100_000} {
			small := Memory{Limit: 128e6, Workers: 2}
			err := small.refuse(needOf(rows, columns))
			if err == nil {
				continue
			}
			_, hint, _ := strings.Cut(err.Error(), "--memory ")
			digits, _, _ := strings.Cut(hint, "MB")
			enough := Memory{Limit: parseInt(t, digits) * 1e6, Workers: 2}
			if err := enough.refuse(needOf(rows, columns)); err != nil {
				t.Errorf("%d × %d: the hint of %s MB would not do: %v", rows, columns, digits, err)
			}
		}
	}
	if none := (Memory{Workers: 2}); none.refuse(needOf(1<<30, 1<<20)) != nil || none.Engine() != "" {
		t.Error("a limit where there is none")
	}
	if least := (Memory{Limit: 128e6, Workers: 2}); least.refuse(needOf(100, 10)) != nil || least.Engine() != "32MB" {
		t.Errorf("the least limit: %v, engine %s", least.refuse(needOf(100, 10)), least.Engine())
	}
}

// needOf is that of a regression on a dense design, with four chains on two workers.
func needOf(rows, columns int) Need {
	entries := int64(rows) * int64(columns)
	return Need{Bytes: need(entries, rows, columns, 4, 2) + 8*entries}
}

func parseInt(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
