package report

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkpointed is a ledger before a checkpoint, with its log and the guard, and after it.
type checkpointed struct {
	before, wal, guard, after []byte
}

// aCheckpoint stores fits until a checkpoint writes over blocks that are in use.
func aCheckpoint(t *testing.T) (c checkpointed) {
	t.Helper()
	l := open(t, Options{})
	for i := range 4 {
		store(t, l, sampleFit(fmt.Sprint("f", i)))
	}
	must(t, l.Write(t.Context(), func(s *Session) (err error) {
		_, err = s.Fit(t.Context(), sampleFit("the last"))
		must(t, err)
		g := &guard{path: l.path}
		must(t, g.keep(t.Context(), s.c))
		g.close()
		for path, to := range map[string]*[]byte{"": &c.before, ".wal": &c.wal, guardEnd: &c.guard} {
			*to, err = os.ReadFile(l.path + path)
			must(t, err)
		}
		return nil
	}))
	var err error
	c.after, err = os.ReadFile(l.path)
	must(t, err)
	if _, err := os.Stat(l.path + guardEnd); !os.IsNotExist(err) {
		t.Errorf("the guard is left: %v", err)
	}
	return c
}

// torn is the ledger of a process that was killed when it had written some bytes of one block.
func (c checkpointed) torn(t *testing.T, block, bytes int, guarded bool) *Ledger {
	t.Helper()
	path := filepath.Join(t.TempDir(), "torn.duckdb")
	file := slices.Clone(c.before)
	at := headers + block<<18
	copy(file[at:at+bytes], c.after[at:])
	must(t, os.WriteFile(path, file, 0o600))
	must(t, os.WriteFile(path+".wal", c.wal, 0o600))
	if guarded {
		must(t, os.WriteFile(path+guardEnd, c.guard, 0o600))
	}
	return &Ledger{path: path, opts: Options{MemoryLimit: "256MB", Threads: 1, LockWait: -1}}
}

// A process is killed while it writes over a block that a checkpoint writes, until the engine refuses the file.
// Every fit exists with the guard, for a reader and for a writer, and the guard goes away. That the engine refuses
// one shows that the guard is still needed.
func TestTornBlocks(t *testing.T) {
	c := aCheckpoint(t)
	refused := false
	for kept := c.guard[headerSize:]; !refused && len(kept) >= 8; kept = kept[min(len(kept), 8+1<<18):] {
		block := int(binary.LittleEndian.Uint64(kept))
		at := headers + block<<18
		if bytes.Equal(c.before[at:at+1<<18], c.after[at:at+1<<18]) {
			continue
		}
		for cut := 1 << 16; cut < 1<<18; cut += 1 << 16 { // the new part of a block depends on the existing tables
			_, err := c.torn(t, block, cut, false).Verify(t.Context())
			if err == nil {
				continue
			}
			if !strings.Contains(err.Error(), "checksum") && !strings.Contains(err.Error(), "not what was written") {
				t.Errorf("block %d, %d bytes, without the guard: %v", block, cut, err)
			}
			refused = true
			c.mended(t, block, cut, false)
			c.mended(t, block, cut, true)
			break
		}
	}
	if !refused {
		t.Error("no torn block makes the engine refuse the file: is the guard still needed?")
	}
}

// repaired checks the content that a reader, or first a writer, finds in a torn ledger that has its guard.
func (c checkpointed) mended(t *testing.T, block, cut int, write bool) {
	t.Helper()
	l := c.torn(t, block, cut, true)
	if write {
		must(t, l.Write(t.Context(), func(*Session) error { return nil }))
	}
	v, err := l.Verify(t.Context())
	if err != nil || v.Fits != 5 {
		t.Errorf("block %d, %d bytes, written first: %v: %+v, %v; want 5 fits", block, cut, write, v, err)
	}
	if _, err := os.Stat(l.path + guardEnd); !os.IsNotExist(err) {
		t.Errorf("block %d: the guard is left: %v", block, err)
	}
}

// A guard of a checkpoint that was carried out, or of another file, changes nothing, not even a block that is damaged.
func TestGuardOfAnother(t *testing.T) {
	c := aCheckpoint(t)
	path := filepath.Join(t.TempDir(), "after.duckdb")
	c.after[headers+int(binary.LittleEndian.Uint64(c.guard[headerSize:]))<<18+1<<16] ^= 1
	must(t, os.WriteFile(path, c.after, 0o600))
	must(t, os.WriteFile(path+guardEnd, c.guard, 0o600))
	must(t, unguard(path))
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, c.after) {
		t.Errorf("the file changed: %v", err)
	}
	if _, err := os.Stat(path + guardEnd); !os.IsNotExist(err) {
		t.Errorf("the guard is left: %v", err)
	}
}
