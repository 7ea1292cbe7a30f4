#include "headrace/kernel/cpu/gemm.h"

#include <signal.h>
#include <sys/time.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>

namespace headrace {
namespace {

template <class T>
std::vector<T> Random(int64_t size, int seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<T> v(size);
  for (T& x : v) x = static_cast<T>(values(generator) * (std::is_integral_v<T> ? 9 : 1));
  return v;
}

// The plain definition, in double.
template <class T>
std::vector<double> Reference(bool ta, bool tb, int64_t m, int64_t n, int64_t k,
                              const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<double> c(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += static_cast<double>(ta ? a[p * m + i] : a[i * k + p]) *
               static_cast<double>(tb ? b[j * k + p] : b[p * n + j]);
      }
      c[i * n + j] = sum;
    }
  }
  return c;
}

struct Size {
  int64_t m, n, k;
};
const Size kSizes[] = {{1, 1, 1},       {1, 500, 784},  {3, 5, 7},       {100, 10, 500},
                       {100, 500, 10},  {500, 10, 100}, {100, 500, 784}, {17, 33, 300},
                       {257, 130, 65},  {64, 1, 64},    {1, 64, 3},      {2000, 20, 300},
                       {8, 2048, 512},  {6, 16, 257},   {1, 16, 16},     {50, 37, 1},
                       {29, 40, 4},     {700, 1, 90},   {3, 600, 130},   {1, 1000, 9},
                       {130, 70, 1024}, {40, 1024, 30}};

template <class T>
void CheckAll(WorkerPool& pool) {
  const double epsilon = std::is_same_v<T, float> ? 1e-6 : 1e-14;
  for (const Size& s : kSizes) {
    const std::vector<T> a = Random<T>(s.m * s.k, 1), b = Random<T>(s.k * s.n, 2),
                         bias = Random<T>(s.n, 3), before = Random<T>(s.m * s.n, 4);
    for (int form = 0; form < 4; ++form) {
      const bool ta = form & 1, tb = form & 2;
      const std::vector<double> expected = Reference(ta, tb, s.m, s.n, s.k, a, b);
      const double tolerance = epsilon * (std::sqrt(static_cast<double>(s.k)) + 1) * 2;
      std::vector<T> c(s.m * s.n, T(7));
      ASSERT_TRUE(Gemm(pool, ta, tb, s.m, s.n, s.k, a.data(), b.data(), c.data()).ok());
      for (size_t i = 0; i < c.size(); ++i) {
        ASSERT_NEAR(c[i], expected[i], tolerance)
            << s.m << "x" << s.n << "x" << s.k << " form " << form << " at " << i;
      }
      c = before;
      ASSERT_TRUE(Gemm(pool, ta, tb, s.m, s.n, s.k, a.data(), b.data(), c.data(),
                       {.accumulate = true, .bias = bias.data(), .relu = true})
                      .ok());
      for (size_t i = 0; i < c.size(); ++i) {
        ASSERT_NEAR(c[i], std::max(0.0, expected[i] + before[i] + bias[i % s.n]),
                    tolerance + epsilon)
            << i;
      }
    }
  }
}

TEST(Gemm, Float32AgreesWithDefinitionInAllForms) {
  WorkerPool pool(2);
  CheckAll<float>(pool);
}

TEST(Gemm, Float64AgreesWithDefinitionInAllForms) {
  WorkerPool pool(2);
  CheckAll<double>(pool);
}

template <class T>
void CheckSameBits() {
  WorkerPool one(1), three(3);
  for (const Size& s : kSizes) {
    const std::vector<T> a = Random<T>(s.m * s.k, 1), b = Random<T>(s.k * s.n, 2);
    std::vector<T> x(s.m * s.n), y(s.m * s.n);
    for (int form = 0; form < 4; ++form) {
      ASSERT_TRUE(Gemm(one, form & 1, form & 2, s.m, s.n, s.k, a.data(), b.data(), x.data()).ok());
      ASSERT_TRUE(
          Gemm(three, form & 1, form & 2, s.m, s.n, s.k, a.data(), b.data(), y.data()).ok());
      ASSERT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(T)), 0)
          << s.m << "x" << s.n << "x" << s.k;
    }
  }
}

