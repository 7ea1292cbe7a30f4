#include "headrace/kernel/cpu/dnnl.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "headrace/base/strings.h"
#include "headrace/base/worker_pool.h"

namespace headrace {
namespace {

using Tag = dnnl::memory::format_tag;

// The OpenMP width of this thread, from the runtime that oneDNN loaded.
int OpenMpWidth() {
  auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  return get == nullptr ? 0 : get();
}
void SetOpenMpWidth(int width) {
  auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) set(width);
}

dnnl::memory::desc Desc(std::initializer_list<int64_t> dims, Tag tag) {
  return *DnnlDesc(DType::kFloat32, std::span(dims.begin(), dims.size()), tag);
}

// A convolution over [1, 32, 20, 20] with 3x3x32x32 weights; one that needs scratch memory for its
// backward pass.
StatusOr<std::shared_ptr<const DnnlPrimitive>> Convolution(std::string_view key) {
  return CachedDnnlPrimitive(key, [] {
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
        Desc({1, 32, 20, 20}, Tag::nhwc), Desc({32, 32, 3, 3}, Tag::hwio),
        Desc({1, 32, 20, 20}, Tag::nhwc), dnnl::memory::dims{1, 1}, dnnl::memory::dims{1, 1},
        dnnl::memory::dims{1, 1});
    return dnnl::convolution_forward::primitive_desc(desc, DnnlAttr(), DnnlEngine());
  });
}

TEST(Dnnl, SingleThreadScopePutsTheCallersWidthBack) {
  const int before = OpenMpWidth();
  if (before == 0) GTEST_SKIP() << "oneDNN without OpenMP";
  SetOpenMpWidth(5);
  {
    DnnlSingleThread single;
    EXPECT_EQ(OpenMpWidth(), 1);
    {
      DnnlSingleThread again;
      EXPECT_EQ(OpenMpWidth(), 1);
    }
    EXPECT_EQ(OpenMpWidth(), 1);
  }
  EXPECT_EQ(OpenMpWidth(), 5);
  int width_while_made = 0;
  ASSERT_TRUE(DnnlTry("look", [&] { width_while_made = OpenMpWidth(); }).ok());
  EXPECT_EQ(width_while_made, 1);
  EXPECT_EQ(OpenMpWidth(), 5);
  SetOpenMpWidth(before);
}

TEST(Dnnl, ExceptionsBecomeStatus) {
  Status status =
      DnnlTry("make a joke", [] { throw dnnl::error(dnnl_unimplemented, "no humour"); });
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(Message(status).find("oneDNN cannot make a joke"), std::string_view::npos);
  EXPECT_NE(Message(status).find("no humour"), std::string_view::npos);
  EXPECT_EQ(DnnlStatus(dnnl_out_of_memory, "x").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(DnnlStatus(dnnl_success, "x").ok());
}

TEST(Dnnl, TypesAndScalars) {
  EXPECT_EQ(*DnnlType(DType::kBFloat16), dnnl::memory::data_type::bf16);
  EXPECT_EQ(DnnlType(DType::kFloat64).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(DnnlDesc(DType::kFloat32, {})->dims(), dnnl::memory::dims{1});
  const int64_t dims[] = {2, 3, 4};
  EXPECT_EQ(*DnnlDesc(DType::kFloat32, dims), *DnnlDesc(DType::kFloat32, dims, Tag::abc));
}

TEST(Dnnl, CacheGivesOnePrimitiveForAKey) {
  auto a = Convolution("cache test"), b = Convolution("cache test"),
       c = Convolution("cache test 2");
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->get(), b->get());
  EXPECT_NE(a->get(), c->get());
}

TEST(Dnnl, RefusesReferenceImplementations) {
  auto make = [] {  // over a dimension that is not the innermost: oneDNN has no kernel for it
    const dnnl::softmax_forward::desc softmax(dnnl::prop_kind::forward_training,
                                              Desc({3, 5, 7}, Tag::abc), 1);
    return dnnl::softmax_forward::primitive_desc(softmax, DnnlAttr(), DnnlEngine());
  };
  auto refused = CachedDnnlPrimitive("reference test", make);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnimplemented) << refused.status();
  EXPECT_NE(Message(refused.status()).find("reference"), std::string_view::npos);
  EXPECT_TRUE(CachedDnnlPrimitive("reference test", make, /*allow_reference=*/true).ok());
}

TEST(Dnnl, RefusesPrimitivesWithoutUserScratch) {
  auto made = CachedDnnlPrimitive("scratch test", [] {
    return dnnl::matmul::primitive_desc(
        {Desc({8, 8}, Tag::ab), Desc({8, 8}, Tag::ab), Desc({8, 8}, Tag::ab)}, DnnlEngine());
  });
  EXPECT_EQ(made.status().code(), absl::StatusCode::kInternal);
}

TEST(Dnnl, CallsRunOnManyThreadsAtOnce) {
  auto primitive = Convolution("threads test");
  ASSERT_TRUE(primitive.ok());
  const std::vector<float> x(32 * 400, 1.0f), w(9 * 32 * 32, 0.5f);
  auto run = [&](std::vector<float>& y) -> Status {
    HR_ASSIGN_OR_RETURN(
        DnnlCall call,
        DnnlCall::Create(*primitive, {{DNNL_ARG_SRC, Desc({1, 32, 20, 20}, Tag::nhwc)},
                                      {DNNL_ARG_WEIGHTS, Desc({32, 32, 3, 3}, Tag::hwio)},
                                      {DNNL_ARG_DST, Desc({1, 32, 20, 20}, Tag::nhwc)}}));
    for (int i = 0; i < 20; ++i) {
      std::fill(y.begin(), y.end(), NAN);
      call.Bind(0, x.data());
      call.Bind(1, w.data());
      call.Bind(2, y.data());
      HR_RETURN_IF_ERROR(call.Run());
    }
    return absl::OkStatus();
  };
  std::vector<float> results[3];
  Status statuses[3];
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    results[t].resize(32 * 400);
    threads.emplace_back([&, t] { statuses[t] = run(results[t]); });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 3; ++t) {
    ASSERT_TRUE(statuses[t].ok()) << statuses[t];
    EXPECT_FLOAT_EQ(results[t][21 * 32], 9 * 32 * 0.5f);  // an inner point
    EXPECT_FLOAT_EQ(results[t][0], 4 * 32 * 0.5f);        // a corner
    EXPECT_EQ(results[t], results[0]);
  }
}

}  // namespace
}  // namespace headrace
