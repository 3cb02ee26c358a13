package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// fault is a planted fault of a request. The zero value is nothing.
type fault struct {
	status int  // answered instead of carrying it out
	lost   bool // carried out, and the connection is reset before the answer
	cut    bool // the answer's body breaks off in the middle
}

// fake is an object store in memory, which heeds If-None-Match.
type fake struct {
	mu      sync.Mutex
	objects map[string][]byte // by bucket/key
	puts    map[string]int    // that changed an object
	fault   func(r *http.Request) fault
	hidden  func(key string) bool // from lists, as of a store whose lists are behind
	heedful bool
}

// newFake starts a store, and returns a client that waits a millisecond between calls.
func newFake(t *testing.T) (*fake, *store) {
	f := &fake{objects: map[string][]byte{}, puts: map[string]int{}, heedful: true}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return f, f.client(t)
}

func (f *fake) client(t *testing.T) *store {
	s, err := openStore("s3://data/nights/monday")
	if err != nil {
		t.Fatal(err)
	}
	s.pause, s.slow = time.Millisecond, 5*time.Second
	return s
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := decoded(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var wrong fault
	if f.fault != nil {
		wrong = f.fault(r)
	}
	if wrong.status != 0 {
		refuse(w, wrong.status, "Trouble")
		return
	}
	answer := httptest.NewRecorder()
	f.carryOut(answer, r, strings.Trim(r.URL.Path, "/"), body)
	if wrong.lost {
		panic(http.ErrAbortHandler)
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
	}
	w.WriteHeader(answer.Code)
	if wrong.cut {
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(answer.Body.Bytes())
}

func (f *fake) carryOut(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	data, there := f.objects[name]
	w.Header().Set("Last-Modified", time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
	w.Header().Set("ETag", `"e"`)
	switch {
	case r.Method == http.MethodPut && there && f.heedful && r.Header.Get("If-None-Match") == "*":
		refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
	case r.Method == http.MethodPut:
		f.objects[name] = body
		f.puts[name]++
	case r.Method == http.MethodDelete:
		delete(f.objects, name)
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Query().Has("list-type"):
		f.list(w, name, r.URL.Query().Get("prefix"))
	case !there:
		refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		_, _ = w.Write(data)
	}
}

func (f *fake) list(w io.Writer, bucket, prefix string) {
	type entry struct{ Key string }
	var out struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []entry
	}
	for name := range f.objects {
		key := strings.TrimPrefix(name, bucket+"/")
		if strings.HasPrefix(key, prefix) && (f.hidden == nil || !f.hidden(key)) {
			out.Contents = append(out.Contents, entry{key})
		}
	}
	slices.SortFunc(out.Contents, func(a, b entry) int { return strings.Compare(a.Key, b.Key) })
	_ = xml.NewEncoder(w).Encode(out)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>as the test says</Message></Error>", code)
}

// decoded is the body of a request, without the signatures of its chunks.
func decoded(r *http.Request) ([]byte, error) {
	if r.Header.Get("X-Amz-Decoded-Content-Length") == "" {
		return io.ReadAll(r.Body)
	}
	in, out := bufio.NewReader(r.Body), bytes.Buffer{}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(size, 16, 64)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			_, err := io.Copy(io.Discard, in)
			return out.Bytes(), err
		}
		if _, err := io.CopyN(&out, in, n); err != nil {
			return nil, err
		}
		if _, err := in.Discard(2); err != nil {
			return nil, err
		}
	}
}

// every n-th request goes wrong.
func (f *fake) sometimes(n int, wrong fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := 0
	f.fault = func(*http.Request) fault {
		if calls++; calls%n == 0 {
			return wrong
		}
		return fault{}
	}
}

func (f *fake) keys(prefix string) (out []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.objects {
		if key := strings.TrimPrefix(name, "data/nights/monday/"); strings.HasPrefix(key, prefix) {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

// once is an error if an object was put twice.
func (f *fake) once(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, n := range f.puts {
		if n > 1 && !strings.Contains(name, "/made/") && !strings.Contains(name, "/base/") && !strings.Contains(name, "/plan/") {
			t.Errorf("%s was put %d times", name, n)
		}
	}
}

var ctx = context.Background()