// oneDNN's large products are not safe against signal handlers by themselves; a profiler or an interrupt may come any time.
TEST(Gemm, SignalsDoNotDisturbLargeProducts) {
  constexpr int64_t kSize = 640;
  std::vector<float> a(kSize * kSize), b(kSize * kSize), quiet(kSize * kSize), disturbed(kSize * kSize);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 13) - 6;
    b[i] = static_cast<float>(i % 7) - 3;
  }
  WorkerPool workers(2);
  ASSERT_TRUE(Gemm(workers, false, false, kSize, kSize, kSize, a.data(), b.data(), quiet.data()).ok());
  struct sigaction handler = {}, before = {};
  handler.sa_handler = [](int) {};
  handler.sa_flags = SA_RESTART;
  ASSERT_EQ(sigaction(SIGALRM, &handler, &before), 0);
  const itimerval often = {{0, 200}, {0, 200}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(Gemm(workers, false, false, kSize, kSize, kSize, a.data(), b.data(), disturbed.data()).ok());
    if (disturbed != quiet) break;
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(disturbed, quiet);
}

TEST(Gemm, BitsDoNotDependOnThreads) {
  CheckSameBits<float>();
  CheckSameBits<double>();
}

// c - (a * b [where] + decay * c) * rate in one pass has the bits of several.
// TensorFlow 1.15's orders: found by comparing its bits with those of sums of every order.
TEST(Gemm, ProductsOfAVectorAreSummedAsTensorFlowSumsThem) {
  WorkerPool pool(2);
  for (const int64_t k : {1, 2, 3, 7, 8, 9, 16, 30, 100, 127}) {
    for (const int64_t n : {1, 3, 16, 50}) {
      const std::vector<float> v = Random<float>(k, 1), w = Random<float>(k * n, 2);
      std::vector<float> rows(n), dots(n), column(n);
      ASSERT_TRUE(Gemm(pool, false, false, 1, n, k, v.data(), w.data(), rows.data()).ok());
      ASSERT_TRUE(Gemm(pool, false, true, 1, n, k, v.data(), w.data(), dots.data()).ok());
      ASSERT_TRUE(Gemm(pool, false, false, n, 1, k, w.data(), v.data(), column.data()).ok());
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;  // of a row: in order, each product rounded
        for (int64_t p = 0; p < k; ++p) sum += v[p] * w[p * n + j];
        if (n > 1) EXPECT_EQ(rows[j], sum) << k << "x" << n;
        float lanes[8] = {};  // of rows: in eight lanes, then the rest
        int64_t p = 0;
        for (; p + 8 <= k; p += 8) {
          for (int64_t l = 0; l < 8; ++l) lanes[l] += v[p + l] * w[j * k + p + l];
        }
        float dot = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
                    ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        for (; p < k; ++p) dot += v[p] * w[j * k + p];
        EXPECT_EQ(dots[j], dot) << k << "x" << n;
        EXPECT_EQ(column[j], n > 1 ? dot : rows[j]) << k << "x" << n;
      }
    }
  }
}

TEST(Gemm, UpdatesHaveTheBitsOfSeparatePasses) {
  WorkerPool pool(2);
  const float decay = 0.03f, rate = 0.7f;
  int checked = 0;
  for (const Size& s : kSizes) {
    for (int form = 0; form < 4; ++form) {
      const bool ta = form & 1, tb = form & 2;
      if (!GemmUpdates(tb, s.m, s.n, s.k)) continue;
      ++checked;
      const std::vector<float> a = Random<float>(s.m * s.k, 1), b = Random<float>(s.k * s.n, 2),
                               before = Random<float>(s.m * s.n, 4),
                               where = Random<float>(s.m * s.n, 5);
      std::vector<float> product(s.m * s.n), c = before, masked(s.m * s.n);
      ASSERT_TRUE(Gemm(pool, ta, tb, s.m, s.n, s.k, a.data(), b.data(), product.data()).ok());
      ASSERT_TRUE(Gemm(pool, ta, tb, s.m, s.n, s.k, a.data(), b.data(), masked.data(),
                       {.where = where.data()})
                      .ok());
      ASSERT_TRUE(Gemm(pool, ta, tb, s.m, s.n, s.k, a.data(), b.data(), c.data(),
                       {.decay = &decay, .rate = &rate})
                      .ok());
      for (size_t i = 0; i < c.size(); ++i) {
        ASSERT_EQ(masked[i], where[i] > 0 ? product[i] : 0.0f) << i;
        volatile float part = before[i] * decay;  // volatile: each step rounds
        volatile float gradient = product[i] + part;
        volatile float change = gradient * rate;
        ASSERT_EQ(c[i], before[i] - change)
            << s.m << "x" << s.n << "x" << s.k << " form " << form << " at " << i;
      }
    }
  }
  EXPECT_GT(checked, 40);
  std::vector<float> a(500 * 20), b(500 * 20), c(400);
  EXPECT_EQ(
      Gemm(pool, false, false, 20, 20, 500, a.data(), b.data(), c.data(), {.rate = &rate}).code(),
      absl::StatusCode::kInternal);
}

