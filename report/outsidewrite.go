package report

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"glmbatch/internal/words"
)

// unfinished is the end of the name of a file of draws while it is being written.
const unfinished = ".new"

// outside is where the draws that are gathered of one shard go, if not to the ledger.
type outside struct {
	ledger     string // its path
	run, shard string
	part       int // the shard's ledger is attached as part with this number
}

// outsideOf is where draws of fragment number i go, which is attached.
func (g *Gathering) outsideOf(p *attachment, i int) *outside {
	name := filepath.Base(p.of[i].File.path)
	return &outside{g.into.path, g.Run.ID, strings.TrimSuffix(name, filepath.Ext(name)), i}
}

// storeOutside writes the draws of what is gathered of each fragment to a file of its own, where they go outside.
func (s *Session) storeOutside(ctx context.Context, g *Gathering, p *attachment) error {
	if !g.into.opts.DrawsOutside {
		return nil
	}
	for _, i := range p.numbers {
		if err := g.outsideOf(p, i).store(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// leaves reports whether the rows of a table are not copied: where draws are is each ledger's own matter.
func (g *Gathering) leaves(table string) bool {
	return table == "draw_outside" || table == "draw_piece" && g.into.opts.DrawsOutside
}

// fits are those of the shard whose draws are gathered, with their numbers here, where they have any.
func (o *outside) fits() string {
	of := strconv.Itoa(o.part)
	return "(SELECT g.id, g.was, f.n_parameters FROM (SELECT was, id FROM temp.gathered_fit WHERE part = " + of +
		" UNION ALL SELECT was, id FROM temp.gathered_old WHERE anew AND part = " + of + ") g JOIN part" + of +
		".main.fit f ON f.fit_id = g.was AND f.kept = 'draws')"
}

// store writes the draws of what is gathered to a file, which has its place, and is synced, before the transaction
// that names it can commit. A kill between the two leaves a file that sweep removes.
func (o *outside) store(ctx context.Context, s *Session) error {
	f := drawFile{id: newFileID()}
	err := s.c.QueryRowContext(ctx, "SELECT count(*) FROM "+o.fits()).Scan(&f.written)
	if err != nil || f.written == 0 {
		return err
	}
	if f.path, err = o.freeName(ctx, s.c); err != nil {
		return err
	}
	err = f.write(ctx, s.c, o.ledger, `SELECT n.id AS fit_id, t.parameter_id, t.chain, t.first, t.n, t.v
		FROM part`+strconv.Itoa(o.part)+`.main.draw_piece t JOIN `+o.fits()+` n ON n.was = t.fit_id`)
	if err != nil {
		return err
	}
	return f.note(ctx, s.c, o.ledger, "SELECT id AS fit_id, n_parameters AS parameters FROM "+o.fits())
}

// newFileID is a number above 0 that no other file has.
func newFileID() int64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // which never fails
	return int64(binary.LittleEndian.Uint64(b[:])>>1 | 1)
}

// freeName is RUN/SHARD.parquet, or RUN/SHARD.2.parquet where a file of the shard is in use already, and so on.
func (o *outside) freeName(ctx context.Context, c *sql.Conn) (string, error) {
	for i := 1; ; i++ {
		path := filepath.Join(o.run, o.shard+".parquet")
		if i > 1 {
			path = filepath.Join(o.run, fmt.Sprintf("%s.%d.parquet", o.shard, i))
		}
		var n int
		err := c.QueryRowContext(ctx, "SELECT count(*) FROM main.draw_file WHERE path = ?", path).Scan(&n)
		if err != nil || n == 0 {
			return path, err
		}
	}
}

// write makes the file of the rows of draw_piece that a query gives, in the order of fits, so that the statistics
// of its row groups, of 2048 rows each, lead to those of a fit. Its size and checksum are of what was synced.
func (f *drawFile) write(ctx context.Context, c *sql.Conn, ledger, rows string) error {
	place := f.where(ledger)
	if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil { // the umask is that of the ledger
		return err
	}
	copying := fmt.Sprintf("COPY (SELECT fit_id, %d::BIGINT AS file_id, parameter_id, chain, first, n, v FROM (", f.id) +
		rows + ") ORDER BY fit_id, parameter_id, chain, first) TO " + quoteText(place+unfinished) +
		" (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE " + rowGroup + ", USE_TMP_FILE false)"
	if _, err := c.ExecContext(ctx, copying); err != nil {
		return words.Hint(fmt.Errorf("writing draws to %q: %w", place, err), "is the disk full?")
	}
	var err error
	if f.bytes, f.checksum, err = synced(place + unfinished); err != nil {
		return err
	}
	if err := os.Rename(place+unfinished, place); err != nil {
		return err
	}
	return errors.Join(syncFolder(filepath.Dir(place)), syncFolder(drawsFolder(ledger)),
		syncFolder(filepath.Dir(ledger)))
}

// synced brings a file to the disk, and returns its size and checksum.
func synced(path string) (bytes int64, sum uint32, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return 0, 0, err
	}
	return fileSum(context.Background(), file)
}

// fileSum is the size of what is read, and its CRC-32C.
func fileSum(ctx context.Context, from io.Reader) (bytes int64, sum uint32, err error) {
	hash := crc32.New(castagnoli)
	bytes, err = io.Copy(hash, &cancellable{ctx, from})
	return bytes, hash.Sum32(), err
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// note records the file in the ledger, and the fits whose draws are in it: rows of fit_id and parameters.
func (f *drawFile) note(ctx context.Context, c *sql.Conn, ledger, fits string) error {
	var others int
	if err := c.QueryRowContext(ctx, "SELECT count(*) FROM main.draw_file").Scan(&others); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, "INSERT INTO main.draw_file VALUES (?, ?, ?, ?, ?)", f.id, f.path, f.bytes,
		f.checksum, f.written); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, "INSERT INTO main.draw_outside SELECT fit_id, ?, parameters FROM ("+fits+")",
		f.id); err != nil {
		return err
	}
	if others > 0 {
		return nil
	}
	return seeOutside(ctx, c, ledger)
}

