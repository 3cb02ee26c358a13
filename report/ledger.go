package report

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"glmbatch/internal/held"
	"glmbatch/internal/outfile"
	"glmbatch/internal/words"
)

// Options configures Open. The zero value is ready to use.
type Options struct {
	// LockWait bounds how long to wait, with growing pauses, for another
	// process that holds the file. Zero means 10 s; negative means one try.
	LockWait time.Duration
	// Threads is the number of the engine's threads for queries and for loading
	// fits of more than a million draw values; smaller ones are loaded by one,
	// since waiting for each other costs threads more than it gains. Zero means
	// GOMAXPROCS.
	Threads int
	// MemoryLimit bounds the engine's buffers, as in "512MB". Empty means 1GB.
	MemoryLimit string
	// Private makes a new ledger readable for its owner alone, as one that holds the
	// variables of a spec is.
	Private bool
	// Restore lets Open replace views and macros that have the names of the program's own. Without it readers
	// refuse such a ledger, and the first Write does that.
	Restore bool
	// DrawsOutside lets Gather write draws as Parquet files, not into the ledger but into a folder next to it that
	// has its name and .draws.
	DrawsOutside bool
	// Later lets the first read or write check whether the file is a ledger, instead of Open: for callers that do
	// little more than one, of which starting the engine is most of the cost. With Restore it is Reading that does
	// what Open would.
	Later bool
}

// Ledger is a DuckDB file of fits. It holds no connection and no lock between
// calls. Its methods may be called concurrently; writers take turns.
type Ledger struct {
	path string
	opts Options
	mu   sync.RWMutex // readers and writers of this process take turns

	trusted atomic.Bool // the file's views were seen to be the program's own

	door sync.Mutex // for those who come and go while others read
}

// Open names the ledger at path, which need not exist: the first Write makes it. A file that exists must be a
// ledger, or a DuckDB file without tables; otherwise Open returns a *NotLedgerError, or a *VersionError if a newer
// program wrote it. One of an older program is brought to this one's schema by whoever comes first, also by those
// who only read; where the file cannot be written that is a *NotLedgerError. No lock is kept. A file that another
// process holds, or has just begun to make, is checked when it is used. A link is followed here, once: files of the
// engine and the program are created next to the file itself.
func Open(path string, opts Options) (*Ledger, error) {
	real, _, err := outfile.Target(path)
	if err != nil {
		return nil, err
	}
	if opts.LockWait == 0 {
		opts.LockWait = 10 * time.Second
	}
	if opts.Threads == 0 {
		opts.Threads = runtime.GOMAXPROCS(0)
	}
	if opts.MemoryLimit == "" {
		opts.MemoryLimit = "1GB"
	}
	l := &Ledger{path: real, opts: opts}
	exists, err := checkFile(real)
	if err != nil || !exists || opts.Later {
		return l.orError(err)
	}
	db, c, err := l.connect(context.Background(), true, reach{})
	if isLocked(err) {
		return l, nil
	}
	if err != nil {
		return nil, l.badFile(err)
	}
	err = l.damaged(l.current(context.Background(), c))
	_, old := errors.AsType[*oldError](err)
	if old {
		err = nil
	}
	strange := err == nil && !old && opts.Restore && l.trust(context.Background(), c) != nil
	if err := errors.Join(err, c.Close(), db.Close()); err != nil || !old && !strange {
		return l.orError(err)
	}
	return l.orError(l.bringUp(context.Background()))
}

