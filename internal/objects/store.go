package objects

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"glmbatch/internal/words"
)

// Store is a client of one store. It is safe for concurrent use.
type Store struct {
	core minio.Core
	host string // as errors name it

	tries int           // calls that fail one after the other before the last failure is reported
	pause time.Duration // before the second call; it doubles
	idle  time.Duration // for which a request may stall
}

// The patience of a store: five calls within 3 s and the calls' own time.
const (
	defaultTries = 5
	defaultPause = 200 * time.Millisecond
	defaultIdle  = 30 * time.Second
)

// settings are the environment variables that decide a client. Each has the meaning that AWS's own tools give it, but
// skip, which is that of object_store and Polars.
type settings struct {
	endpoint string // AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL; empty: AWS itself
	region   string // AWS_REGION, else AWS_DEFAULT_REGION
	key      string // AWS_ACCESS_KEY_ID
	secret   string // AWS_SECRET_ACCESS_KEY
	token    string // AWS_SESSION_TOKEN
	skip     bool   // AWS_SKIP_SIGNATURE=true: requests are not signed, as public buckets allow
	role     string // AWS_WEB_IDENTITY_TOKEN_FILE, AWS_CONTAINER_CREDENTIALS_…: whether a role is to be asked for
	file     string // AWS_SHARED_CREDENTIALS_FILE; empty: ~/.aws/credentials
	profile  string // AWS_PROFILE
	home     string // whose ~ that is
}

func fromEnvironment() settings {
	first := func(names ...string) string {
		for _, name := range names {
			if v := os.Getenv(name); v != "" {
				return v
			}
		}
		return ""
	}
	return settings{
		endpoint: first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
		region:   first("AWS_REGION", "AWS_DEFAULT_REGION"),
		key:      first("AWS_ACCESS_KEY_ID"), secret: first("AWS_SECRET_ACCESS_KEY"), token: first("AWS_SESSION_TOKEN"),
		skip: strings.EqualFold(first("AWS_SKIP_SIGNATURE"), "true"),
		role: first("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
			"AWS_CONTAINER_CREDENTIALS_FULL_URI"),
		file: first("AWS_SHARED_CREDENTIALS_FILE"), profile: first("AWS_PROFILE"), home: first("HOME"),
	}
}

// clients are those that were made, so that connections and tokens of roles are shared.
var clients struct {
	sync.Mutex
	made map[settings]*Store
}

// FromEnvironment returns the client that the environment describes. It makes no request.
func FromEnvironment() (*Store, error) {
	set := fromEnvironment()
	clients.Lock()
	defer clients.Unlock()
	if s := clients.made[set]; s != nil {
		return s, nil
	}
	s, err := set.client()
	if err != nil {
		return nil, err
	}
	if clients.made == nil {
		clients.made = map[settings]*Store{}
	}
	clients.made[set] = s
	return s, nil
}

func (set settings) client() (*Store, error) {
	host, secure, err := set.place()
	if err != nil {
		return nil, err
	}
	creds, err := set.credentials()
	if err != nil {
		return nil, err
	}
	region := set.region
	if region == "" && set.endpoint != "" {
		region = "us-east-1" // what stores other than AWS sign by; of AWS the bucket's own is asked for
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	core, err := minio.NewCore(host, &minio.Options{Creds: creds, Secure: secure, Region: region, Transport: transport,
		MaxRetries: 1}) // try counts calls
	if err != nil {
		return nil, words.Hint(fmt.Errorf("AWS_ENDPOINT_URL: %w", err), endpointHint)
	}
	return &Store{core: *core, host: host, tries: defaultTries, pause: defaultPause, idle: defaultIdle}, nil
}

const endpointHint = "write it as https://host or http://host:port"

// place takes the endpoint apart. The error does not show the endpoint: it may hold a password.
func (set settings) place() (host string, secure bool, err error) {
	if set.endpoint == "" {
		return "s3.amazonaws.com", true, nil
	}
	u, err := url.Parse(set.endpoint)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", strings.Trim(u.Path, "/") != "":
		return "", false, words.Hint(errors.New("AWS_ENDPOINT_URL is not the address of a store"), endpointHint)
	case u.User != nil:
		return "", false, words.Hint(errors.New("AWS_ENDPOINT_URL has a user name in it"),
			"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return u.Host, u.Scheme == "https", nil
}

func (set settings) credentials() (*credentials.Credentials, error) {
	switch {
	case set.skip:
		return credentials.NewStatic("", "", "", credentials.SignatureAnonymous), nil
	case set.key != "" && set.secret != "":
		return credentials.NewStaticV4(set.key, set.secret, set.token), nil
	case set.key != "" || set.secret != "":
		return nil, words.Hint(errors.New("only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set"), "set both")
	case set.role != "":
		return credentials.NewIAM(""), nil
	}
	creds := credentials.NewFileAWSCredentials(set.file, set.profile)
	if value, err := creds.GetWithContext(nil); err != nil || value.AccessKeyID == "" {
		return nil, words.Hint(errors.New("there are no credentials for the object store"),
			"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_PROFILE), and AWS_ENDPOINT_URL unless the store is "+
				"AWS; AWS_SKIP_SIGNATURE=true reads a public bucket")
	}
	return creds, nil
}

// Split takes a name such as s3://bucket/key apart. The key may be empty. A part of the key that is . or .. is an
// error: it would be another object on the way through some proxies.
func Split(name string) (bucket, key string, err error) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(name, words.ObjectScheme), "/")
	if bucket == "" {
		return "", "", words.Hint(errors.New("the name of the object has no bucket"), "write s3://bucket/key")
	}
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return "", "", words.Hint(fmt.Errorf("bucket %q: %w", bucket, err), "write s3://bucket/key")
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "." || part == ".." {
			return "", "", words.Hint(fmt.Errorf("the key has the part %q", part), "write the key in full")
		}
	}
	return bucket, key, nil
}

// try calls do until it succeeds, fails permanently, or has failed as often as the store's patience allows.
func (s *Store) try(ctx context.Context, do func(ctx context.Context) error) error {
	for n := 1; ; n++ {
		err := do(ctx)
		if err == nil {
			return nil
		}
		if again, err := s.again(ctx, n, err); !again {
			return err
		}
	}
}

// again waits before the call after the n-th that failed in a row, or returns the error to report.
func (s *Store) again(ctx context.Context, n int, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	e := s.explain(err, n)
	if n >= s.tries || !e.passing() {
		return false, e
	}
	wait := s.pause << (n - 1)
	wait -= time.Duration(time.Now().UnixNano()) % (wait/2 + 1) // who is refused together does not come back together
	select {
	case <-time.After(wait):
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// bounded runs a call that is ended when it stalls for the store's patience; moved reports progress.
func (s *Store) bounded(ctx context.Context) (_ context.Context, moved func(), end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.idle, func() { cancel(errIdle) })
	return ctx, func() { timer.Reset(s.idle) }, func() {
		timer.Stop()
		cancel(nil)
	}
}

// status distinguishes an answer of the store from other errors.
func status(err error) (code string, status int) {
	var answer minio.ErrorResponse
	if errors.As(err, &answer) {
		return answer.Code, answer.StatusCode
	}
	return "", 0
}

// missing reports whether the store says that there is no such object.
func missing(err error) bool {
	code, status := status(err)
	return status == http.StatusNotFound && code != minio.NoSuchBucket
}
