package report

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// Draws of a fit are rows of the table draw_piece, or rows of the same columns in a Parquet file of the folder next
// to the ledger: RUN/SHARD.parquet, below drawsFolder. The table draw_outside lists which fits' draws are in which
// file, and is decisive: a file that it does not name, and rows of fits that were replaced, belong to no fit. Each
// file has a random number in all of its rows, so that no other file passes for it.

// drawsFolder is the folder with the draws of the ledger at path.
func drawsFolder(path string) string { return path + ".draws" }

// noDraws is a file of drawsFolder that has the columns and no rows: the view piece needs one file to look into.
const noDraws = "none.parquet"

// drawFile is a file of draws that a ledger names.
type drawFile struct {
	id       int64
	path     string // below the folder
	bytes    int64
	checksum uint32
	written  int     // how many fits' draws were written to it
	fits     []int64 // those asked for whose draws it has
}

// The schemas that have tables of draws: of the ledger that is open, and of one that is attached to it.
const (
	ownTables      = "main"
	attachedTables = "beside.main"
)

// drawFiles lists the files that have the draws of fits; of all where there are none named.
func drawFiles(ctx context.Context, c *sql.Conn, schema string, fits ...int64) (out []drawFile, err error) {
	err = scanRows(ctx, c, "SELECT f.file_id, f.path, f.bytes, f.checksum, f.fits, o.fit_id FROM "+schema+".draw_file f "+
		"JOIN "+schema+".draw_outside o USING (file_id) WHERE ? OR o.fit_id IN (SELECT unnest(?::BIGINT[])) "+
		"ORDER BY f.path, o.fit_id", func(rows *sql.Rows) error {
		var f drawFile
		var fit int64
		err := rows.Scan(&f.id, &f.path, &f.bytes, &f.checksum, &f.written, &fit)
		if len(out) == 0 || out[len(out)-1].id != f.id {
			out = append(out, f)
		}
		last := &out[len(out)-1]
		last.fits = append(last.fits, fit)
		return err
	}, len(fits) == 0, append([]int64{}, fits...))
	return out, err
}

// where is the place of the file for a ledger at path.
func (f *drawFile) where(ledger string) string { return filepath.Join(drawsFolder(ledger), f.path) }

// lost is the reason why the draws of a file cannot be read, as far as its name and size show it; empty if they
// can.
func (f *drawFile) lost(ledger string) string {
	info, err := os.Lstat(f.where(ledger))
	switch {
	case !filepath.IsLocal(f.path):
		return "is outside the ledger's folder of draws"
	case errors.Is(err, fs.ErrNotExist):
		return "is not there"
	case err != nil:
		return "cannot be looked at: " + err.Error()
	case !info.Mode().IsRegular():
		return "is no file"
	case info.Size() != f.bytes:
		return fmt.Sprintf("has %d bytes and not %d", info.Size(), f.bytes)
	}
	return ""
}

// says describes the fault of a file, in a sentence.
func (f *drawFile) says(ledger, why string) string {
	fits := "1 fit"
	if n := len(f.fits); n != 1 {
		fits = fmt.Sprintf("%d fits", n)
	}
	return fmt.Sprintf("%q, with draws of %s, %s", f.where(ledger), fits, why)
}

// LostHint is the remedy for draws that are lost.
const LostHint = "put the file back from a copy, or draw its fits again: pipeline run --force"

// piecesOf is the source of the pieces of draws of fits, as SQL that follows FROM. It is the one place that knows
// where draws are. Where those of the only fit are lost, that is the error; of several fits, those that are lost
// have no rows.
func piecesOf(ctx context.Context, c *sql.Conn, ledger string, fits ...int64) (string, error) {
	files, err := drawFiles(ctx, c, ownTables, fits...)
	if err != nil {
		return "", err
	}
	var there []string
	for _, f := range files {
		why := f.lost(ledger)
		if why == "" {
			there = append(there, f.where(ledger))
		} else if len(fits) == 1 {
			return "", words.Hint(fmt.Errorf("its draws are in %q, which %s", f.where(ledger), why), LostHint)
		}
	}
	if len(there) == 0 {
		return "main.draw_piece", nil
	}
	return "(SELECT fit_id, parameter_id, chain, first, n, v FROM main.draw_piece UNION ALL " +
		outsideRows(ownTables, there) + ")", nil
}

// outsideRows selects the rows of draw_piece that files have, as the table draw_outside of a schema says.
func outsideRows(schema string, files []string) string {
	return `SELECT p.fit_id, p.parameter_id, p.chain, p.first, p.n, p.v::DOUBLE[250] AS v FROM read_parquet(` +
		quoteList(files) + `) p JOIN ` + schema + `.draw_outside o ON o.fit_id = p.fit_id
		AND o.file_id = p.file_id AND p.parameter_id <= o.parameters`
}

