package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// Inside reports whether a path lies in one of the folders, links on the way
// followed, whether or not there is anything at its end. Nil folders hold every
// path.
func Inside(folders []string, path string) (bool, error) {
	if folders == nil {
		return true, nil
	}
	if words.IsObject(path) {
		return slices.ContainsFunc(folders, func(folder string) bool {
			return words.IsObject(folder) && strings.HasPrefix(path+"/", strings.TrimRight(folder, "/")+"/")
		}), nil
	}
	folders = onDisk(folders)
	real, err := resolved(path)
	var dangling *linkError
	if errors.As(err, &dangling) { // which is reported to those who may read the link
		if ok, ferr := Inside(folders, filepath.Dir(dangling.path)); ferr == nil && !ok {
			return false, nil
		}
	}
	if err != nil {
		return false, err
	}
	for _, folder := range folders {
		root, err := resolved(folder)
		if err != nil {
			return false, err
		}
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return true, nil
		}
	}
	return false, nil
}

// onDisk are the folders that are none of an object store.
func onDisk(folders []string) []string {
	return slices.DeleteFunc(slices.Clone(folders), words.IsObject)
}

// resolved is the absolute path with the links of its existing part followed. A link that leads nowhere is an
// error, because its target may appear later.
func resolved(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		info, lerr := os.Lstat(path)
		switch {
		case !errors.Is(err, os.ErrNotExist):
			return "", err
		case lerr == nil && info.Mode()&os.ModeSymlink != 0:
			return "", &linkError{path, err}
		}
		if path == filepath.Dir(path) {
			return "", err
		}
		path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest)
	}
}

// linkError is a link that leads nowhere.
type linkError struct {
	path string
	err  error
}

func (e *linkError) Error() string {
	return fmt.Sprintf("the target of the link %s does not exist", e.path)
}
func (e *linkError) Unwrap() error { return e.err }

// errOutside marks a file that the caller does not let a spec reach.
var errOutside = errors.New("it is outside the folders that may be used")

// FenceHint says what to do about a path that Inside found outside, or could not
// follow for err.
func FenceHint(path string, err error) string {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "create the target inside the allowed folders, or remove the link"
	case err != nil:
		return "check that the path and its links can be followed"
	}
	folder := folderOf(path)
	if folder == words.ObjectScheme {
		folder = path
	}
	return fmt.Sprintf("if you trust the spec, add --allow %s (and --allow . for what is here: it may then use the "+
		"folders that are named, and no others)", folder)
}

// folderOf is filepath.Dir, which makes one slash of two or more, for objects too.
func folderOf(path string) string {
	if !words.IsObject(path) {
		return filepath.Dir(path)
	}
	if at := strings.LastIndexByte(path, '/'); at > len(words.ObjectScheme) {
		return path[:at]
	}
	return path[:min(len(path), len(words.ObjectScheme))] // a pattern instead of a bucket
}

// within refuses a path outside of the source's folders.
func (src *Source) within(path string) error {
	ok, err := Inside(src.Within, path)
	if err != nil {
		return &SourceError{Dataset: src.Name, File: path, Err: words.Hint(err, FenceHint(path, err))}
	}
	if !ok {
		return &SourceError{Dataset: src.Name, File: path, Err: words.Hint(errOutside, FenceHint(path, nil))}
	}
	return nil
}

// holds refuses a file outside of the source's folders that a pattern matched. If its folder is outside too, the
// error names the pattern as written, and not the file.
func (src *Source) holds(pattern, file string) error {
	err := src.within(file)
	if err == nil || words.IsObject(file) { // whose names come from the store, and lead nowhere else
		return err
	}
	if ok, folderErr := Inside(src.Within, filepath.Dir(file)); ok || folderErr != nil {
		return err
	}
	inside := pattern
	if stem := Stem(pattern); stem != pattern {
		inside = filepath.Join(stem, "*")
	}
	return &SourceError{Dataset: src.Name, File: pattern, Err: words.Hint(errOutside, FenceHint(inside, nil))}
}

// Stem is the folder of a path's last part that has no pattern in it: what has to
// be inside for all that a glob may match.
func Stem(path string) string {
	for strings.ContainsAny(path, "*?[") {
		path = folderOf(path)
	}
	return path
}
