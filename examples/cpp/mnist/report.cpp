#include "examples/cpp/mnist/report.h"

#include <openssl/evp.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

namespace mnist {

std::string Report::ToJson() const {
  nlohmann::ordered_json histogram = nlohmann::ordered_json::array();
  for (int64_t s = 0; s <= staleness.max(); ++s) {
    auto it = staleness.counts.find(s);
    histogram.push_back(it == staleness.counts.end() ? 0 : it->second);
  }
  const nlohmann::ordered_json json = {
      {"model", model},
      {"mode", mode},
      {"replicas", replicas},
      {"backup_replicas", backup_replicas},
      {"devices", devices},
      {"steps", steps},
      {"examples_per_second", examples_per_second},
      {"steps_per_second", steps_per_second},
      {"step_ms_p50", step_ms_p50},
      {"loss_first", loss_first},
      {"loss_last", loss_last},
      {"test_accuracy", test_accuracy},
      {"weights_sha256", weights_sha256},
      {"staleness", {{"median", staleness.median()}, {"max", staleness.max()}, {"histogram", histogram}}},
      {"dropped", dropped},
      {"peak_rss_bytes", peak_rss_bytes},
  };
  return json.dump(2) + "\n";
}

std::string Sha256(const std::vector<headrace::Tensor>& tensors) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
  for (const headrace::Tensor& tensor : tensors) EVP_DigestUpdate(context, tensor.raw_data(), tensor.size_bytes());
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(context, digest, &size);
  EVP_MD_CTX_free(context);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

int64_t PeakRssBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace mnist
