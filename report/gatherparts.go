package report

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/held"

	"golang.org/x/sync/errgroup"

	"glmbatch/report/record"
)

// Fragment is a ledger that a shard of a run has left. It began with fits that were taken of the one into which it is
// gathered.
type Fragment struct {
	File *Ledger
	// Check returns what is wrong with the fragment, given its contents.
	Check func(Contents) error
	// Err is why it was not loaded. Gather sets it.
	Err error
}

// Contents names the newest run of a fragment and the fits that the gathered run noted in it.
type Contents struct {
	Run  string
	Fits []Content
}

// Content is a name, with the number of complete fits and of errors that a run noted under it. Replicates share a name.
type Content struct {
	Key
	Fits, Erred int
}

// Gathering holds the inputs of Gather.
type Gathering struct {
	Run       *Run
	Fragments []*Fragment
	Whole     []int64 // numbers of the fits that were copied in full, for a recomputation
	Partial   bool    // load the fragments that are as they were written, where others are not
	// End is called when all is loaded, before the checkpoint.
	End func(*Session) error

	into     *Ledger
	together int // fragments that share a transaction at most; 0: groupFragments
}

// ErrFragments says that nothing was loaded, since fragments are not as they were written: each has its own error. A
// ledger that was not there is not there then.
var ErrFragments = errors.New("fragments are not as they were written")

// Gather loads the results of a run from fragments: new fits under numbers that they get here, the actions of the
// run for fits, and the recomputed results of those that were taken. The ledger keeps what it has: the
// records of an earlier call, and fits with the same fingerprint of runs that began no earlier. So the call may be
// killed and repeated.
//
// First every fragment is looked at: that its tables are there and of this schema, that every fit has its draws,
// with their checksums, and what Check says. Ledger.Whole reports whether its blocks are whole; the caller asks
// that before. Then some fragments at a time are loaded in one transaction, by copying columns. Cost: some 1 ms a
// small fit.
func (l *Ledger) Gather(ctx context.Context, g Gathering) error {
	g.into = l
	files := make([]*Ledger, len(g.Fragments))
	for i, f := range g.Fragments {
		files[i] = f.File
	}
	return l.writeAttached(ctx, files, func(s *Session) error {
		if err := sweep(ctx, s.c, l.path); err != nil {
			return err
		}
		if err := s.gatherAll(ctx, &g); err != nil {
			return err
		}
		return g.End(s)
	})
}

// Bounds of a transaction: a statement for a table costs as much as some small fits, and rows that fill no row
// group go through the log. Files are bounded since the engine holds what it has not written yet.
const (
	groupFragments = 24
	groupBytes     = 256 << 20
)

// grouped divides the fragments into those that share a transaction.
func (g *Gathering) grouped() (groups [][]*Fragment) {
	bytes := int64(0)
	for _, f := range g.Fragments {
		size := int64(0)
		if info, err := os.Stat(f.File.path); err == nil { // attaching it says what is wrong
			size = info.Size()
		}
		last := len(groups) - 1
		if last < 0 || len(groups[last]) == cmp.Or(g.together, groupFragments) || bytes+size > groupBytes {
			groups, bytes, last = append(groups, nil), 0, last+1
		}
		groups[last], bytes = append(groups[last], f), bytes+size
	}
	return groups
}

// gatherAll looks at all fragments before any is loaded: where they are one group, before that is committed.
func (s *Session) gatherAll(ctx context.Context, g *Gathering) error {
	groups := g.grouped()
	one := len(groups) == 1
	for _, group := range groups {
		err := s.attached(ctx, group, func(p *attachment) error {
			sound := p.checking(ctx, g.Run.ID)
			if one && !g.into.opts.DrawsOutside { // whose files nothing takes back
				return s.loadWhile(ctx, g, p, sound)
			}
			return sound()
		})
		if err != nil && !errors.Is(err, errUnsound) {
			return err
		}
	}
	if err := g.refused(); err != nil || one && !g.into.opts.DrawsOutside {
		return err
	}
	for _, group := range groups {
		err := s.attached(ctx, group, func(p *attachment) error { return s.load(ctx, g, p, nothing) })
		if err != nil {
			return err
		}
	}
	return nil
}

// nothing is left to wait for.
func nothing() error { return nil }

// loadWhile loads fragments while they are looked at, and takes that back if one is not sound: then the others are
// loaded, if they may.
func (s *Session) loadWhile(ctx context.Context, g *Gathering, p *attachment, sound func() error) error {
	err := s.load(ctx, g, p, sound)
	if errors.Is(err, errUnsound) {
		p.drop()
		err = s.load(ctx, g, p, nothing)
	}
	return err
}

