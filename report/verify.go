package report

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/internal/words"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// drawsSum is the checksum of a parameter's draws, by chain and iteration.
func drawsSum(values []float64) uint32 { return addDraws(0, values) }

// addDraws is the checksum of draws that sum is the checksum of, and of values behind them.
func addDraws(sum uint32, values []float64) uint32 {
	var b [4096]byte
	for len(values) > 0 {
		some := values[:min(len(values), len(b)/8)]
		for i, v := range some {
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
		}
		sum = crc32.Update(sum, castagnoli, b[:8*len(some)])
		values = values[len(some):]
	}
	return sum
}

// Verified says what Verify read.
type Verified struct {
	Blocks int     // of the file
	Unused []int64 // blocks that are not what was written, and hold nothing: no harm
	Files  int     // of draws next to it
	Fits   int     // fits whose draws are stored
	Draws  int64   // their draw values
	Damage []string

	badFiles int // the last of Damage except for fits, which are not the ledger's own damage
}

// Verify reads every block of the file, which the engine does for what is asked of it only, and holds the draws of
// every fit against the checksums that were stored with them. The result lists the findings too. The error is a
// *NotLedgerError with Damaged set if anything in use is not what was written.
//
// Cost: the file is read once, and then 0.05 µs a draw value. Writers wait, or are waited for, while blocks are read.
func (l *Ledger) Verify(ctx context.Context) (*Verified, error) {
	v := &Verified{}
	whole := l.whole(ctx, v)
	if whole != nil && v.Damage == nil {
		return nil, whole
	}
	var fits map[string]Stored
	err := l.readIfThere(ctx, func(c *sql.Conn) (err error) {
		fits, err = storedFits(ctx, c, nil) // with wrong counts too: each is listed
		return err
	})
	switch {
	case whole != nil && err != nil: // which says it in other words
		return v, whole
	case err != nil:
		return nil, err
	}
	inOrder := make([]Stored, 0, len(fits))
	for _, f := range fits {
		if f.Kept {
			inOrder = append(inOrder, f)
		}
	}
	slices.SortFunc(inOrder, func(a, b Stored) int { return int(a.ID - b.ID) })
	err = l.Reading(ctx, func() error {
		lost, err := l.verifyFiles(ctx, v)
		if err != nil {
			return err
		}
		inOrder = slices.DeleteFunc(inOrder, func(f Stored) bool { return lost[f.ID] })
		for len(inOrder) > 0 {
			some := inOrder[:verifiedTogether(inOrder)]
			inOrder = inOrder[len(some):]
			good := l.goodDraws(ctx, some)
			for _, f := range some {
				v.Fits++
				v.Draws += drawValues(f)
				if good[f.ID] {
					continue
				}
				if damage := l.verifyDraws(ctx, f); damage != "" {
					v.Damage = append(v.Damage, fmt.Sprintf("fit %d, %s: %s", f.ID, f.Key, damage))
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = l.damageError(v.Damage)
	if damaged, ok := errors.AsType[*NotLedgerError](err); ok && whole == nil && v.badFiles > 0 {
		damaged.Err = words.Hint(errors.Unwrap(damaged.Err), LostHint)
	}
	return v, err
}

// verifyFiles checks the files of draws, completes v, and returns the fits whose file is lost.
func (l *Ledger) verifyFiles(ctx context.Context, v *Verified) (lost map[int64]bool, err error) {
	var files []drawFile
	err = l.read(ctx, func(c *sql.Conn) (err error) {
		files, err = drawFiles(ctx, c, ownTables)
		return err
	})
	lost = map[int64]bool{}
	for _, f := range files {
		v.Files++
		if why := f.damage(ctx, l.path); why != "" && ctx.Err() == nil {
			v.Damage, v.badFiles = append(v.Damage, f.says(l.path, why)), v.badFiles+1
		}
		if f.lost(l.path) == "" {
			continue
		}
		for _, id := range f.fits {
			lost[id] = true
		}
	}
	return lost, errors.Join(err, ctx.Err())
}

// drawValues is the number of draw values of a fit.
func drawValues(f Stored) int64 { return int64(f.Parameters) * int64(f.Chains) * int64(f.Draws) }

// verifiedTogether is how many of the first fits are small enough to be read as one, and at least 1.
func verifiedTogether(fits []Stored) int {
	bytes := int64(0)
	for i, f := range fits {
		if bytes += 8 * drawValues(f); bytes > verifyBytes && i > 0 {
			return i
		}
	}
	return len(fits)
}

// goodDraws reports which of some small fits have the draws that were stored, by one query for all of them.
// verifyDraws finds the faults of others.
func (l *Ledger) goodDraws(ctx context.Context, fits []Stored) map[int64]bool {
	if len(fits) < 2 {
		return nil
	}
	ids := make([]int64, len(fits))
	for i, f := range fits {
		ids[i] = f.ID
	}
	sums, values := map[int64][]sql.NullInt64{}, map[int64][]float64{}
	err := l.read(ctx, func(c *sql.Conn) error {
		err := scanRows(ctx, c, `SELECT fit_id, checksum FROM parameter WHERE parameter_id > 0 AND fit_id IN (SELECT
			unnest(?::BIGINT[])) ORDER BY fit_id, parameter_id`, func(rows *sql.Rows) error {
			var id int64
			var sum sql.NullInt64
			err := rows.Scan(&id, &sum)
			sums[id] = append(sums[id], sum)
			return err
		}, ids)
		if err != nil {
			return err
		}
		from, err := piecesOf(ctx, c, l.path, ids...)
		if err != nil {
			return err
		}
		return scanPieces(ctx, c, func(id int64, some []float64) { values[id] = append(values[id], some...) },
			"SELECT fit_id, n, v FROM "+from+" WHERE fit_id IN (SELECT unnest(?::BIGINT[])) "+
				"ORDER BY fit_id, parameter_id, chain, first", ids)
	})
	good := map[int64]bool{}
	for _, f := range fits {
		if err == nil && len(sums[f.ID]) == f.Parameters && int64(len(values[f.ID])) == drawValues(f) {
			block := &infer.Columns{Params: f.Parameters, Chains: f.Chains, Draws: f.Draws, Values: values[f.ID]}
			good[f.ID] = len(wrongSums(block, sums[f.ID], make([]string, f.Parameters))) == 0
		}
	}
	return good
}

// Whole reads every block of the file and returns a *NotLedgerError with Damaged set if one that is in use is not
// what was written. Where there is no file yet it is nil. Cost: the file is read once.
func (l *Ledger) Whole(ctx context.Context) error {
	err := l.whole(ctx, &Verified{})
	if _, missing := errors.AsType[*MissingError](err); missing {
		return nil
	}
	return err
}

// damageError says what is damaged, briefly.
func (l *Ledger) damageError(damage []string) error {
	if len(damage) == 0 {
		return nil
	}
	what := damage[0]
	if n := len(damage) - 1; n > 0 {
		what += fmt.Sprintf(", and %d more", n)
	}
	return &NotLedgerError{Path: l.path, Damaged: true, Err: words.Hint(errors.New(what),
		damagedHint+"; pipeline verify tells what is damaged")}
}

// whole checks the blocks, completes v, and returns the result of Whole.
func (l *Ledger) whole(ctx context.Context, v *Verified) error {
	if exists, err := checkFile(l.path); err != nil {
		return err
	} else if !exists {
		return missing(l.path)
	}
	bad, err := l.badBlocks(ctx, v)
	if err != nil || len(bad) == 0 {
		return err
	}
	used, err := l.usedBlocks(ctx)
	if err == nil { // reading brings an older ledger up, which may put blocks to use that were free
		if bad, err = l.badBlocks(ctx, v); err != nil {
			return err
		}
	}
	for _, b := range bad {
		switch {
		case err != nil: // the engine cannot even find out
			v.Damage = append(v.Damage, fmt.Sprintf("block %d of %d is not what was written", b.number, v.Blocks))
		case used[b.number] != "":
			v.Damage = append(v.Damage, fmt.Sprintf("block %d of %d, which holds %s, is not what was written", b.number,
				v.Blocks, used[b.number]))
		case !b.empty:
			v.Unused = append(v.Unused, b.number)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return l.damageError(v.Damage)
}

// badBlocks reads the file while no writer has it. Blocks that were never written are not among them if the file
// itself lists them as free, and no log uses them: many files end before such a one, and opening an engine to check
// costs as much as some twenty small fits.
func (l *Ledger) badBlocks(ctx context.Context, v *Verified) (bad []badBlock, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := l.shared(ctx)
	if err != nil {
		return nil, err
	}
	defer f.Close() // gives up the lock, and nothing was written
	v.Blocks, bad, err = badBlocks(ctx, f)
	if err != nil && ctx.Err() == nil {
		v.Damage = []string{err.Error()}
		err = l.damageError(v.Damage)
	}
	if _, none := os.Stat(l.path + ".wal"); len(bad) > 0 && errors.Is(none, fs.ErrNotExist) {
		free := freeBlocks(f)
		bad = slices.DeleteFunc(bad, func(b badBlock) bool { return b.empty && free[b.number] })
	}
	return bad, err
}

// usedBlocks says of each block in use what it holds.
func (l *Ledger) usedBlocks(ctx context.Context) (used map[int64]string, err error) {
	used = map[int64]string{}
	err = l.read(ctx, func(c *sql.Conn) error {
		var tables []string
		err := read(ctx, c, &tables, "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary")
		if err != nil {
			return err
		}
		if err := addBlocks(ctx, c, used, "the catalog", "SELECT block_id FROM pragma_metadata_info()"); err != nil {
			return err
		}
		for _, name := range tables {
			err := addBlocks(ctx, c, used, "rows of the table "+name,
				"SELECT unnest(list_append(additional_block_ids, block_id)) FROM pragma_storage_info("+
					quoteText(quoteName(name))+") WHERE persistent")
			if err != nil {
				return err
			}
		}
		return nil
	})
	return used, err
}

// addBlocks notes what the blocks that a query lists hold.
func addBlocks(ctx context.Context, c *sql.Conn, used map[int64]string, what, query string) error {
	return scanRows(ctx, c, query, func(rows *sql.Rows) error {
		var block sql.NullInt64
		err := rows.Scan(&block)
		if block.Valid && block.Int64 >= 0 {
			used[block.Int64] = what
		}
		return err
	})
}

// verifyBytes is how many bytes of draws are held at once.
const verifyBytes = 64 << 20

// verifyDraws says what is wrong with the draws of a fit, if anything is.
func (l *Ledger) verifyDraws(ctx context.Context, f Stored) (damage string) {
	var sums []sql.NullInt64 // as many as are stored, whatever the fit's record counts
	var names []string
	err := l.read(ctx, func(c *sql.Conn) error {
		const query = "SELECT name, checksum FROM parameter WHERE fit_id = ? AND parameter_id > 0 ORDER BY parameter_id"
		return scanRows(ctx, c, query, func(rows *sql.Rows) error {
			var name string
			var sum sql.NullInt64
			err := rows.Scan(&name, &sum)
			names, sums = append(names, name), append(sums, sum)
			return err
		}, f.ID)
	})
	if err != nil {
		return engineWords(err)
	}
	if len(sums) != f.Parameters {
		return fmt.Sprintf("%d of %d parameters are there", len(sums), f.Parameters)
	}
	var wrong []string
	for block, err := range l.Columns(ctx, f, verifyBytes) {
		if err != nil {
			return engineWords(err)
		}
		wrong = append(wrong, wrongSums(block, sums, names)...)
	}
	if len(wrong) == 0 {
		return ""
	}
	damage = "draws are not those that were stored: of " + strings.Join(wrong[:min(len(wrong), 5)], ", ")
	if more := len(wrong) - 5; more > 0 {
		damage += fmt.Sprintf(" and %d more", more)
	}
	return damage
}

// wrongSums names the parameters of a block whose draws do not have their checksums.
func wrongSums(block *infer.Columns, sums []sql.NullInt64, names []string) (wrong []string) {
	size := block.Chains * block.Draws
	for p := range block.Params {
		at := block.First + p
		if sum := drawsSum(block.Values[p*size : (p+1)*size]); !sums[at].Valid || sums[at].Int64 != int64(sum) {
			wrong = append(wrong, names[at])
		}
	}
	return wrong
}
