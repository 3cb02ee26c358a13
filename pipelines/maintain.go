package pipelines

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"glmbatch/pipelines/internal/pending"
	"glmbatch/report"
)

// CommitOptions configures Commit. The zero value waits 10 s for a held ledger.
type CommitOptions struct {
	Publish  string // where a copy of the ledger goes when all is loaded; empty for nowhere
	Report   string // where a page about the newest run goes then; empty for nowhere
	LockWait time.Duration
	Log      *slog.Logger // nil: none
}

// Database is the ledger of the pipeline that target names, as an absolute
// path. Its error is a *UsageError where the spec is wrong.
func Database(target string, o Overrides) (string, error) {
	p, _, err := load(target, o)
	if err != nil {
		return "", err
	}
	return filepath.Abs(p.Database)
}

// Published is where the pipeline that target names publishes copies of its
// ledger, and where it puts its report; empty for nowhere.
func Published(target string, o Overrides) (copyTo, pageTo string, err error) {
	p, _, err := load(target, o)
	if err != nil {
		return "", "", err
	}
	return p.Publish, p.Report, nil
}

// Commit loads the finished fits of earlier runs that could not be committed while the ledger was held; they are in
// the spool next to the database. It draws nothing and needs neither spec nor data. The exit code in the outcome is
// that of a run.
func Commit(ctx context.Context, database string, o CommitOptions) (*Outcome, error) {
	path, err := filepath.Abs(database)
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return pending.Commit(ctx, pending.Config{Database: path, Publish: o.Publish, Report: o.Report, LockWait: o.LockWait,
		Log: o.Log, Now: time.Now})
}

// Pruned says what Prune did.
type Pruned = report.Pruned

// Prune keeps the newest keep complete fits of each name of each pipeline in a ledger, removes the others and
// rewrites the file. If pipeline is not empty, fits of other pipelines stay.
func Prune(ctx context.Context, database, pipeline string, keep int, lockWait time.Duration) (Pruned, error) {
	ledger, err := report.Open(database, report.Options{LockWait: lockWait})
	if err != nil {
		return Pruned{}, err
	}
	return ledger.Prune(ctx, pipeline, keep)
}

// Verified says what Verify read.
type Verified = report.Verified

// Verify reads every block of a ledger, and holds its draws against the checksums that were stored with them. The
// result lists the damage. The error is a *UsageError, as for every command that is given no ledger or a damaged
// one.
func Verify(ctx context.Context, database string, lockWait time.Duration) (*Verified, error) {
	ledger, err := report.Open(database, report.Options{LockWait: lockWait})
	var v *Verified
	if err == nil {
		v, err = ledger.Verify(ctx)
	}
	if IsUnusable(err) {
		return v, &UsageError{err}
	}
	return v, err
}