// orError returns l unless there is an error.
func (l *Ledger) orError(err error) (*Ledger, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Path is the absolute path of the file; where it was named by a link, that of what the link leads to.
func (l *Ledger) Path() string { return l.path }

// magicOffset is the offset of the four letters DUCK in every DuckDB file.
const magicOffset = 8

// Where the first header of a file has its storage version and the engine that made it.
const (
	storageOffset = 12
	writerOffset  = 52
	writerSize    = 32
)

// newestStorage is the newest storage version of files that the engine reads (TestNewerStorage), and ledgerStorage the
// one that ledgers are made with: engines from 1.0 on read it, whatever a later engine's default is.
const (
	newestStorage = 68
	ledgerStorage = "v1.0.0"
)

// checkFile reports whether there is a file with content at path, and an error
// if the content is not DuckDB's, or of a newer DuckDB, or the name cannot be opened by the engine. A file that this
// process has open was looked at before: closing another handle of it would give up the lock of its engine.
func checkFile(path string) (exists bool, err error) {
	if err := openable(path); err != nil {
		return false, err
	}
	release, alone := held.Write(path)
	if !alone {
		return true, nil
	}
	defer release()
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return false, err
	case info.IsDir():
		return false, &NotLedgerError{Path: path, Err: words.Hint(errors.New("it is a directory"), "name a file inside it")}
	case info.Size() == 0:
		return false, nil
	}
	head := make([]byte, headerSize)
	n, err := io.ReadFull(f, head)
	if err != nil && n < magicOffset+4 || string(head[magicOffset:magicOffset+4]) != "DUCK" {
		return false, &NotLedgerError{Path: path, Err: words.Hint(errors.New("it is no DuckDB file"),
			"name another database; this file was left as it is")}
	}
	if storage := binary.LittleEndian.Uint64(head[storageOffset:]); storage > newestStorage && checked(head) {
		writer, _, _ := strings.Cut(string(head[writerOffset:writerOffset+writerSize]), "\x00")
		return false, &StorageError{path, storage, writer}
	}
	return true, nil
}

// openable refuses names that the engine's driver takes for something else: it reads
// what follows ? as settings, and none of the settings where there is a #.
func openable(path string) error {
	if _, err := url.Parse(path); err != nil || strings.ContainsAny(path, "?#") {
		return &NotLedgerError{Path: path, Err: words.Hint(errors.New("the engine cannot open a path with ?, # or a stray %"),
			"name the database, or its folder, otherwise")}
	}
	return nil
}

// badFile wraps the engine's refusal to open a file that looks like DuckDB's.
func (l *Ledger) badFile(err error) error {
	if isEmptyFile(l.path) {
		return &NotLedgerError{Path: l.path, Err: words.Hint(errors.New("it is an empty file"),
			"remove it; the engine makes its own")}
	}
	if damaged, ok := errors.AsType[*NotLedgerError](l.damaged(err)); ok {
		return damaged
	}
	return &NotLedgerError{Path: l.path, Err: words.Hint(errors.New(engineWords(err)),
		"the file may be damaged or from a newer DuckDB; restore a copy, or name another database")}
}

// Empty returns a *NotLedgerError if the file is there and empty: for callers that would else
// find out late, since Open takes such a file for one that is just being made.
func (l *Ledger) Empty() error {
	if isEmptyFile(l.path) {
		return l.badFile(nil)
	}
	return nil
}

func isEmptyFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

// connect opens the engine on the file, once.
func (l *Ledger) connect(ctx context.Context, readOnly bool, r reach) (*sql.DB, *sql.Conn, error) {
	if err := unguard(l.path); err != nil {
		return nil, nil, err
	}
	db, c, err := l.open(ctx, readOnly, r)
	if err == nil || isLocked(err) {
		return db, c, err
	}
	if mended, merr := l.repairLog(); merr != nil || !mended {
		return nil, nil, errors.Join(err, merr)
	}
	return l.open(ctx, readOnly, r)
}

