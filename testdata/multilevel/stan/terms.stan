// A generalised linear model with independent group-level terms:
//
//   eta = X b + sum over terms k of z_k r_k[level of the row],   r_k[j] ~ normal(0, tau_k).
//
// A term is sampled non-centred, r = tau u, or centred, u = r + W b, where W has the columns of X that are constant
// within its levels; those are zero in X then. Both are the same posterior, and mix differently.
functions {
  // coefficient_lpdf is the prior of a coefficient.
  real coefficient_lpdf(real x, int kind, real p, real q) {
    if (kind == 1) return normal_lpdf(x | p, q);
    if (kind == 2) return uniform_lpdf(x | p, q); // its walls are no bounds of b: they must lie beyond all draws
    reject("no prior of a coefficient is ", kind);
    return 0;
  }

  // dispersion_lpdf is the prior of a standard deviation, without its constant.
  real dispersion_lpdf(real x, int kind, real p, real q) {
    if (kind == 0) return 0;                                          // flat
    if (kind == 1) return normal_lpdf(x | 0, p);                      // half_normal(p)
    if (kind == 2) return student_t_lpdf(x | p, 0, q);                // half_student_t(p, q)
    if (kind == 3) return cauchy_lpdf(x | 0, p);                      // half_cauchy(p)
    if (kind == 4) return uniform_lpdf(x | p, q);                     // its walls must lie beyond all draws
    if (kind == 5) return exponential_lpdf(x | p);
    if (kind == 6) return gamma_lpdf(1 / square(x) | p, q) - 3 * log(x); // of 1/x^2; of x^2 inverse_gamma(p, q)
    reject("no prior of a standard deviation is ", kind);
    return 0;
  }
}
data {
  int<lower=1, upper=5> family; // 1 gaussian, 2 gaussian with known standard errors, 3 binomial, 4 bernoulli, 5 poisson
  int<lower=1> n;
  vector[n] y;
  int<lower=0> counts[n];       // y of the last three
  int<lower=0> trials[n];
  vector<lower=0>[n] se;

  int<lower=1> d;               // coefficients
  matrix[n, d] X;
  vector[d] means;              // what was taken off the columns, if intercept; 0 otherwise
  int<lower=0, upper=1> intercept; // whether the first column is one
  int kind[d];
  vector[d] p;
  vector[d] q;

  int<lower=1> K;               // terms
  int<lower=1> L;               // levels of all terms
  int<lower=1> first[K];
  int<lower=1> last[K];
  int<lower=1, upper=L> level[K, n];
  vector[n] z[K];
  int<lower=0, upper=1> ones[K]; // whether z is 1
  int<lower=0, upper=1> centred[K];
  matrix[L, d] W;
  int sd_kind[K + 1];           // of the sds, and of sigma
  vector[K + 1] sd_p;
  vector[K + 1] sd_q;
}
parameters {
  vector[d] b;
  vector<lower=0>[K] tau;
  vector[L] u;
  real<lower=0> sigma[family == 1];
}
transformed parameters {
  vector[L] carried = W * b;
  vector[L] effect = u;         // carried + r
  for (k in 1:K)
    if (!centred[k]) effect[first[k]:last[k]] *= tau[k];
}
model {
  vector[n] a = rep_vector(0, n);
  for (k in 1:K)
    if (ones[k]) a += effect[level[k]];
    else a += z[k] .* effect[level[k]];

  for (j in 1:d) target += coefficient_lpdf(b[j] | kind[j], p[j], q[j]);
  for (k in 1:K) {
    target += dispersion_lpdf(tau[k] | sd_kind[k], sd_p[k], sd_q[k]);
    if (centred[k]) target += normal_lpdf(u[first[k]:last[k]] | carried[first[k]:last[k]], tau[k]);
    else target += normal_lpdf(u[first[k]:last[k]] | 0, 1);
  }
  if (family == 1) {
    target += dispersion_lpdf(sigma[1] | sd_kind[K + 1], sd_p[K + 1], sd_q[K + 1]);
    target += normal_id_glm_lpdf(y | X, a, b, sigma[1]);
  }
  if (family == 2) target += normal_lpdf(y | a + X * b, se);
  if (family == 3) target += binomial_logit_lpmf(counts | trials, a + X * b);
  if (family == 4) target += bernoulli_logit_glm_lpmf(counts | X, a, b);
  if (family == 5) target += poisson_log_glm_lpmf(counts | X, a, b);
}
generated quantities {
  vector[L] r = effect - carried;
  vector[d] coefficients = b;   // in the units of the data
  if (intercept) coefficients[1] -= dot_product(means, b);
}
