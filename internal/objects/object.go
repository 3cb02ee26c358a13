package objects

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"glmbatch/internal/words"
)

// Object is one version of an object that is read: in its order by Read, like a file, and in ranges by ReadAt. ReadAt
// is safe for concurrent use.
//
// Ranges that were fetched stay in a temporary file without a name, which takes as much of the disk as they are long
// and goes with the process. Read keeps nothing: a second pass asks the store again.
type Object struct {
	store       *Store
	ctx         context.Context // of all requests: io.ReaderAt has none
	bucket, key string
	size        int64
	tag         string

	next *stream // of Read; nil after Seek
	at   int64

	mu    sync.Mutex
	cache *os.File
	have  []span // in the cache; in order, apart from each other
	err   error  // the first failure
}

// span is the bytes [from, to) of an object.
type span struct{ from, to int64 }

const (
	// tail is the size of the part that is fetched with the end of an object, where Parquet has its footer; a
	// smaller object comes whole.
	tail = 64 << 10
	// hole is how far apart ranges may lie that one request fetches, with what is between them. Arrow's C++ reader has
	// the same.
	hole = 8 << 10
	// most is the length of one request where several go side by side.
	most = 16 << 20
	// abreast is how many of them do.
	abreast = 8
)

// Open asks the store for the length and the version of an object. The context is that of all reads. The caller closes
// the object.
func (s *Store) Open(ctx context.Context, name string) (*Object, error) {
	bucket, key, err := Split(name)
	if err != nil {
		return nil, err
	}
	o := &Object{store: s, ctx: ctx, bucket: bucket, key: key}
	err = s.try(ctx, func(ctx context.Context) error {
		ctx, _, end := s.bounded(ctx)
		defer end()
		info, err := s.core.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
		o.size, o.tag = info.Size, info.ETag
		return err
	})
	if err != nil {
		return nil, hinted(err)
	}
	return o, nil
}

// hinted adds what to do about an error of the store.
func hinted(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return words.Hint(err, e.Hint())
	}
	return err
}

// Size is the length in bytes.
func (o *Object) Size() int64 { return o.size }

// Err is the first failure of a read, with what to do about it; nil if there was none. Readers of formats may say of it
// only that the data are damaged.
func (o *Object) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *Object) fail(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	err = hinted(err)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	return err
}

// Close ends requests and removes what was fetched.
func (o *Object) Close() error {
	if o.next != nil {
		o.next.Close()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cache == nil {
		return nil
	}
	return o.cache.Close()
}

// Read reads on, by one request for all of the object that remains.
func (o *Object) Read(p []byte) (int, error) {
	if o.whole() {
		n, err := o.ReadAt(p[:min(int64(len(p)), max(o.size-o.at, 0))], o.at)
		if o.at += int64(n); err == nil && n == 0 && len(p) > 0 {
			err = io.EOF
		}
		return n, err
	}
	if o.next == nil {
		o.next = &stream{o: o, ctx: o.ctx, at: o.at, end: o.size}
	}
	n, err := o.next.Read(p)
	o.at += int64(n)
	return n, o.fail(err)
}

// whole reports whether nothing of the object remains to be fetched.
func (o *Object) whole() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.absent(span{0, o.size})) == 0
}

// Seek sets the offset of the next Read.
func (o *Object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return o.at, os.ErrInvalid
	}
	if offset != o.at && o.next != nil {
		o.next.Close()
		o.next = nil
	}
	o.at = offset
	return offset, nil
}

// ReadAt reads a range, and fetches what is not there of it.
func (o *Object) ReadAt(p []byte, off int64) (int, error) {
	end := min(off+int64(len(p)), o.size)
	if off < 0 || off >= o.size || len(p) == 0 {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	o.mu.Lock()
	var err error
	for _, s := range o.absent(span{off, end}) {
		if s.to > o.size-tail {
			s = span{min(s.from, max(o.size-tail, 0)), o.size}
		}
		if err = o.fetch(o.ctx, s); err != nil {
			break
		}
		o.add(s)
	}
	cache := o.cache
	o.mu.Unlock()
	if err != nil {
		return 0, o.fail(err)
	}
	n, err := cache.ReadAt(p[:end-off], off)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Fetch fetches ranges, given as pairs of first byte and length, several at a time, so that reading them asks the store
// no more. Ranges that lie close together are fetched as one.
func (o *Object) Fetch(ranges [][2]int64) error {
	var all []span
	for _, r := range ranges {
		if r[0] >= 0 && r[1] > 0 && r[0] < o.size {
			all = append(all, span{r[0], r[0] + min(r[1], o.size-r[0])})
		}
	}
	o.mu.Lock()
	var wanted []span
	for _, s := range merged(all, hole) {
		wanted = append(wanted, o.absent(s)...)
	}
	var err error
	if len(wanted) > 0 {
		err = o.file()
	}
	o.mu.Unlock()
	if err != nil {
		return o.fail(err)
	}
	g, ctx := errgroup.WithContext(o.ctx)
	g.SetLimit(abreast)
	for _, s := range wanted {
		for from := s.from; from < s.to; from += most {
			g.Go(func() error { return o.fetch(ctx, span{from, min(from+most, s.to)}) })
		}
	}
	if err := g.Wait(); err != nil {
		return o.fail(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range wanted {
		o.add(s)
	}
	return nil
}

// file makes the cache.
func (o *Object) file() (err error) {
	if o.cache != nil {
		return nil
	}
	if o.cache, err = words.TempFile("glmbatch-object-*"); err != nil {
		return err
	}
	return os.Remove(o.cache.Name())
}

// fetch copies a span into the cache.
func (o *Object) fetch(ctx context.Context, s span) error {
	if err := o.file(); err != nil {
		return err
	}
	r := &stream{o: o, ctx: ctx, at: s.from, end: s.to}
	defer r.Close()
	_, err := io.Copy(io.NewOffsetWriter(o.cache, s.from), r)
	if full := new(os.PathError); errors.As(err, &full) {
		return words.Hint(err, "there is no room for the object's ranges in the temporary folder: see TMPDIR")
	}
	return err
}

// absent returns the parts of a span that the cache lacks.
func (o *Object) absent(s span) (out []span) {
	for _, h := range o.have {
		if h.to <= s.from || h.from >= s.to {
			continue
		}
		if h.from > s.from {
			out = append(out, span{s.from, h.from})
		}
		s.from = h.to
	}
	if s.from < s.to {
		out = append(out, s)
	}
	return out
}

func (o *Object) add(s span) { o.have = merged(append(o.have, s), 0) }

// merged puts spans in order and makes one of those that are no more than gap apart.
func merged(spans []span, gap int64) (out []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to+gap {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}
