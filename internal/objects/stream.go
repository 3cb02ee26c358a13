package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/minio/minio-go/v7"
)

// stream reads the bytes from at up to end of an object, by one request as long as nothing fails, and by another from
// the byte that was reached where something does.
type stream struct {
	o       *Object
	ctx     context.Context
	at, end int64

	body   io.ReadCloser // nil between requests
	moved  func()
	stop   func()
	failed int   // requests that failed, one after the other
	since  int64 // where the first of them did
}

// progress is after how many bytes a request counts as one that went well.
const progress = 1 << 20

func (r *stream) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.at < r.end {
		n, err := r.some(p[:min(int64(len(p)), r.end-r.at)])
		r.at += int64(n)
		if r.failed > 0 && r.at-r.since >= progress {
			r.failed = 0
		}
		if n > 0 {
			return n, nil // an error returns, or another request repairs it
		}
		if err == nil {
			continue
		}
		r.Close()
		if r.failed++; r.failed == 1 {
			r.since = r.at
		}
		if again, err := r.o.store.again(r.ctx, r.failed, err); !again {
			return 0, err
		}
	}
	r.Close()
	return 0, io.EOF
}

// some reads from the request that is open, or opens one.
func (r *stream) some(p []byte) (int, error) {
	if r.body == nil {
		if err := r.open(); err != nil {
			return 0, err
		}
	}
	n, err := r.body.Read(p)
	if n > 0 {
		r.moved()
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: at byte %d of %d", errShort, r.at+int64(n), r.o.size)
	}
	return n, err
}

func (r *stream) open() error {
	o := r.o
	var opts minio.GetObjectOptions
	if err := opts.SetRange(r.at, r.end-1); err != nil {
		return err
	}
	if o.tag != "" {
		if err := opts.SetMatchETag(o.tag); err != nil {
			return err
		}
	}
	ctx, moved, stop := o.store.bounded(r.ctx)
	body, _, header, err := o.store.core.GetObject(ctx, o.bucket, o.key, opts)
	if err != nil {
		stop()
		return err
	}
	moved()
	if !strings.HasPrefix(header.Get("Content-Range"), fmt.Sprintf("bytes %d-", r.at)) {
		stop()
		_ = body.Close() // it is not what was asked for
		return &Error{Store: o.store.host, Err: errRanges}
	}
	r.body, r.moved, r.stop = body, moved, stop
	return nil
}

// Close ends the request that is open.
func (r *stream) Close() {
	if r.body != nil {
		r.stop()
		_ = r.body.Close() // what was read is counted
		r.body = nil
	}
}