// open is connect to a file whose log is as it should be.
func (l *Ledger) open(ctx context.Context, readOnly bool, r reach) (*sql.DB, *sql.Conn, error) {
	q := url.Values{"memory_limit": {l.opts.MemoryLimit}, "checkpoint_threshold": {"1TB"}, // see doublewrite.go
		"preserve_insertion_order": {strconv.FormatBool(readOnly)}, "threads": {"1"}}
	if !readOnly {
		release, ok := held.Write(l.path)
		if !ok {
			return nil, nil, errOpenHere
		}
		return attach(ctx, l.path, q, r, func() {
			if r.guard != nil {
				r.guard.close()
			}
			release()
		})
	}
	r, err := r.withDraws(l.path)
	if err != nil {
		return nil, nil, err
	}
	release, ok := held.Read(l.path)
	if !ok {
		return nil, nil, errOpenHere
	}
	q.Set("access_mode", "READ_ONLY")
	q.Set("threads", strconv.Itoa(l.opts.Threads))
	q.Set("lock_configuration", "true") // a writer carries out this package's own SQL, which sets the threads
	return dialUntil(ctx, l.path, q, r, release)
}

// patiently is connect with bounded waiting for whoever holds the file.
func (l *Ledger) patiently(ctx context.Context, readOnly bool, r reach) (*sql.DB, *sql.Conn, error) {
	start, pause := time.Now(), 5*time.Millisecond
	for {
		db, c, err := l.connect(ctx, readOnly, r)
		if err == nil {
			return db, c, nil
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if !isLocked(err) {
			return nil, nil, l.badFile(err)
		}
		left := l.opts.LockWait - time.Since(start)
		if left <= 0 {
			return nil, nil, &LockedError{l.path, time.Since(start), err}
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(min(pause, left)):
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}

// Write opens the file for writing, making or migrating it if need be, calls fn, checkpoints and closes. The
// transactions that fn committed through the session stay, also if fn then returns an error.
//
// Write returns a *LockedError if the file stays held. Cost: some 20 ms and a checkpoint in addition to that of fn,
// so commit several small fits in one Write.
func (l *Ledger) Write(ctx context.Context, fn func(*Session) error) error {
	return l.writeWith(ctx, reach{}, fn)
}

// writeWith is Write with an engine that may read other ledgers.
func (l *Ledger) writeWith(ctx context.Context, r reach, fn func(*Session) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	exists, err := checkFile(l.path)
	made := err == nil && !exists && !isEmptyFile(l.path)
	if made {
		err = l.create(ctx)
	}
	if err != nil {
		return err
	}
	defer ownersAlone(l.path)()
	r.guard = &guard{path: l.path}
	db, c, err := l.patiently(ctx, false, r)
	if err != nil {
		return err
	}
	if made {
		_, err = c.ExecContext(ctx, "UPDATE schema_version SET applied = make_timestamp(epoch_us(now()))")
	}
	if err == nil {
		err = l.session(ctx, db, c, fn)
		// without it what fn committed before it failed would stay in the log
		if cerr := r.guard.checkpoint(context.WithoutCancel(ctx), c); err == nil {
			err = cerr
		}
	}
	if made && errors.Is(err, ErrFragments) { // nothing was loaded; the engine still keeps others out
		l.trusted.Store(false)
		err = errors.Join(err, removeIfThere(l.path))
	}
	return errors.Join(l.damaged(err), c.Close(), db.Close())
}

func (l *Ledger) session(ctx context.Context, db *sql.DB, c *sql.Conn, fn func(*Session) error) error {
	if err := l.ready(ctx, c); err != nil {
		return err
	}
	s, err := newSession(db, c, l.opts.Threads)
	if err != nil {
		return err
	}
	return fn(s)
}

// ready brings an open file to the newest schema, with the program's own parts in place.
func (l *Ledger) ready(ctx context.Context, c *sql.Conn) error {
	if l.trusted.Load() {
		return migrate(ctx, c, l.path, migrations)
	}
	version, err := schemaVersion(ctx, c, l.path, migrations)
	if err != nil {
		return err
	}
	parts, err := foreign(ctx, c, l.path)
	if err == nil && version < len(migrations) {
		if err = migrate(ctx, c, l.path, migrations); err == nil { // a step may have replaced what was not its own
			parts, err = foreign(ctx, c, l.path)
		}
	}
	if err == nil {
		err = inTransaction(ctx, c, func() error { return restore(ctx, c, l.path, parts) })
	}
	l.trusted.Store(err == nil)
	return err
}

// read opens the file read-only and calls fn. A file that is not there yet is
// a *MissingError.
func (l *Ledger) read(ctx context.Context, fn func(*sql.Conn) error) error {
	return l.readWith(ctx, reach{}, fn)
}

// readWith is read with an engine that may reach other files: it waits for those that may not.
func (l *Ledger) readWith(ctx context.Context, r reach, fn func(*sql.Conn) error) error {
	err := l.readCurrent(ctx, r, fn)
	if _, old := errors.AsType[*oldError](err); !old {
		return err
	}
	if err := l.bringUp(ctx); err != nil {
		return err
	}
	return l.readCurrent(ctx, r, fn)
}

// readCurrent is readWith of a ledger that has this program's schema; of another it is an *oldError, and fn is not
// called.
func (l *Ledger) readCurrent(ctx context.Context, r reach, fn func(*sql.Conn) error) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	db, c, err := l.enter(ctx, r, l.patiently)
	if err != nil {
		return err
	}
	if !l.trusted.Load() {
		err = l.current(ctx, c)
	}
	if err == nil {
		err = l.trust(ctx, c)
	}
	if err == nil {
		err = l.offer(ctx, c)
	}
	if err == nil {
		err = fn(c)
	}
	return errors.Join(l.damaged(err), l.leave(db, c))
}

// Reading calls fn, whose reads of this ledger share one engine where they would start one each. Nothing may be
// written meanwhile. A file that cannot be opened at once is left to the reads in fn.
func (l *Ledger) Reading(ctx context.Context, fn func() error) error {
	db, c, err := l.enter(ctx, reach{}, l.connect)
	if err != nil {
		return fn()
	}
	if l.opts.Later {
		err := l.current(ctx, c)
		_, old := errors.AsType[*oldError](err)
		if old || err == nil && l.opts.Restore && l.trust(ctx, c) != nil {
			err = errors.Join(l.leave(db, c), l.bringUp(ctx))
			return errors.Join(err, fn())
		}
	}
	return errors.Join(fn(), l.leave(db, c))
}

// leave ends what enter began.
func (l *Ledger) leave(db *sql.DB, c *sql.Conn) error {
	l.door.Lock()
	defer l.door.Unlock()
	return errors.Join(c.Close(), db.Close())
}

// readTables is read of a file with a ledger's tables: one that has none yet is
// a *MissingError too.
func (l *Ledger) readTables(ctx context.Context, fn func(*sql.Conn) error) error {
	return l.read(ctx, func(c *sql.Conn) error {
		version, err := schemaVersion(ctx, c, l.path, migrations)
		if err == nil && version == 0 {
			err = missing(l.path)
		}
		if err != nil {
			return err
		}
		return fn(c)
	})
}

// readIfThere is readTables that finds nothing where there is no ledger yet.
func (l *Ledger) readIfThere(ctx context.Context, fn func(*sql.Conn) error) error {
	err := l.readTables(ctx, fn)
	if _, missing := errors.AsType[*MissingError](err); missing {
		return nil
	}
	return err
}

// enter opens a connection for reading, by connect or patiently.
func (l *Ledger) enter(ctx context.Context, r reach,
	open func(context.Context, bool, reach) (*sql.DB, *sql.Conn, error)) (*sql.DB, *sql.Conn, error) {
	l.door.Lock()
	defer l.door.Unlock()
	exists, err := checkFile(l.path)
	if err != nil {
		return nil, nil, err
	}
	if !exists && !isEmptyFile(l.path) {
		return nil, nil, missing(l.path)
	}
	return open(ctx, true, r)
}
