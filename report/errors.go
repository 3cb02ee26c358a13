package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"glmbatch/internal/words"
)

// LockedError says that another process held the ledger for all of the time
// that Options.LockWait allows. Nothing was written.
type LockedError struct {
	Path   string
	Waited time.Duration
	Err    error // the engine's words, which name the process where they can
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("ledger %q is held by another process (waited %s): %s", e.Path, e.Waited.Round(time.Millisecond),
		holder(e.Err)) +
		words.HintLine("close the program that has it open, then run again")
}

func (e *LockedError) Unwrap() error { return e.Err }

// NotLedgerError reports that a file exists but cannot be used as a ledger, or is a damaged one. The file is left
// as it is.
type NotLedgerError struct {
	Path    string
	Damaged bool  // a block of it is not what was written
	Err     error // a *words.Hinted
}

func (e *NotLedgerError) Error() string {
	if e.Damaged {
		return fmt.Sprintf("ledger %q is damaged: %s", e.Path, e.Err)
	}
	return fmt.Sprintf("%q is not a ledger: %s", e.Path, e.Err)
}

func (e *NotLedgerError) Unwrap() error { return e.Err }

// VersionError reports that another program made the ledger: a newer one, or, if Name is set, a build that gave a
// version of the schema another name than this program, and other tables.
type VersionError struct {
	Path        string
	Have, Known int    // schema versions of the file and of this program
	Name, Here  string // names of version Have in the file and in this program, if they differ; otherwise empty
}

func (e *VersionError) Error() string {
	if e.Name != "" {
		return fmt.Sprintf("ledger %q cannot be read: version %d of its schema is named %q, and this program's is named %q, "+
			"so that a build between releases wrote it, with other tables", e.Path, e.Have, e.Name, e.Here) +
			words.HintLine("the build that wrote it reads it; in another database, the next run fits everything again")
	}
	return fmt.Sprintf("ledger %q has schema version %d, this program knows versions up to %d", e.Path, e.Have, e.Known) +
		words.HintLine("use the newer program that wrote it, or another database file")
}

// StorageError reports that a newer DuckDB wrote the file, in a form that this program's engine does not read.
type StorageError struct {
	Path    string
	Storage uint64 // version of the form
	Writer  string // version of DuckDB
}

func (e *StorageError) Error() string {
	return fmt.Sprintf("ledger %q cannot be read: DuckDB %s wrote it with storage version %d, and this program reads "+
		"versions up to %d", e.Path, e.Writer, e.Storage, newestStorage) +
		words.HintLine("restore a published copy; or copy it with a client of that DuckDB: ATTACH '"+filepath.Base(e.Path)+
			"' AS old; ATTACH 'copy.duckdb' AS new (STORAGE_VERSION '"+ledgerStorage+"'); COPY FROM DATABASE old TO new")
}

// MissingError says that there is no ledger at Path. Near are the files of its folder with names like ledgers.
type MissingError struct {
	Path string
	Near []string
}

// missing lists files with similar names if a ledger does not exist.
func missing(path string) *MissingError {
	e := &MissingError{Path: path}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return e
	}
	for _, f := range files {
		if filepath.Ext(f.Name()) == ".duckdb" && f.Type().IsRegular() {
			e.Near = append(e.Near, f.Name())
		}
	}
	return e
}

func (e *MissingError) Error() string {
	hint := "`pipeline run` makes it; --database names another one"
	if len(e.Near) > 0 {
		hint = "--database names another one; beside it are " + words.List(e.Near)
	}
	return fmt.Sprintf("there is no ledger %q", e.Path) + words.HintLine(hint)
}

// IsUnusable reports whether err means that a file cannot be used as a ledger: another file, a damaged one, or one
// of a newer program or of a newer DuckDB.
func IsUnusable(err error) bool {
	_, other := errors.AsType[*NotLedgerError](err)
	_, newer := errors.AsType[*VersionError](err)
	_, storage := errors.AsType[*StorageError](err)
	return other || newer || storage
}

// ShapeError says that a fit's parts do not fit together: a fault of the
// caller, found before the fit is visible.
type ShapeError struct{ What string }

func (e *ShapeError) Error() string { return "fit record: " + e.What }

// errOpenHere says that this process itself has the file open, and not as it would have to be.
var errOpenHere = errors.New("this process has it open")

// isLocked reports whether the engine refused to open a file because another user, in this or another process, has
// it open.
func isLocked(err error) bool {
	if err == nil {
		return false
	}
	s := engineText(err)
	return errors.Is(err, errOpenHere) ||
		strings.Contains(s, "Could not set lock") || strings.Contains(s, "Conflicting lock") ||
		strings.Contains(s, "different configuration than existing connections") ||
		strings.Contains(s, "file handle conflict")
}

// damaged returns err as a *NotLedgerError if the engine met a block whose checksum is
// wrong, whatever was asked for, or if the record of a fit is wrong.
func (l *Ledger) damaged(err error) error {
	if wrong, is := errors.AsType[*countError](err); is {
		return &NotLedgerError{Path: l.path, Damaged: true, Err: words.Hint(wrong, damagedHint)}
	}
	if err == nil || !strings.Contains(engineText(err), "Corrupt database file") {
		return err
	}
	return &NotLedgerError{Path: l.path, Damaged: true, Err: words.Hint(errors.New(engineWords(err)), damagedHint)}
}

const damagedHint = "restore a copy, such as a published one, or name another database"

// holder cuts the engine's message down to who holds the file.
func holder(err error) string {
	if err == nil {
		return "unknown holder"
	}
	s := engineText(err)
	if i := strings.Index(s, "Conflicting lock is held in "); i >= 0 {
		s = s[i:]
		if j := strings.Index(s, ". "); j >= 0 {
			s = s[:j]
		}
	}
	return strings.TrimSpace(s)
}

// engineText is the message of the engine and its driver. Nothing else distinguishes their errors: the driver
// derives its kinds of errors from the same text, and has none for locks.
func engineText(err error) string { return err.Error() }

// engineWords is the message of the engine, without the driver's wrapping.
func engineWords(err error) string {
	return strings.TrimSpace(driverWords.Replace(engineText(err)))
}

var driverWords = strings.NewReplacer("duckdb error: ", "", "database/sql/driver: ", "",
	"could not connect to database: ", "")

// memoryHint says what to do where the engine could not write its file.
func memoryHint(err error) error {
	if err == nil || !strings.Contains(engineText(err), "Could not write") {
		return err
	}
	return words.Hint(err,
		"is the disk full? What is drawn is kept beside the ledger: make room, then commit it or run again")
}
