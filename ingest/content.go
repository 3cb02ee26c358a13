package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"glmbatch/internal/objects"
	"glmbatch/internal/words"
)

// content is the content of a file, or of an object of a store. Read goes through it in order, ReadAt is safe for
// concurrent use.
type content interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
	Size() int64
	// Fetch announces ranges, as first byte and length, that will be read.
	Fetch(ranges [][2]int64) error
	// Err is a fault of the place where the bytes are, whatever a reader made of it; nil if there was none.
	Err() error
}

// disk is a file's content.
type disk struct {
	*os.File
	size int64
}

func (d disk) Size() int64              { return d.size }
func (d disk) Fetch(_ [][2]int64) error { return nil }
func (d disk) Err() error               { return nil }

// open opens a file or an object that is not empty. Of files only regular ones are opened, since a pipe could block for
// ever.
func (src *Source) open(ctx context.Context, path string) (content, error) {
	fail := func(err error, hint string) (content, error) {
		return nil, &SourceError{Dataset: src.Name, File: path, Err: words.Hint(err, hint)}
	}
	if words.IsObject(path) {
		o, err := openObject(ctx, path)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, objects.ErrMissing):
			return fail(objects.ErrMissing, nearbyObjects(ctx, path))
		case err != nil:
			return fail(err, "")
		case o.Size() == 0:
			return fail(errors.New("the object is empty"), "")
		}
		return o, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fail(reason(err), "")
	case !info.Mode().IsRegular():
		return fail(errors.New("this is not a regular file"), "")
	case info.Size() == 0:
		return fail(errors.New("the file is empty"), "")
	}
	file, err := os.Open(path)
	if err != nil {
		return fail(reason(err), "")
	}
	return disk{file, info.Size()}, nil
}

func openObject(ctx context.Context, path string) (*objects.Object, error) {
	store, err := objects.FromEnvironment()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, path)
}

// objects lists what a name, a glob or the name of a folder stands for in an object store.
func (src *Source) objects(ctx context.Context) ([]string, error) {
	fail := func(err error, hint string) ([]string, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &SourceError{Dataset: src.Name, File: src.Path, Err: words.Hint(err, hint)}
	}
	store, err := objects.FromEnvironment()
	if err != nil {
		return fail(err, "")
	}
	glob := strings.ContainsAny(src.Path, "*?[")
	if !glob && hasExtension(src.Path) {
		return []string{src.Path}, nil // opening it shows whether it exists
	}
	names, err := store.Glob(ctx, src.Path)
	if err != nil {
		return fail(err, "")
	}
	if glob {
		if len(names) == 0 {
			return fail(errors.New("no object matches"), nearbyObjects(ctx, src.Path))
		}
		return names, nil
	}
	var files []string
	for _, name := range names {
		if base := name[strings.LastIndexByte(name, '/')+1:]; hasExtension(base) && base[0] != '_' && base[0] != '.' {
			files = append(files, name)
		}
	}
	if len(files) == 0 && !strings.HasSuffix(src.Path, "/") {
		return []string{src.Path}, nil
	}
	if len(files) == 0 {
		return fail(errors.New("the folder holds no .parquet, .csv or .tsv object"),
			"name an object, or a glob such as s3://bucket/folder/*.csv; folders inside the folder are not searched")
	}
	return files, nil
}

// nearbyObjects lists a few data files with similar names, as nearbyHint does for a folder.
func nearbyObjects(ctx context.Context, path string) string {
	dir := Stem(path)
	if dir == path {
		dir = path[:strings.LastIndexByte(path, '/')]
	}
	store, err := objects.FromEnvironment()
	if err != nil {
		return ""
	}
	found, err := store.Glob(ctx, dir+"/")
	if err != nil {
		return "" // the first error has the remedy
	}
	var names []string
	for _, name := range found {
		if hasExtension(name) {
			names = append(names, name[strings.LastIndexByte(name, '/')+1:])
		}
	}
	return nearby(fmt.Sprintf("%s/", dir), names)
}
