package transform

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/internal/references"
)

// panelSet is a data set of the paper's panel with the check values of its
// README after preprocessing.
type panelSet struct {
	name        string
	standardize string
	n, d        int
	x1, x2      float64 // of the first row
	squares     float64 // sum over the design without its intercept
	repeated    string  // what the warning says; "" for none
}

var panel = []panelSet{
	{"colon", "center_scale", 62, 2000, 1.370746117, 0.1715169636, 122000, "9 of 2000 columns"},
	{"ALLAML", "center_scale", 72, 7129, -1.017172043, 0.07411302609, 506159, ""},
	{"madelon", "center_scale", 2600, 500, 0.5160369651, -0.2159320883, 1299500, ""},
	{"PCMAC", "max_abs", 1943, 3289, 0, 0, 18983.8497734, "77 of 3289 columns"},
	{"leukemia", "center_scale", 72, 7070, -1.176192044, 1.404358296, 501970, "4 of 7070 columns"},
	{"Prostate_GE", "center_scale", 102, 5966, -0.3622808117, 0.04434887762, 602566, ""},
	{"RELATHE", "max_abs", 1427, 4322, 0, 0, 23866.1980514, "116 of 4322 columns"},
	{"BASEHOCK", "max_abs", 1993, 4862, 0, 0, 29729.6402612, "152 of 4862 columns"},
}

// readPanel reads a set of the panel, next to the repository.
func readPanel(t testing.TB, name string) arrow.Table {
	t.Helper()
	return readParquet(t, filepath.Join(references.Folder(t, "panel"), name+".parquet"))
}

// The panel after preprocessing has the check values of its README, to their
// ten digits. GLMBATCH_STAT=1 checks all eight sets, otherwise three.
func TestPanelCheckValues(t *testing.T) {
	for i, p := range panel {
		if i != 0 && i != 2 && i != 3 && os.Getenv("GLMBATCH_STAT") == "" {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			d := mustBuild(t, readPanel(t, p.name), "y ~ .", Spec{Family: familyNamed("bernoulli"), Standardize: p.standardize, InterceptAt: "zero"})
			if d.Data.Rows() != p.n || d.Data.Cols() != p.d+1 || d.Data.Names[1] != "x1" {
				t.Fatalf("%d × %d, first column %s", d.Data.Rows(), d.Data.Cols(), d.Data.Names[1])
			}
			squares := 0.0
			for _, v := range cells(d.Data.X)[p.n:] {
				squares += v * v
			}
			for what, pair := range map[string][2]float64{"x1": {d.Data.X.Col(1)[0], p.x1}, "x2": {d.Data.X.Col(2)[0], p.x2}, "sum of squares": {squares, p.squares}} {
				if math.Abs(pair[0]-pair[1]) > 1e-9*math.Abs(pair[1]) {
					t.Errorf("%s is %.12g, want %.12g", what, pair[0], pair[1])
				}
			}
			if said := strings.Join(d.Warnings, "\n"); (said == "") != (p.repeated == "") || !strings.HasPrefix(said, p.repeated) {
				t.Errorf("warnings %q, want %q", said, p.repeated)
			}
		})
	}
}
