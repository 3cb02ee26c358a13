package report

import (
	"errors"
	"strings"
	"testing"
)

// A record of a fit that does not count what the ledger holds is damage to whoever reads the fit, before memory is
// allocated by its numbers.
func TestRecordsThatCountWrong(t *testing.T) {
	for change, want := range map[string]string{
		"n_parameters = 2147483647": "it counts 2147483647 parameters, and ",
		"chains = 2147483647":       "it counts 2147483647 chains of ",
		"draws = 2147483647":        " chains of 2147483647 draws, and ",
		"draws = 1":                 " chains of 1 draws, and ",
		"chains = -1":               "it counts less than nothing",
		"n_rows = -7":               "it counts less than nothing",
	} {
		l := sampled(t)
		must(t, l.Write(t.Context(), func(s *Session) error {
			return execute(t.Context(), s.c, "UPDATE fit SET "+change)
		}))
		_, newest := l.Newest(t.Context(), "", func(Key) bool { return true })
		_, verified := l.Verify(t.Context())
		for verb, err := range map[string]error{"newest": newest, "verify": verified} {
			damaged, is := errors.AsType[*NotLedgerError](err)
			if !is || !damaged.Damaged || verb == "newest" && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: %v", change, verb, err)
			}
		}
	}
}
