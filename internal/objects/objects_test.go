package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"glmbatch/internal/objects/objectstest"
	"glmbatch/internal/words"
)

// opened is an object of n bytes in a store whose client waits a millisecond between calls.
func opened(t *testing.T, n int) (*objectstest.Store, *Object, []byte) {
	t.Helper()
	server := objectstest.New(t)
	data := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	server.Put("data/k", data)
	o, err := client(t).Open(context.Background(), "s3://data/k")
	must(t, err)
	t.Cleanup(func() { _ = o.Close() })
	server.Asked()
	return server, o, data
}

func client(t *testing.T) *Store {
	t.Helper()
	s, err := FromEnvironment()
	must(t, err)
	s.pause, s.idle = time.Millisecond, 500*time.Millisecond
	return s
}

func TestRanges(t *testing.T) {
	server, o, data := opened(t, 1<<20)
	check := func(what string, from, n int, wantBytes int64, want ...string) {
		t.Helper()
		got := make([]byte, n)
		if _, err := o.ReadAt(got, int64(from)); err != nil || !bytes.Equal(got, data[from:from+n]) {
			t.Fatalf("%s: other bytes, or %v", what, err)
		}
		asked, given := server.Asked()
		if !slices.Equal(asked, want) || given != wantBytes {
			t.Errorf("%s: asked %q for %d bytes, want %q for %d", what, asked, given, want, wantBytes)
		}
	}
	check("the beginning", 0, 16, 16, "GET /data/k bytes=0-15")
	check("the end, with what precedes it", 1<<20-8, 8, 1<<16, fmt.Sprintf("GET /data/k bytes=%d-%d", 1<<20-1<<16, 1<<20-1))
	check("what is there", 1<<20-1<<16, 1<<16, 0)
	check("what is half there", 8, 16, 8, "GET /data/k bytes=16-23")
	must(t, o.Fetch([][2]int64{{100_000, 1000}, {105_000, 1000}, {300_000, 1000}, {-1, 5}, {2 << 20, 1}}))
	asked, given := server.Asked()
	slices.Sort(asked)
	want := []string{"GET /data/k bytes=100000-105999", "GET /data/k bytes=300000-300999"}
	if !slices.Equal(asked, want) || given != 7000 {
		t.Errorf("asked %q for %d bytes, want %q", asked, given, want)
	}
	check("what was fetched", 105_000, 1000, 0)
	if n, err := o.ReadAt(make([]byte, 9), 1<<20-4); n != 4 || err != io.EOF {
		t.Errorf("beyond the end: %d bytes, %v", n, err)
	}
	if n, err := o.ReadAt(make([]byte, 9), 1<<20); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d bytes, %v", n, err)
	}
}

// A small object comes whole, with the first byte that is asked for.
func TestSmall(t *testing.T) {
	server, o, data := opened(t, 1000)
	if _, err := o.ReadAt(make([]byte, 4), 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := io.ReadAll(o); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("other bytes, or %v", err)
		}
		if _, err := o.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
	}
	if asked, _ := server.Asked(); len(asked) != 1 {
		t.Errorf("asked %q, want one request", asked)
	}
}

// A folder for temporary files that is missing is named, with the variable.
func TestMissingTempDir(t *testing.T) {
	_, o, _ := opened(t, 1000)
	t.Setenv("TMPDIR", "/nowhere/at/all")
	_, err := o.ReadAt(make([]byte, 4), 0)
	if err == nil || !strings.Contains(err.Error(), `in "/nowhere/at/all"`) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Error(err)
	}
}

// A temporary failure is repaired by retries, with the same bytes, in order and in ranges.
func TestMended(t *testing.T) {
	const n = 3 << 20
	for name, fault := range map[string]objectstest.Fault{
		"500":         {Status: 500, Code: "InternalError"},
		"503":         {Status: 503, Code: "SlowDown"},
		"429":         {Status: 429, Code: "TooManyRequests"},
		"no answer":   {Cut: -1},
		"body cut":    {Cut: 700_000},
		"body stalls": {Cut: 700_000, Stall: true},
	} {
		t.Run(name, func(t *testing.T) {
			server, o, data := opened(t, n)
			calls := 0
			server.Fail(func(r *http.Request) objectstest.Fault {
				if calls++; calls%3 != 0 {
					return fault
				}
				return objectstest.Fault{}
			})
			if got, err := io.ReadAll(o); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("in order: other bytes, or %v", err)
			}
			if calls < 3 {
				t.Errorf("only %d calls: nothing failed", calls)
			}
			got := make([]byte, 1<<20)
			if _, err := o.ReadAt(got, 1<<20); err != nil || !bytes.Equal(got, data[1<<20:2<<20]) {
				t.Fatalf("a range: other bytes, or %v", err)
			}
			must(t, o.Fetch([][2]int64{{10, 500_000}, {2 << 20, 900_000}}))
			if o.Err() != nil {
				t.Errorf("an error that was mended is kept: %v", o.Err())
			}
		})
	}
}