// refused is ErrFragments where a fragment has an error and none may be left out.
func (g *Gathering) refused() error {
	if !g.Partial && slices.ContainsFunc(g.Fragments, func(f *Fragment) bool { return f.Err != nil }) {
		return ErrFragments
	}
	return nil
}

// attachment is the fragments of a group that are attached, part0 and so on, without those that have an error.
type attachment struct {
	c       *sql.Conn
	db      *sql.DB // for further connections
	numbers []int
	of      map[int]*Fragment
	filled  map[int]map[string]bool // whether a table of a fragment has rows
}

// attached calls fn with fragments attached for reading. One that cannot be attached has an error. Its views are not
// asked.
func (s *Session) attached(ctx context.Context, group []*Fragment, fn func(*attachment) error) (err error) {
	p := &attachment{c: s.c, db: s.db, of: map[int]*Fragment{}, filled: map[int]map[string]bool{}}
	for i, f := range group {
		if f.Err != nil {
			continue
		}
		release, err := held.AwaitRead(ctx, f.File.path)
		if err != nil {
			return err
		}
		defer release() // after it is detached
		p.numbers, p.of[i] = append(p.numbers, i), f
	}
	there := slices.Clone(p.numbers)
	defer func() {
		err = errors.Join(err, p.each(context.WithoutCancel(ctx), there, func(c *sql.Conn, i int) error {
			_, err := c.ExecContext(context.WithoutCancel(ctx), "DETACH DATABASE IF EXISTS part"+strconv.Itoa(i))
			return err
		}))
	}()
	err = p.each(ctx, p.numbers, func(c *sql.Conn, i int) error {
		_, err := c.ExecContext(ctx, "ATTACH "+quoteText(p.of[i].File.path)+" AS part"+strconv.Itoa(i)+" (READ_ONLY)")
		if err != nil {
			p.of[i].Err = errors.New(engineWords(err))
		}
		return ctx.Err()
	})
	if p.drop(); err == nil && len(p.numbers) > 0 {
		err = p.look(ctx)
	}
	if err != nil || len(p.numbers) == 0 {
		return err
	}
	return fn(p)
}

// each calls fn for some fragments in parallel, each with a connection of its own.
func (p *attachment) each(ctx context.Context, numbers []int, fn func(c *sql.Conn, i int) error) error {
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, i := range numbers {
		all.Go(func() error {
			c, err := p.db.Conn(ctx)
			if err != nil {
				return err
			}
			return errors.Join(fn(c, i), c.Close())
		})
	}
	return all.Wait()
}

// look notes which tables have rows. A fragment in which a table of fits is missing has an error.
func (p *attachment) look(ctx context.Context) error {
	there := map[string]int64{}
	err := scanRows(ctx, p.c, "SELECT database_name || '.' || table_name, estimated_size FROM duckdb_tables() WHERE "+
		"starts_with(database_name, 'part') AND schema_name = 'main'", func(rows *sql.Rows) error {
		var name string
		var size int64
		err := rows.Scan(&name, &size)
		there[name] = size
		return err
	})
	if err != nil {
		return err
	}
	for _, i := range p.numbers {
		p.filled[i] = map[string]bool{}
		for _, table := range fragmentTables() {
			size, ok := there["part"+strconv.Itoa(i)+"."+table]
			if !ok {
				p.of[i].Err = noTable(table)
			}
			p.filled[i][table] = size > 0
		}
	}
	p.drop()
	return nil
}

// drop leaves out the fragments that have an error.
func (p *attachment) drop() {
	p.numbers = slices.DeleteFunc(p.numbers, func(i int) bool { return p.of[i].Err != nil })
}

// from is a query of columns of a table in all fragments, which a column part identifies. It is empty if none has
// rows of it.
func (p *attachment) from(table, columns string) string {
	var all []string
	for _, i := range p.numbers {
		if p.filled[i][table] {
			n := strconv.Itoa(i)
			all = append(all, "SELECT "+n+" AS part, "+columns+" FROM part"+n+".main."+table)
		}
	}
	return strings.Join(all, " UNION ALL BY NAME ")
}

