package infertest_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// The posteriors of the database: gaussian ones with exact draws, logistic ones,
// and the others.
const (
	gaussianPosteriors = `arK-arK earnings-earn_height earnings-log10earn_height earnings-logearn_height
		earnings-logearn_height_male kidiq-kidscore_interaction kidiq-kidscore_momhs kidiq-kidscore_momhsiq
		kidiq_with_mom_work-kidscore_interaction_c kidiq_with_mom_work-kidscore_interaction_c2
		kidiq_with_mom_work-kidscore_interaction_z mesquite-logmesquite_logvash mesquite-logmesquite_logvolume
		mesquite-mesquite nes1972-nes nes1980-nes nes1988-nes nes1996-nes sblri-blr`
	logisticPosteriors = `nes_logit_data-nes_logit_model wells_data-wells_dae_model wells_data-wells_dist
		wells_data-wells_dist100_model wells_data-wells_interaction_c_model wells_data-wells_interaction_model`
	otherPosteriors = `GLM_Poisson_Data-GLM_Poisson_model diamonds-diamonds`
)

// group is "gaussian" for the posteriors with exact draws, "binomial" for the
// logistic ones, or "other".
func (k known) group() string {
	if name := k.model.Family.Name; name == "binomial" || name == "gaussian" && k.model.Dispersion.Kind != prior.HalfStudentT {
		return name
	}
	return "other"
}

// family returns the posteriors of a group.
func family(t *testing.T, name string) (out []known) {
	t.Helper()
	all, _ := posteriors(t)
	for _, k := range all {
		if k.group() == name {
			out = append(out, k)
		}
	}
	return out
}

// TestPosteriorsCovered: no posterior is lost silently.
func TestPosteriorsCovered(t *testing.T) {
	_, left := posteriors(t)
	for name, want := range map[string]string{"gaussian": gaussianPosteriors, "binomial": logisticPosteriors, "other": otherPosteriors} {
		var got []string
		for _, k := range family(t, name) {
			got = append(got, k.name)
			if k.quoted != (k.model.Family.Name == "gaussian") {
				t.Errorf("%s: exact values in the reference: %v", k.name, k.quoted)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: posteriors %v, want %v", name, got, strings.Fields(want))
		}
	}
	for name, reason := range left { //maporder:ok each is an error
		t.Errorf("%s is left out: %s", name, reason)
	}
}

// run returns the means of batches of draws of (theta, and with spread also
// (theta − mean)²/sd²) with the truth to compare them with.
func (k known) run(s infertest.Sampler, data *glm.Data, back func(theta []float64), spread bool,
	seed uint64, warmup, batches, size int) (rows [][]float64, truth, mcse, scale []float64, err error) {
	target, err := glm.NewTarget(data, k.model)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	setup, err := s(target)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	chain, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(seed, "posteriordb", k.name)})
	if err != nil {
		return nil, nil, nil, nil, err
	}
	theta := make([]float64, target.Dim())
	for i := range warmup + batches*size {
		if _, err := chain.Step(); err != nil {
			return nil, nil, nil, nil, err
		}
		if i < warmup {
			continue
		}
		if (i-warmup)%size == 0 {
			rows = append(rows, nil)
		}
		chain.Position(theta)
		back(theta)
		values := slices.Clone(theta)
		for j := 0; spread && j < len(theta); j++ {
			z := (theta[j] - k.mean[j]) / k.sd[j]
			values = append(values, z*z)
		}
		row := &rows[len(rows)-1]
		if *row == nil {
			*row = make([]float64, len(values))
		}
		for j, v := range values {
			(*row)[j] += v / float64(size)
		}
	}
	truth, mcse, scale = slices.Clone(k.mean), slices.Clone(k.mcse), slices.Clone(k.sd)
	for j := 0; spread && j < len(theta); j++ {
		truth, mcse, scale = append(truth, 1), append(mcse, 0), append(scale, 1)
	}
	return rows, truth, mcse, scale, nil
}

// familyWise is the probability that a correct sampler fails one test over all
// its posteriors.
const familyWise = 1e-5

