// Smooths as penalised columns with one standard deviation each, non-centred.
data {
  int<lower=1> N;
  int<lower=1> K;
  int<lower=1> P;
  int<lower=1> S;
  matrix[N, K] X;
  matrix[N, P] Z;
  int<lower=1, upper=S> of[P];
  vector[N] y;
  int<lower=0> counts[N];
  int<lower=1, upper=3> family; // gaussian, bernoulli, poisson
  vector<lower=0>[K] scale;
  real<lower=0> sds_scale;
  real<lower=0> sigma_rate;
}
parameters {
  vector[K] b;
  vector[P] z;
  vector<lower=0>[S] sds;
  real<lower=0> sigma[family == 1 ? 1 : 0];
}
transformed parameters {
  vector[N] eta = X * b + Z * (z .* sds[of]);
}
model {
  b ~ normal(0, scale);
  z ~ std_normal();
  sds ~ student_t(3, 0, sds_scale);
  if (family == 1) {
    sigma[1] ~ exponential(sigma_rate);
    y ~ normal(eta, sigma[1]);
  } else if (family == 2) {
    counts ~ bernoulli_logit(eta);
  } else {
    counts ~ poisson_log(eta);
  }
}