// A request that was repaired continues at the byte that was reached, and does not start again.
func TestGoesOn(t *testing.T) {
	server, o, data := opened(t, 2<<20)
	first := true
	server.Fail(func(*http.Request) (f objectstest.Fault) {
		if first {
			first, f.Cut = false, 1_500_000
		}
		return f
	})
	if got, err := io.ReadAll(o); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("other bytes, or %v", err)
	}
	asked, given := server.Asked()
	if len(asked) != 2 || asked[0] != "GET /data/k bytes=0-2097151" || given > 2<<20+1_500_000/2 {
		t.Errorf("asked %q for %d bytes", asked, given)
	}
}

func TestGivesUp(t *testing.T) {
	server, o, _ := opened(t, 2<<20)
	for name, c := range map[string]struct {
		fault objectstest.Fault
		want  string
		hint  string
		calls int
	}{
		"500 for ever": {objectstest.Fault{Status: 500, Code: "InternalError"}, "answers 500 InternalError (5 calls)", "run again", 5},
		"no answer":    {objectstest.Fault{Cut: -1}, "does not answer (5 calls): Connection closed", "AWS_ENDPOINT_URL", 0},
		"stalls":       {objectstest.Fault{Cut: 10, Stall: true}, "does not answer (5 calls): nothing came for too long", "network", 5},
		"refused":      {objectstest.Fault{Status: 403, Code: "AccessDenied"}, "answers 403 AccessDenied: ", "AWS_ACCESS_KEY_ID", 1},
		"gone":         {objectstest.Fault{Status: 404, Code: "NoSuchKey"}, "there is no such object", "aws s3 ls", 1},
		"elsewhere":    {objectstest.Fault{Status: 400, Code: "AuthorizationHeaderMalformed"}, "answers 400", "AWS_REGION", 1},
		"replaced":     {objectstest.Fault{Status: 412, Code: "PreconditionFailed"}, "replaced while it was read", "run again", 1},
		"no ranges":    {objectstest.Fault{Whole: true}, "with other bytes", "copy the object", 1},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			server.Fail(func(*http.Request) objectstest.Fault { calls++; return c.fault })
			_, err := o.ReadAt(make([]byte, 1000), 1<<20)
			if err == nil {
				t.Fatal("no error")
			}
			message, hint := words.Parts(err)
			if !strings.Contains(message, c.want) || !strings.Contains(hint, c.hint) {
				t.Errorf("%s\nhint: %s\nwant %q and %q", message, hint, c.want, c.hint)
			}
			if c.calls > 0 && calls != c.calls {
				t.Errorf("%d calls, want %d", calls, c.calls)
			}
			if o.Err() == nil {
				t.Error("the object has forgotten it")
			}
		})
	}
}

