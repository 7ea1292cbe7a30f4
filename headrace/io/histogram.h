// Histograms as TensorFlow's summaries have them: 1551 buckets whose limits grow by 10% from 1e-12
// to 1e20, both signs.
//
//   Histogram h;
//   h.Add(0.5);
//   h.min(), h.sum_squares(), h.buckets()
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headrace {

class Histogram {
 public:
  Histogram();
  void Add(double value);  // finite

  double min() const { return min_; }  // of no values: the largest double, and the lowest as max
  double max() const { return max_; }
  double num() const { return num_; }
  double sum() const { return sum_; }
  double sum_squares() const { return sum_squares_; }

  // A bucket counts the values from the limit before it up to, and without, its own. Empty
  // neighbours are one.
  struct Bucket {
    double limit;
    double count;
  };
  std::vector<Bucket> buckets() const;
  static std::span<const double> limits();

 private:
  std::vector<double> counts_;
  double min_, max_, num_ = 0, sum_ = 0, sum_squares_ = 0;
};

}  // namespace headrace