// damage says why a file is not what was written; nothing where it is. Cost: it is read once.
func (f *drawFile) damage(ctx context.Context, ledger string) string {
	if why := f.lost(ledger); why != "" {
		return why
	}
	file, err := os.Open(f.where(ledger))
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	defer file.Close()
	switch _, sum, err := fileSum(ctx, file); {
	case err != nil:
		return "cannot be read: " + err.Error()
	case sum != f.checksum:
		return "is not what was written"
	}
	return ""
}

// LostDraws gives the reason why draws of these fits cannot be read, as far as names and sizes of files show it;
// Verify finds more. Cost: a look at each file of draws.
func (l *Ledger) LostDraws(ctx context.Context) (lost map[int64]string, err error) {
	lost = map[int64]string{}
	return lost, l.readIfThere(ctx, func(c *sql.Conn) error {
		return lostFiles(ctx, c, l.path, func(f drawFile, why string) {
			for _, id := range f.fits {
				lost[id] = f.says(l.path, why)
			}
		})
	})
}

// lostFiles calls note with each file of draws that is lost.
func lostFiles(ctx context.Context, c *sql.Conn, ledger string, tell func(f drawFile, why string)) error {
	files, err := drawFiles(ctx, c, ownTables)
	for _, f := range files {
		if why := f.lost(ledger); why != "" {
			tell(f, why)
		}
	}
	return err
}

// withDraws adds the folder of draws to what an engine for reading may touch, if there is one. A folder with links is
// refused: it may come from a stranger as the ledger may, and the engine would follow them.
func (r reach) withDraws(ledger string) (reach, error) {
	folder := drawsFolder(ledger)
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !e.Type().IsRegular() {
			err = &NotLedgerError{Path: ledger, Err: words.Hint(fmt.Errorf("its folder of draws has %q, which is no file",
				path), "remove it")}
		}
		if errors.Is(err, fs.ErrNotExist) { // removed just now
			return nil
		}
		return err
	})
	r.folders = append([]string{folder}, r.folders...)
	return r, err
}

// offer gives the view piece the files of draws that exist.
func (l *Ledger) offer(ctx context.Context, c *sql.Conn) error {
	if _, err := os.Lstat(drawsFolder(l.path)); err != nil {
		return nil
	}
	var known bool
	err := c.QueryRowContext(ctx, "SELECT count(*) > 0 FROM duckdb_tables() WHERE schema_name = 'main' AND "+
		"table_name = 'draw_file' AND database_name = current_database()").Scan(&known)
	if err != nil || !known {
		return err
	}
	files, err := drawFiles(ctx, c, ownTables)
	if err != nil {
		return err
	}
	return offerFiles(ctx, c, l.path, files)
}

// offerFiles is offer of these files.
func offerFiles(ctx context.Context, c *sql.Conn, ledger string, files []drawFile) error {
	var there []string
	// The engine plans by the rows of the first file: a small one would have it read all of the others.
	largest := slices.SortedStableFunc(slices.Values(files),
		func(a, b drawFile) int { return cmp.Compare(b.bytes, a.bytes) })
	for _, f := range largest {
		if f.lost(ledger) == "" {
			there = append(there, f.where(ledger))
		}
	}
	none := filepath.Join(drawsFolder(ledger), noDraws)
	if info, err := os.Lstat(none); err == nil && info.Mode().IsRegular() {
		there = append(there, none)
	}
	if len(there) == 0 {
		return nil
	}
	_, err := c.ExecContext(ctx, "SET VARIABLE draws = "+quoteList(there))
	return err
}

// outsideView is the definition of the view piece while there are files of draws.
//
//go:embed schema/outside_view.sql
var outsideView string

// viewPieces gives the view piece the definition that it has with files of draws, or without. With files, one must be
// offered.
func viewPieces(ctx context.Context, c *sql.Conn, outside bool) error {
	if outside {
		if _, err := c.ExecContext(ctx, outsideView); err != nil {
			return err
		}
	}
	for _, text := range definitions() {
		view, comment := strings.HasPrefix(text, "CREATE OR REPLACE VIEW piece "), strings.HasPrefix(text, "COMMENT ON ") &&
			(strings.HasPrefix(text, "COMMENT ON VIEW piece ") || strings.HasPrefix(text, "COMMENT ON COLUMN piece."))
		if !comment && (!view || outside) {
			continue
		}
		//sql:ok this program: a part of its schema
		if _, err := c.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
