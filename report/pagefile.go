package report

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

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

// SavePage puts the page that o chooses at the path to, in place of what is there:
// it is written beside it, synced and renamed, so that a reader finds the old page
// or the new one, whole. Its errors are those of Page, or a *PutError.
func (l *Ledger) SavePage(ctx context.Context, to string, o PageOptions) error {
	p, err := l.Page(ctx, o)
	if err != nil {
		return err
	}
	if there, err := os.Stat(to); err == nil && there.IsDir() {
		return &PutError{"report", to, words.Hint(errors.New("it is a folder"), "name a file inside it")}
	}
	if same, err := filepath.Abs(to); err == nil && same == l.path {
		return &PutError{"report", to, words.Hint(errors.New("it is the ledger itself"), "name another file")}
	}
	if err := save(to, p); err != nil {
		return &PutError{"report", to, words.Hint(err, putHint("report", err))}
	}
	return nil
}

func save(to string, p *html.Page) error {
	f, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*")
	if err != nil {
		return err
	}
	defer f.Close() // closed below before it counts
	err = errors.Join(f.Chmod(0o644), html.Write(f, p), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(f.Name()))
	}
	return nil
}