// Those go to other kernels than the small ones.
TEST(Gemm, LargeProductsAgreeWithDefinition) {
  WorkerPool pool(2);
  const int64_t m = 700, n = 600, k = 500;
  const std::vector<float> a = Random<float>(m * k, 1), b = Random<float>(k * n, 2),
                           bias = Random<float>(n, 3);
  std::vector<float> c(m * n);
  ASSERT_TRUE(Gemm(pool, false, true, m, n, k, a.data(), b.data(), c.data(),
                   {.bias = bias.data(), .relu = true})
                  .ok());
  for (int64_t i = 0; i < m; i += 23) {
    const std::vector<double> row =
        Reference<float>(false, true, 1, n, k, {a.begin() + i * k, a.end()}, b);
    for (int64_t j = 0; j < n; ++j)
      ASSERT_NEAR(c[i * n + j], std::max(0.0, row[j] + bias[j]), 5e-5) << i << " " << j;
  }
}

TEST(Gemm, EmptySizes) {
  WorkerPool pool(2);
  float c[4] = {1, -2, 3, 4};
  const float bias[2] = {1, 2};
  EXPECT_TRUE(Gemm(pool, false, false, 0, 2, 3, c, c, c).ok());
  EXPECT_TRUE(Gemm(pool, false, false, 2, 0, 3, c, c, c).ok());
  EXPECT_EQ(c[0], 1);
  ASSERT_TRUE(
      Gemm(pool, false, false, 2, 2, 0, c, c, c, {.accumulate = true, .bias = bias, .relu = true})
          .ok());
  EXPECT_EQ(c[0], 2);
  EXPECT_EQ(c[1], 0);
  ASSERT_TRUE(Gemm(pool, false, false, 2, 2, 0, c, c, c).ok());
  EXPECT_EQ(c[0], 0);
  EXPECT_EQ(c[3], 0);
}

TEST(Gemm, ReluKeepsNaN) {
  WorkerPool pool(1);
  std::vector<float> a(40, std::numeric_limits<float>::quiet_NaN()), b(400, 1.0f), c(400);
  ASSERT_TRUE(
      Gemm(pool, false, false, 40, 10, 1, a.data(), b.data(), c.data(), {.relu = true}).ok());
  EXPECT_TRUE(std::isnan(c[0]));
  EXPECT_TRUE(std::isnan(c[9]));
  for (const auto& [rows, depth, transpose_b] :
       {std::tuple(1, 8, false), std::tuple(1, 80, true), std::tuple(40, 8, true)}) {
    std::vector<float> x(rows * depth, std::numeric_limits<float>::quiet_NaN()), y(depth * 5, 1.0f),
        z(rows * 5);
    ASSERT_TRUE(
        Gemm(pool, false, transpose_b, rows, 5, depth, x.data(), y.data(), z.data(), {.relu = true})
            .ok());
    for (float v : z) EXPECT_TRUE(std::isnan(v)) << rows << " " << depth;
  }
}

TEST(Gemm, PlainAgreesForIntegersComplexAndHalf) {
  WorkerPool pool(2);
  const int64_t m = 7, n = 9, k = 11;
  for (int form = 0; form < 4; ++form) {
    const bool ta = form & 1, tb = form & 2;
    const std::vector<int32_t> a = Random<int32_t>(m * k, 1), b = Random<int32_t>(k * n, 2);
    std::vector<int32_t> c(m * n);
    GemmPlain(pool, ta, tb, m, n, k, a.data(), b.data(), c.data());
    const std::vector<double> expected = Reference(ta, tb, m, n, k, a, b);
    for (size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], expected[i]);

    const std::vector<Half> ha(a.begin(), a.end()), hb(b.begin(), b.end());
    std::vector<Half> hc(m * n);
    GemmPlain(pool, ta, tb, m, n, k, ha.data(), hb.data(), hc.data());
    for (size_t i = 0; i < hc.size(); ++i) ASSERT_EQ(static_cast<float>(hc[i]), expected[i]);

    std::vector<std::complex<float>> ca(m * k), cb(k * n), cc(m * n);
    for (size_t i = 0; i < ca.size(); ++i) ca[i] = std::complex<float>(0, a[i]);
    for (size_t i = 0; i < cb.size(); ++i) cb[i] = std::complex<float>(0, b[i]);
    GemmPlain(pool, ta, tb, m, n, k, ca.data(), cb.data(), cc.data());
    for (size_t i = 0; i < cc.size(); ++i) ASSERT_EQ(cc[i], std::complex<float>(-expected[i], 0));
  }
}

}  // namespace
}  // namespace headrace
