package variate

import "glmbatch/internal/vec"

// LocalScale moves log lambda by one step that leaves the density
// C⁺(lambda; 0, 1)·exp(−half/lambda²)/lambda invariant: that of the local scale of
// a horseshoe given its coefficient, half = ½(beta/tau)². It takes two uniforms.
//
// Source: Makalic and Schmidt (2016), A simple sampler for the horseshoe
// estimator, doi:10.1109/LSP.2015.2503725: nu | lambda ~ InvGamma(1, 1 + 1/lambda²),
// then lambda² | nu ~ InvGamma(1, 1/nu + half). nu is drawn anew in each step and
// is no part of a chain's state.
func LocalScale(s Source, logLambda, half float64) float64 {
	invNu := float64(Exponential(s) * vec.Logistic(2*logLambda))
	return 0.5 * (vec.Log(invNu+half) - vec.Log(Exponential(s)))
}

// GlobalScale is LocalScale for log tau with the density C⁺(tau; 0, tau0)·
// exp(−half/tau²)/tau^count, half = ½ Σ (beta_j/lambda_j)² over count coefficients:
// xi | tau ~ InvGamma(1, 1/tau0² + 1/tau²), tau² | xi ~ InvGamma((count + 1)/2,
// 1/xi + half).
func GlobalScale(s Source, logTau, logTau0, half float64, count int) float64 {
	invXi := float64(Exponential(s) * vec.Logistic(2*(logTau-logTau0)) * vec.Exp(2*logTau0))
	return 0.5 * (vec.Log(invXi+half) - vec.Log(Gamma(s, 0.5*float64(count+1))))
}
