package spool

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A mark is alive while it is held, dead once its holder is gone without a word, and then stays until it is removed; the
// last to be cleared takes the empty work folder with it.
func TestMarks(t *testing.T) {
	root := filepath.Join(t.TempDir(), "x.duckdb.work")
	if marks, err := Marks(root); err != nil || marks != nil {
		t.Fatalf("without a folder: %v, %v", marks, err)
	}
	first := &Mark{Run: "20260101T000000Z-aa", Pipeline: "p", Started: time.Unix(1e9, 0).UTC(),
		Record: []byte(`{"ID":"20260101T000000Z-aa"}`)}
	must(t, first.Set(root))
	look := func() map[string]bool {
		marks, err := Marks(root)
		must(t, err)
		out := map[string]bool{}
		for _, m := range marks {
			out[m.Run] = m.Alive
			if m.Run == first.Run && (m.Pipeline != "p" || !m.Started.Equal(first.Started) || string(m.Record) != string(first.Record)) {
				t.Errorf("the mark is %+v", m)
			}
		}
		return out
	}
	if got := look(); len(got) != 1 || !got[first.Run] {
		t.Errorf("a held mark: %v", got)
	}
	if err := first.lock.Close(); err != nil { // as a kill does
		t.Fatal(err)
	}
	if got := look(); len(got) != 1 || got[first.Run] {
		t.Errorf("a mark that was left: %v", got)
	}
	second := &Mark{Run: "20260102T000000Z-bb"}
	must(t, second.Set(root))
	third := &Mark{Run: "20260102T000000Z-cc"}
	must(t, third.Set(root))
	must(t, os.WriteFile(filepath.Join(root, markPrefix+"odd.json"), []byte("{"), 0o644))
	second.Clear()
	if got := look(); len(got) != 2 || !got[third.Run] || got[first.Run] {
		t.Errorf("after the second run's end: %v, want the third's and the dead first", got)
	}
	leaveAgain(t, root, first)
	must(t, os.Remove(filepath.Join(root, markPrefix+"odd.json")))
	third.Clear()
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the work folder is left: %v", err)
	}
	new(Mark).Clear() // of a run that could not be marked
}

// leaveAgain has a shard set the mark of its killed attempt again, leave it with its end, and the next run remove it.
func leaveAgain(t *testing.T, root string, first *Mark) {
	again := &Mark{Run: first.Run, Pipeline: "p", Started: first.Started, Record: first.Record}
	must(t, again.Set(root))
	left := `{"ID":"20260101T000000Z-aa","ExitCode":3}`
	must(t, again.Leave([]byte(left)))
	again.Clear() // does nothing
	marks, err := Marks(root)
	if err != nil || len(marks) != 2 || marks[0].Alive || string(marks[0].Record) != left {
		t.Fatalf("after the first is left: %+v, %v", marks, err)
	}
	if err := marks[0].Remove(); err != nil {
		t.Error(err)
	}
}