// The tables that load prepares: the fits of the fragments; the names that the run has not recorded in this ledger,
// each from the first fragment with it, since all shards list data that none could read; the new fits among them,
// with their numbers here; and fits taken, which are of other runs, with theirs. ?1 is the run, ?2 the fits taken
// whole.
const (
	gatheredTold = `CREATE OR REPLACE TEMP TABLE gathered_name AS
		SELECT dataset, key, model, sampler, min(part) AS part FROM temp.gathered_note t WHERE run_id = ?1
		AND NOT EXISTS (SELECT 1 FROM main.run_fit r WHERE r.run_id = ?1 AND r.dataset = t.dataset AND r.key = t.key
			AND r.model = t.model AND r.sampler = t.sampler)
		GROUP BY dataset, key, model, sampler`
	gatheredFits = `CREATE OR REPLACE TEMP TABLE gathered_fit AS
		SELECT f.part, f.fit_id AS was, NULL::BIGINT AS id, row_number() OVER (ORDER BY f.part, f.fit_id) AS place
		FROM temp.gathered_part f JOIN temp.gathered_name USING (part, dataset, key, model, sampler)
		WHERE f.run_id = ?1 AND (f.status <> 'complete' OR NOT EXISTS (SELECT 1 FROM main.fit k
			WHERE k.fingerprint = f.fingerprint AND k.status = 'complete' AND k.place >= f.place))`
	gatheredIDs = "UPDATE temp.gathered_fit SET id = list_extract(?::BIGINT[], place)"
	gatheredOld = `CREATE OR REPLACE TEMP TABLE gathered_old AS
		SELECT b.part, b.fit_id AS was, k.fit_id AS id, b.judged > k.judged AND b.run_id <> ?1 AS judged,
			b.run_id <> ?1 AND b.judged >= k.judged AND list_contains(?2::BIGINT[], b.fit_id) AS anew
		FROM temp.gathered_part b JOIN temp.gathered_name USING (part, dataset, key, model, sampler)
		JOIN main.fit k USING (fingerprint)
		WHERE b.status = 'complete' AND k.status = 'complete'`
)

// The statements of load on them, besides the tables of fits: each encloses a query of all fragments.
const (
	gatherVerdicts = `UPDATE main.fit SET verdict = b.verdict, reasons = b.reasons, gates = b.gates, judged = b.judged,
		warnings = b.warnings, n_parameters = b.n_parameters
		FROM (SELECT f.*, o.id FROM temp.gathered_old o JOIN (`
	ofVerdicts  = `) f ON o.part = f.part AND o.was = f.fit_id WHERE o.judged) b WHERE fit.fit_id = b.id`
	gatherNotes = `INSERT INTO main.run_fit BY NAME
		SELECT r.* EXCLUDE (part, line) REPLACE (coalesce(n.id, o.id) AS fit_id)
		FROM temp.gathered_name JOIN temp.gathered_note r USING (part, dataset, key, model, sampler)
		LEFT JOIN temp.gathered_fit n ON n.part = r.part AND n.was = r.fit_id
		LEFT JOIN temp.gathered_old o ON o.part = r.part AND o.was = r.fit_id
		WHERE r.run_id = ?1 ORDER BY r.part, r.line`
)

// load copies what fragments have, in one transaction, which ends well if sound does.
func (s *Session) load(ctx context.Context, g *Gathering, p *attachment, sound func() error) error {
	if err := g.refused(); err != nil || len(p.numbers) == 0 {
		return cmp.Or(sound(), err)
	}
	return inTransaction(ctx, s.c, func() error {
		err := s.copyAll(ctx, g, p)
		return cmp.Or(sound(), err) // what is wrong with a fragment may be why it could not be copied
	})
}

// copyAll copies what fragments have.
func (s *Session) copyAll(ctx context.Context, g *Gathering, p *attachment) error {
	if err := s.runOnce(ctx, g.Run); err != nil {
		return err
	}
	if notes := p.from("run_fit", "*, rowid AS line"); notes == "" {
		return nil // of nothing that the plan counted
	} else if _, err := s.c.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE gathered_note AS "+notes); err != nil {
		return err
	}
	if err := s.forgetErrors(ctx, g.Run.ID); err != nil {
		return err
	}
	judged, anew, err := s.gathered(ctx, g, p)
	if err == nil {
		err = s.replaced(ctx)
	}
	if err == nil {
		err = s.copied(ctx, g, p, anew)
	}
	if err == nil {
		err = s.storeOutside(ctx, g, p)
	}
	if err == nil && judged {
		_, err = s.c.ExecContext(ctx, gatherVerdicts+p.from("fit", "*")+ofVerdicts)
	}
	if err == nil {
		_, err = s.c.ExecContext(ctx, gatherNotes, g.Run.ID)
	}
	return err
}