// seeOutside has the view piece look into files of draws.
func seeOutside(ctx context.Context, c *sql.Conn, ledger string) error {
	none := filepath.Join(drawsFolder(ledger), noDraws)
	if _, err := os.Lstat(none); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(none), 0o777); err != nil {
			return err
		}
		_, err := c.ExecContext(ctx, "COPY (SELECT fit_id, 0::BIGINT AS file_id, parameter_id, chain, first, n, v FROM "+
			"main.draw_piece LIMIT 0) TO "+quoteText(none+unfinished)+" (FORMAT parquet, USE_TMP_FILE false)")
		if err == nil {
			err = os.Rename(none+unfinished, none)
		}
		if err != nil {
			return err
		}
	}
	if err := offerFiles(ctx, c, ledger, nil); err != nil {
		return err
	}
	return viewPieces(ctx, c, true)
}

// pruneOutside removes files without fits from the table, and rewrites those of which fewer than half of the fits
// are left. The removed files exist until sweep.
func pruneOutside(ctx context.Context, c *sql.Conn, ledger string) error {
	var had int
	err := c.QueryRowContext(ctx, "SELECT count(*) FROM main.draw_file").Scan(&had)
	if err != nil || had == 0 {
		return err
	}
	files, err := drawFiles(ctx, c, ownTables)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := f.compact(ctx, c, ledger); err != nil {
			return err
		}
	}
	if _, err := c.ExecContext(ctx, "DELETE FROM main.draw_file WHERE file_id NOT IN (SELECT file_id FROM "+
		"main.draw_outside)"); err != nil || len(files) > 0 {
		return err
	}
	return viewPieces(ctx, c, false)
}

// compact rewrites a file of which most rows belong to no fit. One that is lost, or cannot be read, stays as it is.
func (f *drawFile) compact(ctx context.Context, c *sql.Conn, ledger string) error {
	if 2*len(f.fits) >= f.written || f.damage(ctx, ledger) != "" {
		return ctx.Err()
	}
	shard, _, _ := strings.Cut(filepath.Base(f.path), ".")
	o := &outside{ledger: ledger, run: filepath.Dir(f.path), shard: shard}
	anew := drawFile{id: newFileID(), written: len(f.fits)}
	var err error
	if anew.path, err = o.freeName(ctx, c); err != nil {
		return err
	}
	if err := anew.write(ctx, c, ledger, outsideRows(ownTables, []string{f.where(ledger)})); err != nil {
		return err
	}
	if err := anew.note(ctx, c, ledger, fmt.Sprintf("SELECT fit_id, parameters FROM main.draw_outside WHERE file_id = %d",
		f.id)); err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, "DELETE FROM main.draw_outside WHERE file_id = ?", f.id)
	return err
}

// takeOutside copies draws of fits that another ledger, which is attached, has outside. Those that are lost are left.
func (s *Session) takeOutside(ctx context.Context, from string, fits []int64) error {
	if len(fits) == 0 {
		return nil
	}
	files, err := drawFiles(ctx, s.c, attachedTables, fits...)
	if err != nil {
		return err
	}
	var there []string
	for _, f := range files {
		if f.lost(from) == "" {
			there = append(there, f.where(from))
		}
	}
	if len(there) == 0 {
		return nil
	}
	_, err = s.c.ExecContext(ctx, "INSERT INTO main.draw_piece SELECT * FROM ("+outsideRows(attachedTables, there)+
		") WHERE fit_id IN (SELECT unnest(?::BIGINT[]))", append([]int64{}, fits...))
	return err
}

// restoreOutside gives the view piece the definition of a ledger that has draws outside, if it has any.
func restoreOutside(ctx context.Context, c *sql.Conn, ledger string) error {
	var files int
	err := c.QueryRowContext(ctx, "SELECT count(*) FROM main.draw_file").Scan(&files)
	if err != nil || files == 0 {
		return err
	}
	return seeOutside(ctx, c, ledger)
}

// sweep removes files of draws that the ledger does not name, as a kill or prune leaves them. No other process may
// write to the ledger meanwhile.
func sweep(ctx context.Context, c *sql.Conn, ledger string) error {
	if _, err := os.Lstat(drawsFolder(ledger)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	named := map[string]bool{}
	var files []string
	if err := read(ctx, c, &files, "SELECT path FROM main.draw_file"); err != nil {
		return err
	}
	for _, path := range files {
		named[path] = true
	}
	if len(named) > 0 {
		named[noDraws] = true
	}
	return removeStrays(ledger, named)
}

// removeStrays removes files of draws that are not named, and folders that are empty.
func removeStrays(ledger string, named map[string]bool) error {
	folder := drawsFolder(ledger)
	var folders []string
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			folders = append(folders, path)
			return err
		}
		name, err := filepath.Rel(folder, path)
		ours := strings.HasSuffix(name, ".parquet") || strings.HasSuffix(name, ".parquet"+unfinished)
		if err != nil || named[name] || !ours || !e.Type().IsRegular() {
			return err
		}
		return os.Remove(path)
	})
	for i := len(folders) - 1; i >= 0 && err == nil; i-- {
		_ = os.Remove(folders[i]) // one that has files stays
	}
	return err
}

// drawBytes is the size of all files of draws of the ledger at path.
func drawBytes(ledger string) (n int64) {
	_ = filepath.WalkDir(drawsFolder(ledger), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
