package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"glmbatch/internal/chunk"
)

// errUnsound says that a fragment is not as its shard has written it: it has an error.
var errUnsound = errors.New("a fragment is not as it was written")

// checking begins to look at each fragment, and returns what waits for the end of that: errUnsound if one is not what a
// shard of the run has written.
func (p *attachment) checking(ctx context.Context, run string) (wait func() error) {
	numbers := p.numbers
	errs := make([]error, 1+slices.Max(numbers))
	done := make(chan error, 1)
	go func() {
		done <- p.each(ctx, numbers, func(c *sql.Conn, i int) error {
			errs[i] = p.of[i].check(ctx, c, "part"+strconv.Itoa(i)+".main.", run)
			return ctx.Err()
		})
	}()
	return func() error {
		if err := <-done; err != nil {
			return err
		}
		var unsound error
		for _, i := range numbers {
			if p.of[i].Err = errs[i]; errs[i] != nil {
				unsound = errUnsound
			}
		}
		return unsound
	}
}

// check says what is wrong with a fragment that is attached as of.
func (f *Fragment) check(ctx context.Context, c *sql.Conn, of, run string) error {
	var version sql.NullInt64
	err := c.QueryRowContext(ctx, "SELECT max(version) FROM "+of+"schema_version").Scan(&version)
	if err != nil {
		return errors.New(engineWords(err))
	}
	if version.Int64 != int64(len(migrations)) {
		return fmt.Errorf("has schema version %d, and this program's is %d", version.Int64, len(migrations))
	}
	contents, err := contentsOf(ctx, c, of, run)
	if err != nil {
		return errors.New(engineWords(err))
	}
	if err := f.Check(contents); err != nil {
		return err
	}
	return checkDraws(ctx, c, of)
}

// contentsOf reads the contents of a ledger that is attached as of.
func contentsOf(ctx context.Context, c *sql.Conn, of, run string) (out Contents, err error) {
	err = c.QueryRowContext(ctx, "SELECT coalesce((SELECT run_id FROM "+of+"run ORDER BY place DESC, started DESC "+
		"LIMIT 1), '')").Scan(&out.Run)
	if err != nil {
		return out, err
	}
	return out, read(ctx, c, &out.Fits, "SELECT n.dataset, n.key, n.model, n.sampler, count(f.fit_id) AS fits, "+
		"count(*) FILTER (n.action = ?2) AS erred FROM "+of+"run_fit n LEFT JOIN "+of+"fit f ON f.fit_id = n.fit_id AND "+
		"f.status = 'complete' WHERE n.run_id = ?1 GROUP BY ALL ORDER BY ALL", run, string(Failed))
}

// Sound returns what is wrong with the fragment of a run, by itself, before it is gathered: a damaged block, a missing
// table, draws with another checksum, or what Check finds. Cost: the file is read twice.
func (f *Fragment) Sound(ctx context.Context, run string) error {
	if err := f.File.Whole(ctx); err != nil {
		return err
	}
	return f.File.read(ctx, func(c *sql.Conn) error {
		there := map[string]bool{}
		err := scanRows(ctx, c, "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND "+
			"schema_name = 'main'", func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			there[name] = true
			return err
		})
		if err != nil {
			return err
		}
		for _, table := range fragmentTables() {
			if !there[table] {
				return noTable(table)
			}
		}
		return f.check(ctx, c, "main.", run)
	})
}

// fragmentTables are the tables that a fragment must have.
func fragmentTables() []string {
	return append([]string{"fit", "run", "run_fit", "schema_version"}, fitTables...)
}

func noTable(name string) error {
	return fmt.Errorf("has no table %s: it is not a ledger of this program", name)
}

// checkedDraws are the expected draws of a fit: the checksums of its parameters, in order.
type checkedDraws struct {
	id             int64
	name           string
	params         int
	chains, draws  int
	sums           []sql.NullInt64
	found          int // parameters whose draws were found, all of them with their checksums
	parameter, at  int // the next piece is of this parameter, and of this of its draws over all chains
	sum            uint32
	unordered, bad bool
}

// checkDraws holds the draws of a ledger that is attached as of against their checksums. Pieces are read in stored
// order, which is mostly sorted; those of other fits are read once more, sorted.
func checkDraws(ctx context.Context, c *sql.Conn, of string) error {
	fits, err := checkedFits(ctx, c, of)
	if err != nil {
		return errors.New(engineWords(err))
	}
	by := map[int64]*checkedDraws{}
	for _, f := range fits {
		by[f.id] = f
	}
	for lo := 0; lo < len(fits); {
		hi, bytes := lo, 0
		for ; hi < len(fits) && (hi == lo || bytes+fits[hi].bytes() <= verifyBytes); hi++ {
			bytes += fits[hi].bytes()
		}
		if err := checkSome(ctx, c, of, fits[lo:hi], by); err != nil {
			return err
		}
		lo = hi
	}
	for _, f := range fits {
		if f.bad || f.found != f.params {
			return fmt.Errorf("draws of fit %d, %s, are not those that were stored", f.id, f.name)
		}
	}
	return nil
}