// An object that is replaced is not read on, from whichever version.
func TestReplaced(t *testing.T) {
	server, o, data := opened(t, 2<<20)
	half := make([]byte, 1<<20)
	if _, err := io.ReadFull(o, half); err != nil {
		t.Fatal(err)
	}
	server.Put("data/k", append(data[1:], 0))
	if _, err := o.ReadAt(make([]byte, 10), 5); !errors.Is(err, ErrChanged) {
		t.Errorf("a range: %v", err)
	}
	if _, err := o.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(o); !errors.Is(err, ErrChanged) {
		t.Errorf("in order: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	server, _, _ := opened(t, 2<<20)
	server.Fail(func(r *http.Request) objectstest.Fault {
		if r.Method == http.MethodHead {
			return objectstest.Fault{}
		}
		return objectstest.Fault{Status: 500}
	})
	ctx, cancel := context.WithCancel(context.Background())
	s := client(t)
	s.pause = time.Hour
	o, err := s.Open(ctx, "s3://data/k")
	must(t, err)
	defer func() { _ = o.Close() }()
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := io.ReadAll(o); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if _, err := s.Glob(ctx, "s3://data/*"); !errors.Is(err, context.Canceled) {
		t.Errorf("list: %v", err)
	}
}

func TestSideBySide(t *testing.T) {
	_, o, data := opened(t, 4<<20)
	var g sync.WaitGroup
	for i := range 16 {
		g.Go(func() {
			for j := range 8 {
				from := (i*37 + j*521) << 10
				got := make([]byte, 10_000)
				if j%4 == 0 {
					if err := o.Fetch([][2]int64{{int64(from), 20_000}}); err != nil {
						t.Error(err)
					}
				}
				n, err := o.ReadAt(got, int64(from))
				if from < len(data) && !bytes.Equal(got[:n], data[from:from+n]) {
					t.Errorf("other bytes at %d (%v)", from, err)
				}
			}
		})
	}
	g.Wait()
}

func TestGlob(t *testing.T) {
	server := objectstest.New(t)
	for _, key := range []string{"n/a.csv", "n/b.parquet", "n/c d+ü&.csv", "n/deep/a.csv", "n/deep/x/a.csv", "na.csv", "z.csv"} {
		server.Put("data/"+key, []byte("x"))
	}
	server.Page(2)
	s := client(t)
	for pattern, want := range map[string]string{
		"s3://data/n/*.csv":       "n/a.csv n/c d+ü&.csv",
		"s3://data/n/":            "n/a.csv n/b.parquet n/c d+ü&.csv",
		"s3://data/n":             "n/a.csv n/b.parquet n/c d+ü&.csv",
		"s3://data":               "na.csv z.csv",
		"s3://data/*/*/a.csv":     "n/deep/a.csv",
		"s3://data/n/[ab].*":      "n/a.csv n/b.parquet",
		"s3://data/?a.csv":        "na.csv",
		"s3://data/nothing/*.csv": "",
		"s3://other/*":            "",
	} {
		calls := 0
		server.Fail(func(*http.Request) (f objectstest.Fault) {
			if calls++; calls%2 == 0 {
				f.Status, f.Code = 503, "SlowDown"
			}
			return f
		})
		got, err := s.Glob(context.Background(), pattern)
		text := strings.ReplaceAll(strings.Join(got, " "), "s3://data/", "")
		if err != nil || text != want {
			t.Errorf("%s: %q, %v; want %q", pattern, text, err, want)
		}
	}
	if _, err := s.Glob(context.Background(), "s3://data/[a"); !errors.Is(err, path.ErrBadPattern) {
		t.Errorf("a pattern that is none: %v", err)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"s3://data/k": "data k", "s3://data": "data ", "s3://data/a/b/": "data a/b/", "s3://data/a//b": "data a//b",
		"s3://b/k": "", "s3://two words/k": "",
		"s3://": "", "s3:///k": "", "s3://data/../k": "", "s3://data/a/./k": "",
	} {
		bucket, key, err := Split(name)
		if got := bucket + " " + key; (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

// Settings that cannot be used name the variable to fix, and no error has a secret in it.
func TestEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]string
		want string
	}{
		"no credentials": {map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "there are no credentials"},
		"half":           {map[string]string{"AWS_ACCESS_KEY_ID": ""}, "only one of"},
		"no address":     {map[string]string{"AWS_ENDPOINT_URL": "store.example:9000"}, "not the address"},
		"path":           {map[string]string{"AWS_ENDPOINT_URL": "https://store.example/x"}, "not the address"},
		"password":       {map[string]string{"AWS_ENDPOINT_URL": "https://me:secret-of-url@store.example"}, "user name"},
		"bad host":       {map[string]string{"AWS_ENDPOINT_URL": "https://st ore"}, "not the address"},
		"no profile":     {map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "none"}, "no credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			objectstest.New(t)
			for k, v := range c.set {
				t.Setenv(k, v)
			}
			_, err := FromEnvironment()
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(fmt.Sprintf("%+v", err), "secret-") {
				t.Errorf("%v; want %q and no secret", err, c.want)
			}
			if _, hint := words.Parts(err); hint == "" {
				t.Error("no hint")
			}
		})
	}
}

func serve(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// Credentials come from a profile, from the address that a container is given, or are not needed.
func TestCredentials(t *testing.T) {
	read := func(t *testing.T, server *objectstest.Store, want string) {
		t.Helper()
		server.Put("data/k", []byte("x"))
		var signed string
		server.Fail(func(r *http.Request) objectstest.Fault {
			signed = r.Header.Get("Authorization")
			return objectstest.Fault{}
		})
		o, err := client(t).Open(context.Background(), "s3://data/k")
		must(t, err)
		_ = o.Close()
		if !strings.Contains(signed, want) || want == "" && signed != "" {
			t.Errorf("signed by %q, want %q", signed, want)
		}
	}
	t.Run("variables", func(t *testing.T) { read(t, objectstest.New(t), "Credential=AKIATEST/") })
	t.Run("profile", func(t *testing.T) {
		server, file := objectstest.New(t), path.Join(t.TempDir(), "credentials")
		text := "[night]\naws_access_key_id = AKIAFILE\naws_secret_access_key = s\n"
		must(t, os.WriteFile(file, []byte(text), 0o600))
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
		t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
		t.Setenv("AWS_PROFILE", "night")
		read(t, server, "Credential=AKIAFILE/")
	})
	t.Run("container", func(t *testing.T) {
		server := objectstest.New(t)
		roles := http.NewServeMux()
		roles.HandleFunc("/role", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"Code": "Success", "AccessKeyId": "AKIAROLE", "SecretAccessKey": "s", "Token": "t", "Expiration": %q}`,
				time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
		})
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
		t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", serve(t, roles)+"/role")
		read(t, server, "Credential=AKIAROLE/")
	})
	t.Run("public", func(t *testing.T) {
		server := objectstest.New(t)
		t.Setenv("AWS_SKIP_SIGNATURE", "true")
		read(t, server, "")
	})
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
