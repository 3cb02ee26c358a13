package report

import (
	"context"
	"errors"
	"io"
	"os"

	"glmbatch/internal/outfile"
	"glmbatch/internal/words"
	"glmbatch/report/html"
)

// WritePage writes the page that o chooses to w. Its errors are those of Page and of w.
func (l *Ledger) WritePage(ctx context.Context, w io.Writer, o PageOptions) error {
	p, err := l.Page(ctx, o)
	if err != nil {
		return err
	}
	return html.Write(w, p)
}

// SavePage puts the page that o chooses at the path to, in place of what is there, so
// that a reader finds the old page or the new one, whole. Its errors are those of Page, or a *PutError.
func (l *Ledger) SavePage(ctx context.Context, to string, o PageOptions) error {
	p, err := l.Page(ctx, o)
	if err != nil {
		return err
	}
	if leads, _, err := outfile.Target(to); err == nil && leads == l.path {
		return &PutError{"report", to, words.Hint(errors.New("it is the ledger itself"), "name another file")}
	}
	err = outfile.Write(to, 0o644, func(f *os.File) error { return html.Write(f, p) })
	if err != nil {
		return &PutError{"report", to, words.Hint(err, putHint("report", err))}
	}
	return nil
}