// bytes is the size of the draws of a fit.
func (f *checkedDraws) bytes() int { return 8 * f.params * f.chains * f.draws }

// checkedFits lists the fits of a ledger whose draws are stored, by number.
func checkedFits(ctx context.Context, c *sql.Conn, of string) ([]*checkedDraws, error) {
	var fits []*checkedDraws
	err := scanRows(ctx, c, "SELECT fit_id, concat_ws('/', dataset, nullif(key, ''), model, sampler), "+
		"n_parameters, chains, draws FROM "+of+"fit WHERE status = 'complete' AND kept = 'draws' ORDER BY fit_id",
		func(rows *sql.Rows) error {
			f := new(checkedDraws)
			fits = append(fits, f)
			return rows.Scan(&f.id, &f.name, &f.params, &f.chains, &f.draws)
		})
	if err != nil || len(fits) == 0 {
		return nil, err
	}
	at := 0
	err = scanRows(ctx, c, "SELECT fit_id, checksum FROM "+of+"parameter WHERE parameter_id > 0 ORDER BY fit_id, "+
		"parameter_id", func(rows *sql.Rows) error {
		var id int64
		var sum sql.NullInt64
		if err := rows.Scan(&id, &sum); err != nil {
			return err
		}
		for at < len(fits)-1 && fits[at].id < id {
			at++
		}
		if fits[at].id == id {
			fits[at].sums = append(fits[at].sums, sum)
		}
		return nil
	})
	for _, f := range fits {
		f.bad = len(f.sums) != f.params
	}
	return fits, err
}

// checkSome reads the draws of some fits: all at once, or, of one that is large, some parameters at a time.
func checkSome(ctx context.Context, c *sql.Conn, of string, fits []*checkedDraws, by map[int64]*checkedDraws) error {
	first, last := fits[0], fits[len(fits)-1]
	width := math.MaxInt32
	if len(fits) == 1 {
		width = max(1, verifyBytes/max(1, 8*first.chains*first.draws))
	}
	for lo := 1; lo <= first.params; lo += width {
		query := "SELECT fit_id, parameter_id, chain, first, n, v FROM " + of + "draw_piece WHERE fit_id BETWEEN " +
			strconv.FormatInt(first.id, 10) + " AND " + strconv.FormatInt(last.id, 10)
		if width < math.MaxInt32 {
			query += " AND parameter_id BETWEEN " + strconv.Itoa(lo) + " AND " + strconv.Itoa(lo+width-1)
		}
		found := make([]int, len(fits))
		for i, f := range fits {
			found[i] = f.found
		}
		err := checkPieces(ctx, c, query, by)
		unordered := false
		for _, f := range fits {
			unordered = unordered || f.unordered
		}
		if unordered {
			for i, f := range fits {
				f.found, f.unordered, f.parameter, f.at, f.sum = found[i], false, 0, 0, 0
			}
			err = checkPieces(ctx, c, query+" ORDER BY fit_id, parameter_id, chain, first", by)
			for _, f := range fits {
				f.bad = f.bad || f.unordered
			}
		}
		if err != nil {
			return err
		}
		if width > math.MaxInt32-lo {
			break
		}
	}
	return ctx.Err()
}

// checkPieces holds the pieces of a query against the checksums of their fits.
func checkPieces(ctx context.Context, c *sql.Conn, query string, by map[int64]*checkedDraws) error {
	err := chunk.Each(c, query, func(rows chunk.Chunk, n int) error {
		p, err := pieceColumns(rows)
		if err != nil {
			return err
		}
		for i := range n {
			if f := by[p.fit[i]]; f != nil {
				f.piece(int(p.parameter[i]), int(p.chain[i]), int(p.first[i]), int(p.n[i]),
					p.v[i*pieceDraws:(i+1)*pieceDraws])
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return errors.New(engineWords(err))
	}
	return nil
}

// piece takes the next piece of a fit's draws.
func (f *checkedDraws) piece(parameter, chain, first, n int, v []float64) {
	if f.at == 0 {
		f.parameter, f.sum = parameter, 0
	}
	place := (chain-1)*f.draws + first - 1
	if parameter != f.parameter || place != f.at || n < 1 || n > len(v) || parameter > len(f.sums) || parameter < 1 {
		f.unordered = true
		return
	}
	f.sum = addDraws(f.sum, v[:n])
	if f.at += n; f.at == f.chains*f.draws {
		if sum := f.sums[parameter-1]; sum.Valid && sum.Int64 == int64(f.sum) {
			f.found++
		}
		f.at = 0
	}
}
