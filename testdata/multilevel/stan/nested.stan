// A poisson model of rows within broods within locations, whose columns are constant within broods:
//
//   log of the mean = X b + r1[brood] + r2[row] + r3[location],   rk ~ normal(0, tau_k).
//
// Effects of locations are integrated out of the sum e = r1 + r3 of each brood, and drawn given it: within a location
// of m broods e has the covariance tau_1^2 I + tau_3^2 J. Rows are sampled non-centred, e centred.
data {
  int<lower=1> n;
  int<lower=0> counts[n];
  int<lower=1> d;
  int<lower=1> J;               // broods
  matrix[J, d] X;
  vector[d] means;              // what was taken off the columns
  vector[d] p;                  // coefficients: normal(p, q), the first at the means
  vector[d] q;
  real sd_df;                   // sds: half_student_t(sd_df, sd_scale)
  real sd_scale;
  int<lower=1> H;               // locations
  int<lower=1, upper=J> brood[n];
  int<lower=1, upper=H> location[J];
}
transformed data {
  vector[H] broods = rep_vector(0, H);
  for (j in 1:J) broods[location[j]] += 1;
}
parameters {
  vector[d] b;
  vector<lower=0>[3] tau;
  vector[J] theta;              // X b + e
  vector[n] u;
}
transformed parameters {
  vector[J] e = theta - X * b;
  vector[H] total = rep_vector(0, H);
  vector[H] spread = sqrt(square(tau[1]) + broods * square(tau[3]));
  for (j in 1:J) total[location[j]] += e[j];
}
model {
  vector[H] middle = total ./ broods;
  target += normal_lpdf(b | p, q);
  target += student_t_lpdf(tau | sd_df, 0, sd_scale);
  target += -0.5 * dot_self((e - middle[location]) / tau[1]) - (J - H) * log(tau[1]);
  target += normal_lpdf(total ./ sqrt(broods) | 0, spread);
  target += normal_lpdf(u | 0, 1);
  target += poisson_log_lpmf(counts | theta[brood] + tau[2] * u);
}
generated quantities {
  vector[d] coefficients = b;   // in the units of the data
  vector[J + n + H] r;          // of broods, rows and locations
  coefficients[1] -= dot_product(means, b);
  for (h in 1:H)
    r[J + n + h] = normal_rng(square(tau[3] / spread[h]) * total[h], tau[1] * tau[3] / spread[h]);
  for (j in 1:J) r[j] = e[j] - r[J + n + location[j]];
  r[(J + 1):(J + n)] = tau[2] * u;
}
