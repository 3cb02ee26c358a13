package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// store is a folder of a bucket.
type store struct {
	client         *minio.Client
	bucket, prefix string // the prefix ends with a slash, or is empty

	tries int           // calls that fail one after the other before the last failure is reported
	pause time.Duration // before the second call; it doubles
	slow  time.Duration // that a call may take, besides a second for each MiB
}

// openStore reads a name such as s3://bucket/nights/monday, and from the environment where its store is and who asks:
// the variables are those of the program's own data sets (docs/object-stores.md).
func openStore(name string) (*store, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(name, "s3://"), "/")
	if !strings.HasPrefix(name, "s3://") || bucket == "" || strings.Trim(prefix, "/") == "" {
		return nil, fmt.Errorf("%q is no folder of a store: write s3://bucket/night", name)
	}
	host, secure := "s3.amazonaws.com", true
	region := first("AWS_REGION", "AWS_DEFAULT_REGION")
	if endpoint := first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"); endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("AWS_ENDPOINT_URL is not the address of a store: write https://host:port")
		}
		host, secure = u.Host, u.Scheme == "https"
		if region == "" {
			region = "us-east-1"
		}
	}
	client, err := minio.New(host, &minio.Options{Creds: whoAsks(), Secure: secure, Region: region, MaxRetries: 1})
	return &store{client: client, bucket: bucket, prefix: strings.Trim(prefix, "/") + "/", tries: 6,
		pause: 200 * time.Millisecond, slow: time.Minute}, err
}

func whoAsks() *credentials.Credentials {
	key := os.Getenv("AWS_ACCESS_KEY_ID")
	switch {
	case key != "":
		return credentials.NewStaticV4(key, os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN"))
	case first("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI") != "":
		return credentials.NewIAM("")
	}
	return credentials.NewFileAWSCredentials("", "")
}

func first(names ...string) string {
	for _, name := range names {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}

var (
	errAbsent = errors.New("there is no such object")
	errTaken  = errors.New("the object is there already")
)

// try makes a call until it succeeds, or fails permanently: errAbsent, errTaken, an answer that the store will give
// again.
func (s *store) try(ctx context.Context, size int64, call func(context.Context) error) error {
	for n := 1; ; n++ {
		bounded, end := context.WithTimeout(ctx, s.slow+time.Duration(size>>20)*time.Second)
		err := call(bounded)
		end()
		if err == nil || ctx.Err() != nil {
			return err
		}
		var answer minio.ErrorResponse
		errors.As(err, &answer)
		switch code := answer.StatusCode; {
		case code == http.StatusNotFound && answer.Code != minio.NoSuchBucket:
			return errAbsent
		case code == http.StatusPreconditionFailed:
			return errTaken
		case code >= 400 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests &&
			code != http.StatusConflict, n == s.tries: // 409: another put of the name is under way
			return fmt.Errorf("the object store, call %d: %w", n, err)
		}
		select {
		case <-time.After(s.pause << (n - 1)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// get reads an object, whole. Where it is not there the error is errAbsent.
func (s *store) get(ctx context.Context, key string, size int64) (data []byte, err error) {
	var b bytes.Buffer
	err = s.try(ctx, size, func(ctx context.Context) error {
		b.Reset()
		return s.read(ctx, key, &b)
	})
	return b.Bytes(), err
}

func (s *store) read(ctx context.Context, key string, to io.Writer) error {
	o, err := s.client.GetObject(ctx, s.bucket, s.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	_, err = io.Copy(to, o)
	return errors.Join(err, o.Close())
}

// create puts an object whose name is not taken, and reports whether the object is the caller's: a put whose answer was
// lost finds the name taken by its own data.
func (s *store) create(ctx context.Context, key string, data []byte) (mine bool, err error) {
	err = s.try(ctx, int64(len(data)), func(ctx context.Context) error { return s.putOnce(ctx, key, data) })
	if !errors.Is(err, errTaken) {
		return err == nil, err
	}
	there, err := s.get(ctx, key, int64(len(data)))
	return err == nil && bytes.Equal(there, data), err
}

func (s *store) putOnce(ctx context.Context, key string, data []byte) error {
	opts := minio.PutObjectOptions{DisableMultipart: true}
	opts.SetMatchETagExcept("*")
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+key, bytes.NewReader(data), int64(len(data)), opts)
	return err
}

// putFile puts a file under a name that is the caller's alone.
func (s *store) putFile(ctx context.Context, key, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return s.try(ctx, info.Size(), func(ctx context.Context) error {
		_, err := s.client.FPutObject(ctx, s.bucket, s.prefix+key, path, minio.PutObjectOptions{})
		return err
	})
}

// getFile brings an object down to a file that its owner alone may read, whole or not at all.
func (s *store) getFile(ctx context.Context, key, path, sum string, size int64) error {
	err := s.try(ctx, size, func(ctx context.Context) (err error) {
		f, err := os.OpenFile(path+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(s.read(ctx, key, f), f.Close())
	})
	if err != nil {
		return err
	}
	got, _, err := hashed(path + ".part")
	if err == nil && got != sum {
		err = fmt.Errorf("%s has other bytes than were put there", key)
	}
	if err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// list lists the names below a prefix, without it, in byte order.
func (s *store) list(ctx context.Context, prefix string) (names []string, err error) {
	err = s.try(ctx, 0, func(ctx context.Context) error {
		names = nil
		for o := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix,
			Recursive: true}) {
			if o.Err != nil {
				return o.Err
			}
			names = append(names, strings.TrimPrefix(o.Key, s.prefix+prefix))
		}
		return ctx.Err() // a list that is broken off ends without an error
	})
	return names, err
}

// remove removes an object; one that is not there is no error.
func (s *store) remove(ctx context.Context, key string) error {
	err := s.try(ctx, 0, func(ctx context.Context) error {
		return s.client.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{})
	})
	if errors.Is(err, errAbsent) {
		return nil
	}
	return err
}

// heeds is an error unless the store refuses a second conditional put of one name, on which all of this rests.
func (s *store) heeds(ctx context.Context) error {
	key := "probe/" + unique()
	if _, err := s.create(ctx, key, []byte("first")); err != nil {
		return err
	}
	mine, err := s.create(ctx, key, []byte("second"))
	if err == nil && mine {
		err = errors.New("the store does not heed If-None-Match: two attempts at a shard could not be told apart. " +
			"AWS, MinIO, R2 and versitygw do")
	}
	return errors.Join(err, s.remove(ctx, key))
}