// verdict applies Holm's correction over the posteriors.
func verdict(t infertest.TB, names []string, p []float64) {
	t.Helper()
	for _, i := range holm(p, familyWise) {
		t.Errorf("%s: the means are too far from the reference: p = %.2g", names[i], p[i])
	}
	t.Logf("smallest p of %d posteriors: %.2g", len(p), slices.Min(p))
}

// exactDraws compares means and variances of independent draws.
func exactDraws(t infertest.TB, all []known, s infertest.Sampler, seed uint64, draws int) {
	t.Helper()
	var names []string
	var p []float64
	for _, k := range all {
		// Batches of 25 make the squares nearly normal.
		rows, truth, mcse, scale, err := k.run(s, k.data, func([]float64) {}, true, seed, 0, draws/25, 25)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		names, p = append(names, k.name), append(p, hotelling(rows, truth, mcse, scale))
	}
	verdict(t, names, p)
}

// False alarms: at most 1e-5 over the 19 posteriors (Holm; Hotelling's distribution is that of normal batch means,
// checked by TestHotellingIsCalibrated). Power: with 10,000 draws a shift of 0.08 sd of one mean in one posterior,
// or 8 % of one sd, is seen; TestPosteriordbCatches has the faults.
func TestConjugateAgainstPosteriordb(t *testing.T) {
	exactDraws(t, family(t, "gaussian"), conjugateSampler, infertest.Seed(t), infertest.Scale(10_000, 200_000))
}

// tiltedSetup draws from the posterior times 1/sigma, by rejection: the fault of n − d instead of n − d − 1 degrees
// of freedom under a flat prior.
type tiltedSetup struct {
	infer.Setup
	least float64 // below this sigma the tilt is flat
}

func (s *tiltedSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.Setup.Kernel(c)
	return &tiltedKernel{k, s.least, infer.NewStream(5, "tilt"), make([]float64, len(s.Parameters()))}, err
}

type tiltedKernel struct {
	infer.Kernel
	least float64
	rng   *infer.Stream
	theta []float64
}

func (k *tiltedKernel) Step() (infer.Info, error) {
	for {
		info, err := k.Kernel.Step()
		k.Position(k.theta)
		if err != nil || k.rng.Float64() < k.least/k.theta[len(k.theta)-1] {
			return info, err
		}
	}
}

func TestPosteriordbCatches(t *testing.T) {
	all := family(t, "gaussian")
	dof := func(target *glm.Target) (infer.Setup, error) {
		setup, err := conjugateSampler(target)
		if err != nil {
			return nil, err
		}
		k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(6, "least")})
		theta, least := make([]float64, target.Dim()), math.Inf(1)
		for range 1000 {
			if _, err := k.Step(); err != nil {
				return nil, err
			}
			k.Position(theta)
			least = min(least, theta[len(theta)-1])
		}
		return &tiltedSetup{setup, least}, err
	}
	for name, s := range map[string]infertest.Sampler{
		"degrees of freedom": dof,
		"sigma prior dropped": infertest.Wrong(conjugateSampler, func(_ *glm.Data, m *glm.Model) {
			m.Dispersion = prior.Prior{Kind: prior.Flat}
		}),
		"prior scale":     infertest.WrongPriorScale(conjugateSampler, 0.03),
		"without row":     infertest.WithoutRow(conjugateSampler),
		"draws 10 % wide": infertest.Scaled(conjugateSampler, 0, 1.1),
	} {
		t.Run(name, func(t *testing.T) {
			infertest.MustReject(t, func(t infertest.TB) { exactDraws(t, all, s, 1, 10_000) })
		})
	}
}

