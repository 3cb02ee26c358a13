package objects

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"

	"glmbatch/internal/words"
)

// Glob lists the objects whose names match a pattern of package path, whose * and ? do not match a slash; without a
// pattern in it, the objects whose names begin with the name and a slash and have no further slash. Names come in
// byte order. An invalid pattern returns path.ErrBadPattern.
//
// Cost: a request for each 1000 names that begin as the pattern does up to its first *, ? or [; names in folders below
// are passed over by the store if the pattern is in the last part alone.
func (s *Store) Glob(ctx context.Context, pattern string) ([]string, error) {
	bucket, key, err := Split(pattern)
	if err != nil {
		return nil, err
	}
	prefix, delimiter, match := key, "/", func(string) bool { return true }
	if at := strings.IndexAny(key, `*?[\`); at >= 0 {
		if _, err := path.Match(key, ""); err != nil {
			return nil, words.Hint(err, "a glob knows * ? and [a-z]; write \\[ for a bracket")
		}
		prefix = key[:at]
		if strings.Contains(key[at:], "/") {
			delimiter = ""
		}
		match = func(k string) bool { ok, _ := path.Match(key, k); return ok } // the pattern is a good one
	} else if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	var out []string
	after := "" // where a listing that failed resumes
	err = s.try(ctx, func(ctx context.Context) error {
		ctx, moved, end := s.bounded(ctx)
		defer end()
		found := s.core.ListObjectsIter(ctx, bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: delimiter == "",
			StartAfter: after})
		for o := range found {
			if o.Err != nil {
				return o.Err
			}
			moved()
			after = o.Key
			if match(o.Key) && !strings.HasSuffix(o.Key, "/") { // a slash ends folders
				out = append(out, words.ObjectScheme+bucket+"/"+o.Key)
			}
		}
		return ctx.Err() // a list that is broken off ends without an error
	})
	slices.Sort(out)
	return slices.Compact(out), hinted(err)
}
