// A gaussian model with an intercept and a slope by level, correlated:
//
//   y ~ normal(a + b x + r1[level] + r2[level] x, sigma),   (r1, r2)[j] ~ normal(0, diag(tau) R diag(tau)),
//
// with the prior of the intercept at the mean of x. Non-centred.
data {
  int<lower=1> n;
  vector[n] y;
  vector[n] x;
  int<lower=1> J;
  int<lower=1, upper=J> level[n];
  vector[2] p;                  // coefficients: normal(p, q)
  vector[2] q;
  real sd_df;                   // sds: half_student_t(sd_df, sd_scale)
  real sd_scale;
  real eta;                     // correlation: lkj(eta)
  real rate;                    // sigma: exponential(rate)
}
transformed data {
  vector[n] centred = x - mean(x);
}
parameters {
  vector[2] b;                  // the first at the mean of x
  vector<lower=0>[2] tau;
  cholesky_factor_corr[2] C;
  matrix[2, J] u;
  real<lower=0> sigma;
}
transformed parameters {
  matrix[J, 2] r = (diag_pre_multiply(tau, C) * u)';
}
model {
  target += normal_lpdf(b | p, q);
  target += student_t_lpdf(tau | sd_df, 0, sd_scale);
  target += lkj_corr_cholesky_lpdf(C | eta);
  target += normal_lpdf(to_vector(u) | 0, 1);
  target += exponential_lpdf(sigma | rate);
  target += normal_lpdf(y | b[1] + b[2] * centred + r[level, 1] + r[level, 2] .* x, sigma);
}
generated quantities {
  vector[2] coefficients = [b[1] - b[2] * mean(x), b[2]]'; // in the units of the data
  real cor = C[2, 1];
}
