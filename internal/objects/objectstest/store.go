package objectstest

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Fault is a planted fault of an answer. The zero value is nothing.
type Fault struct {
	Status int    // answered instead
	Code   string // of S3, with Status
	Cut    int64  // bytes of the body after which the connection is reset; −1: before the answer
	Stall  bool   // behind Cut bytes nothing comes any more, instead of a reset
	Whole  bool   // the range is not heeded
}

// Store is an object store on loopback.
type Store struct {
	URL string

	mu      sync.Mutex
	objects map[string][]byte // by bucket/key
	log     []string          // method, path, range
	bytes   int64             // of bodies of objects
	fault   func(r *http.Request) Fault
	page    int
}

// New starts a store without objects, which ends with the test, and sets the environment to it.
func New(t *testing.T) *Store {
	s := &Store{objects: map[string][]byte{}, page: 1000}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	s.URL = server.URL
	for _, name := range []string{"AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_SKIP_SIGNATURE", "AWS_REGION",
		"AWS_DEFAULT_REGION", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-that-nobody-may-see")
	return s
}

// Put stores an object under bucket/key.
func (s *Store) Put(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[name] = bytes.Clone(data)
}

// Fail has f say what goes wrong with each request; nil: nothing.
func (s *Store) Fail(f func(r *http.Request) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Page sets how many names a list has at most.
func (s *Store) Page(n int) { s.page = n }

// Asked returns the requests since the last call, and the bytes of objects that were given.
func (s *Store) Asked() (requests []string, given int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, given = s.log, s.bytes
	s.log, s.bytes = nil, 0
	return requests, given
}

// ServeHTTP answers one request.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.log = append(s.log, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Range")))
	name := strings.Trim(r.URL.Path, "/")
	data, there := s.objects[name]
	var f Fault
	if s.fault != nil {
		f = s.fault(r)
	}
	s.mu.Unlock()
	switch {
	case f.Cut < 0:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		refuse(w, f.Status, f.Code)
	case r.URL.Query().Has("list-type"):
		s.list(w, r, name)
	case !there:
		refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		if f.Whole {
			r.Header.Del("Range")
		}
		sum := md5.Sum(data)
		w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
		counted := &counter{ResponseWriter: w, store: s, fault: f, done: r.Context().Done()}
		http.ServeContent(counted, r, "", time.Unix(1e9, 0), bytes.NewReader(data))
	}
}

// counter counts a body, and breaks it off.
type counter struct {
	http.ResponseWriter
	store *Store
	fault Fault
	sent  int64
	done  <-chan struct{}
}

func (c *counter) Write(p []byte) (int, error) {
	cut := c.fault.Cut > 0 && c.sent+int64(len(p)) > c.fault.Cut
	if cut {
		p = p[:c.fault.Cut-c.sent]
	}
	c.sent += int64(len(p))
	c.store.mu.Lock()
	c.store.bytes += int64(len(p)) // before whoever gets them can ask
	c.store.mu.Unlock()
	n, err := c.ResponseWriter.Write(p)
	if cut {
		if flush, ok := c.ResponseWriter.(http.Flusher); ok {
			flush.Flush()
		}
		if c.fault.Stall {
			<-c.done
		}
		panic(http.ErrAbortHandler)
	}
	return n, err
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>as the test says</Message></Error>", code)
}

type listed struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	Contents              []struct {
		Key  string
		Size int
	}
	CommonPrefixes []struct{ Prefix string }
}

func (s *Store) list(w http.ResponseWriter, r *http.Request, bucket string) {
	q := r.URL.Query()
	prefix, after := q.Get("prefix"), max(q.Get("start-after"), q.Get("continuation-token"))
	s.mu.Lock()
	defer s.mu.Unlock()
	sizes := map[string]int{}
	for name, data := range s.objects {
		key, here := strings.CutPrefix(name, bucket+"/")
		if !here || !strings.HasPrefix(key, prefix) {
			continue
		}
		if at := strings.Index(key[len(prefix):], "/"); at >= 0 && q.Get("delimiter") == "/" {
			key = key[:len(prefix)+at+1]
		}
		if key > after {
			sizes[key] = len(data)
		}
	}
	keys := make([]string, 0, len(sizes))
	for key := range sizes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var out listed
	if len(keys) > s.page {
		keys = keys[:s.page]
		out.IsTruncated, out.NextContinuationToken = true, keys[s.page-1]
	}
	for _, key := range keys {
		if strings.HasSuffix(key, "/") {
			out.CommonPrefixes = append(out.CommonPrefixes, struct{ Prefix string }{key})
			continue
		}
		out.Contents = append(out.Contents, struct {
			Key  string
			Size int
		}{key, sizes[key]})
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(out)
}