// forgetErrors deletes the errors that the run has noted, and the fits that erred, of all names that the fragments
// have: the shard may have been run again since.
func (s *Session) forgetErrors(ctx context.Context, run string) error {
	const named = " WHERE run_id = ?1 AND (dataset, key, model, sampler) IN (SELECT (dataset, key, model, sampler) FROM " +
		"temp.gathered_note WHERE run_id = ?1)"
	errs := 0
	err := s.c.QueryRowContext(ctx, "SELECT count(*) FROM main.run_fit"+named+" AND action = ?2", run, string(Failed)).
		Scan(&errs)
	if err != nil || errs == 0 {
		return err
	}
	for _, table := range append(slices.Clone(fitTables), "fit") {
		_, err := s.c.ExecContext(ctx, "DELETE FROM main."+table+" WHERE fit_id IN (SELECT fit_id FROM main.fit"+named+
			" AND status <> 'complete')", run)
		if err != nil {
			return err
		}
	}
	_, err = s.c.ExecContext(ctx, "DELETE FROM main.run_fit"+named+" AND action = ?2", run, string(Failed))
	return err
}

// gathered prepares the rows to load, and reports whether fits that were taken were judged, and are to be replaced.
func (s *Session) gathered(ctx context.Context, g *Gathering, p *attachment) (judged, anew bool, err error) {
	fits := p.from("fit", "fit_id, run_id, dataset, key, model, sampler, fingerprint, status, place, judged")
	if fits == "" { // only notes
		fits = "SELECT 0 AS part, fit_id, run_id, dataset, key, model, sampler, fingerprint, status, place, judged FROM " +
			"main.fit WHERE false"
	}
	_, err = s.c.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE gathered_part AS "+fits)
	if err == nil {
		_, err = s.c.ExecContext(ctx, gatheredTold, g.Run.ID)
	}
	if err == nil {
		_, err = s.c.ExecContext(ctx, gatheredFits, g.Run.ID)
	}
	if err == nil {
		err = s.numberGathered(ctx)
	}
	if err == nil {
		_, err = s.c.ExecContext(ctx, gatheredOld, g.Run.ID, append([]int64{}, g.Whole...))
	}
	if err == nil {
		err = s.c.QueryRowContext(ctx, "SELECT coalesce(bool_or(judged), false), coalesce(bool_or(anew), false) FROM "+
			"temp.gathered_old").Scan(&judged, &anew)
	}
	return judged, anew, err
}

// numberGathered gives new fits of fragments their numbers in this ledger.
func (s *Session) numberGathered(ctx context.Context) error {
	var n int
	if err := s.c.QueryRowContext(ctx, "SELECT count(*) FROM temp.gathered_fit").Scan(&n); err != nil {
		return err
	}
	ids, err := s.numbers(ctx, n)
	if err == nil {
		_, err = s.c.ExecContext(ctx, gatheredIDs, append([]int64{}, ids...))
	}
	return err
}

// replaced deletes the fits that new ones replace.
func (s *Session) replaced(ctx context.Context) error {
	var by replacing
	err := scanRows(ctx, s.c, "SELECT fingerprint, status, n.id FROM temp.gathered_part f JOIN "+
		"temp.gathered_fit n ON n.part = f.part AND n.was = f.fit_id", func(rows *sql.Rows) error {
		var fingerprint string
		var status record.Status
		var id int64
		err := rows.Scan(&fingerprint, &status, &id)
		by.add(fingerprint, id, status)
		return err
	})
	if err != nil {
		return err
	}
	return s.remove(ctx, &by)
}

// copied copies the rows of fits, new ones and, if there are any, those of fits that were taken and are replaced.
func (s *Session) copied(ctx context.Context, g *Gathering, p *attachment, anew bool) error {
	for _, table := range append([]string{"fit"}, fitTables...) {
		if anew && table != "fit" {
			_, err := s.c.ExecContext(ctx, "DELETE FROM main."+table+" WHERE fit_id IN (SELECT id FROM temp.gathered_old "+
				"WHERE anew)")
			if err != nil {
				return err
			}
		}
		rows := p.from(table, "*")
		if rows == "" || g.leaves(table) {
			continue
		}
		insert := "INSERT INTO main." + table + " BY NAME SELECT t.* EXCLUDE (part) REPLACE (n.id AS fit_id) FROM (" + rows +
			") t JOIN "
		_, err := s.c.ExecContext(ctx, insert+"temp.gathered_fit n ON n.part = t.part AND n.was = t.fit_id")
		if err == nil && anew && table != "fit" {
			_, err = s.c.ExecContext(ctx, insert+"temp.gathered_old n ON n.part = t.part AND n.was = t.fit_id AND n.anew")
		}
		if err != nil {
			return fmt.Errorf("loading the table %s: %w", table, err)
		}
	}
	return nil
}

// Numbers are those of the complete fits, by fingerprint.
func (s *Session) Numbers(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	return out, readMap(ctx, s.c, out, "SELECT fingerprint, fit_id FROM fit WHERE status = 'complete'")
}
