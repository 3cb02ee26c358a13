package report

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"glmbatch/internal/held"
	"glmbatch/internal/words"
)

// A checkpoint of the engine writes new blocks to free positions, and then a header that leads to them. But its
// metadata are in 64 parts of a block, and it fills the free parts in place: a block that the old header leads to
// is overwritten, with equal bytes in the parts that are in use. A process that is killed during such a write,
// which the operating system stops midway, leaves a block without its checksum, and a file that the engine refuses.
// So before a checkpoint these blocks are put aside, into the guard, LEDGER.guard, and whoever opens the file next
// puts back those that were torn. Other databases call this a double-write buffer. docs/decisions/0067-guard.md has
// how it was found.
const guardEnd = ".guard"

// guard keeps the blocks that a checkpoint writes over.
type guard struct {
	path string   // of the ledger
	file *os.File // the ledger, once it was needed: closing it would give up the engine's lock
}

// close is called when the engine has closed its file and no other process has opened it yet.
func (g *guard) close() {
	if g.file != nil {
		_ = g.file.Close() // it was only read
		g.file = nil
	}
}

// checkpoint is the engine's, within a guard. Where it fails the guard stays, for whoever opens the file next.
func (g *guard) checkpoint(ctx context.Context, c *sql.Conn) error {
	if info, err := os.Stat(g.path + ".wal"); err != nil || info.Size() == 0 {
		return nil // nothing was written, or the engine has put it into the file already
	}
	if err := g.keep(ctx, c); err != nil {
		return words.Hint(fmt.Errorf("ledger %q: what a checkpoint writes over: %w", g.path, err), "is the disk full?")
	}
	if _, err := c.ExecContext(ctx, "CHECKPOINT"); err != nil {
		return words.Hint(fmt.Errorf("ledger %q: writing the checkpoint: %w", g.path, err), "is the disk full?")
	}
	return removeIfThere(g.path + guardEnd)
}

// keep writes the newest header of the file and the blocks that have free parts, each behind its number.
func (g *guard) keep(ctx context.Context, c *sql.Conn) error {
	var blocks []int64
	err := read(ctx, c, &blocks, "SELECT block_id FROM pragma_metadata_info() WHERE free_blocks > 0")
	if err != nil {
		return err
	}
	if g.file == nil {
		if g.file, err = os.Open(g.path); err != nil {
			return err
		}
	}
	header, err := newestHeader(g.file)
	if err != nil {
		return err
	}
	info, err := g.file.Stat()
	if err != nil {
		return err
	}
	to, err := os.OpenFile(g.path+guardEnd, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, info.Mode().Perm())
	if err != nil {
		return err
	}
	return errors.Join(g.copyBlocks(to, header, blocks), to.Sync(), to.Close())
}

// copyBlocks fills the guard. One that a kill leaves half filled does no harm: no checkpoint had begun.
func (g *guard) copyBlocks(to *os.File, header []byte, blocks []int64) error {
	if _, err := to.Write(header); err != nil {
		return err
	}
	size := int64(field(header, 5))
	for _, n := range blocks {
		if n >= int64(field(header, 4)) {
			continue // it is not in the file yet
		}
		if err := binary.Write(to, binary.LittleEndian, n); err != nil {
			return err
		}
		if _, err := io.Copy(to, io.NewSectionReader(g.file, headers+n*size, size)); err != nil {
			return err
		}
	}
	return nil
}

// unguard restores the blocks that a checkpoint has torn, if a guard exists. A file that this or another process
// has open, or that may not be written, is left as it is.
func unguard(path string) error {
	if _, err := os.Stat(path + guardEnd); err != nil {
		return nil
	}
	release, ok := held.Write(path)
	if !ok {
		return nil
	}
	defer release()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer f.Close() // gives up the lock
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return nil
	}
	kept, err := os.ReadFile(path + guardEnd)
	if errors.Is(err, os.ErrNotExist) {
		return nil // another process was first
	}
	if err == nil {
		err = putBack(f, kept)
	}
	if err != nil {
		return words.Hint(fmt.Errorf("ledger %q: putting back what a killed checkpoint wrote over: %w", path, err),
			"free the disk, or restore a copy")
	}
	return removeIfThere(path + guardEnd)
}

// putBack writes those of the kept blocks that have lost their checksums. A file whose header is no longer the kept one
// has its checkpoint, and needs none.
func putBack(f *os.File, kept []byte) error {
	header, err := newestHeader(f)
	if err != nil || !bytes.HasPrefix(kept, header) {
		return err
	}
	size := int(field(header, 5))
	block := make([]byte, size)
	for rest := kept[len(header):]; len(rest) >= 8+size; rest = rest[8+size:] {
		at := headers + int64(binary.LittleEndian.Uint64(rest))*int64(size)
		if _, err := f.ReadAt(block, at); err != nil {
			return err
		}
		if checked(block) {
			continue
		}
		if _, err := f.WriteAt(rest[8:8+size], at); err != nil {
			return err
		}
	}
	return f.Sync()
}