// orthogonal replaces X by Q·√n of its QR factorisation, where all priors are
// flat: an exact linear change of coordinates, beta = R⁻¹·√n·gamma, in which
// coordinate updates hardly depend on each other. Other posteriors stay as
// they are.
func (k known) orthogonal() (data *glm.Data, back func(theta []float64)) {
	for _, p := range k.model.Coefficients {
		if p.Kind != prior.Flat {
			return k.data, func([]float64) {}
		}
	}
	n, d := k.data.Rows(), k.data.Cols()
	x := mat.NewDense(n, d, nil)
	for j := range d {
		x.SetCol(j, k.data.X.Col(j))
	}
	var qr mat.QR
	qr.Factorize(x)
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	copied := *k.data
	copied.X, copied.Intercept = design.NewDense(n, d), -1
	for j := range d {
		for i := range n {
			copied.X.Col(j)[i] = q.At(i, j) * math.Sqrt(float64(n))
		}
	}
	return &copied, func(theta []float64) {
		for j := d - 1; j >= 0; j-- {
			theta[j] *= math.Sqrt(float64(n))
			for l := j + 1; l < d; l++ {
				theta[j] -= r.At(j, l) * theta[l]
			}
			theta[j] /= r.At(j, j)
		}
	}
}

// gibbsDraws compares means of a chain, from its batches.
func gibbsDraws(t infertest.TB, all []known, s infertest.Sampler, seed uint64, batches, size int) {
	t.Helper()
	var names []string
	var p []float64
	for _, k := range all {
		data, back := k.orthogonal()
		rows, truth, mcse, scale, err := k.run(s, data, back, false, seed, 2*size, batches, size)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		names, p = append(names, k.name), append(p, hotelling(rows, truth, mcse, scale))
	}
	verdict(t, names, p)
}

// False alarms: at most 1e-5 over the posteriors, as far as batch means are
// independent: the coordinates are orthogonal, or (arK, blr) of correlation
// below 0.63, and batches 12 to 25 sweeps, in full 25 to 100. Power: see
// TestGibbsPosteriordbCatches.
func TestGibbsAgainstPosteriordb(t *testing.T) {
	sound := gibbs(cggibbs.Options{})
	t.Run("gaussian", func(t *testing.T) {
		gibbsDraws(t, family(t, "gaussian"), sound, infertest.Seed(t), infertest.Scale(40, 400), infertest.Scale(25, 100))
	})
	t.Run("logistic", func(t *testing.T) {
		gibbsDraws(t, family(t, "binomial"), sound, infertest.Seed(t), infertest.Scale(20, 200), infertest.Scale(12, 25))
	})
}

func TestGibbsPosteriordbCatches(t *testing.T) {
	sound := gibbs(cggibbs.Options{})
	gaussian, logistic := family(t, "gaussian"), family(t, "binomial")
	small := slices.DeleteFunc(slices.Clone(gaussian), func(k known) bool { return k.data.Rows() > 200 })
	for name, c := range map[string]struct {
		all []known
		s   infertest.Sampler
	}{
		"without row": {small, infertest.WithoutRow(sound)},
		"twelve rows of 3020": {logistic[:1], infertest.Wrong(sound, func(data *glm.Data, _ *glm.Model) {
			data.Y = slices.Clone(data.Y)
			for i := range 12 {
				data.Y[i] = 1 - data.Y[i]
			}
		})},
		"prior scale": {small, infertest.WrongPriorScale(sound, 0.01)},
		"frozen":      {small[:1], infertest.Frozen(sound, 1)},
		"scaled":      {small, infertest.Scaled(sound, 0, 1.3)},
	} {
		t.Run(name, func(t *testing.T) {
			infertest.MustReject(t, func(t infertest.TB) { gibbsDraws(t, c.all, c.s, 1, 40, 25) })
		})
	}
}

// TestOrthogonalIsExact: X·beta of the way back equals Q√n·gamma.
func TestOrthogonalIsExact(t *testing.T) {
	for _, k := range family(t, "gaussian") {
		data, back := k.orthogonal()
		d := data.Cols()
		gamma := make([]float64, d+1)
		for j := range gamma {
			gamma[j] = float64(j) - 1.5
		}
		beta := slices.Clone(gamma)
		back(beta)
		for i := range data.Rows() {
			var a, b, size float64
			for j := range d {
				a += data.X.Col(j)[i] * gamma[j]
				b += k.data.X.Col(j)[i] * beta[j]
				size += math.Abs(k.data.X.Col(j)[i] * beta[j])
			}
			if math.Abs(a-b) > 1e-10*(1+size) {
				t.Fatalf("%s, row %d: X·beta is %v, want %v", k.name, i, b, a)
			}
		}
	}
}
