#include "headrace/base/strings.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/data/reader_formats.h"
#include "headrace/ops/data/reader_kernels.h"
#include "headrace/ops/data/reader_resource.h"

namespace headrace {
namespace {

// ---------------------------------------------------------------- the reader itself

StatusOr<OpenUnit> FixedLengthOf(const KernelInit& init) {
  FixedRecordReader::Options o{.record_bytes = init.Attr<int64_t>("record_bytes"),
                               .header_bytes = init.Attr<int64_t>("header_bytes"),
                               .footer_bytes = init.Attr<int64_t>("footer_bytes"),
                               .hop_bytes = init.Attr<int64_t>("hop_bytes")};
  const std::pair<const char*, int64_t> sizes[] = {{"header_bytes", o.header_bytes},
                                                   {"record_bytes", o.record_bytes},
                                                   {"footer_bytes", o.footer_bytes},
                                                   {"hop_bytes", o.hop_bytes}};
  for (const auto& [name, value] : sizes) {
    if (value < 0) return InvalidArgument(name, " must be >= 0 got ", value);
  }
  const std::string encoding = init.attrs().GetOr<std::string>("encoding", "");
  HR_ASSIGN_OR_RETURN(o.compression, ParseCompression(encoding));
  return FixedUnits(o);
}

StatusOr<OpenUnit> UnitsOf(const KernelInit& init) {
  const std::string_view op = init.node().op_name();
  if (op.starts_with("TFRecord")) {
    HR_ASSIGN_OR_RETURN(const Compression compression,
                        ParseCompression(init.Attr<std::string>("compression_type")));
    return RecordUnits(compression);
  }
  if (op.starts_with("TextLine")) {
    const int64_t lines = init.Attr<int64_t>("skip_header_lines");
    if (lines < 0) return InvalidArgument("skip_header_lines must be >= 0 not ", lines);
    return LineUnits(lines);
  }
  if (op.starts_with("FixedLength")) return FixedLengthOf(init);
  return op.starts_with("WholeFile") ? FileUnits() : IdentityUnits();
}

// ---------------------------------------------------------------- what uses it

StatusOr<std::shared_ptr<Reader>> ReaderInput(KernelContext& ctx) {
  return ResourceInput<Reader>(ctx, 0, "a reader");
}

class ReadKernel final : public AsyncKernel {
 public:
  explicit ReadKernel(bool up_to) : up_to_(up_to) {}

  void ComputeAsync(KernelContext& ctx, Done done) override {
    const auto reader = ReaderInput(ctx);
    const auto queue = ResourceInput<Queue>(ctx, 1, "a queue");
    if (!reader.ok() || !queue.ok()) return done(reader.ok() ? queue.status() : reader.status());
    int64_t most = 1;
    if (up_to_) {
      if (ctx.input(2).num_elements() != 1)
        return done(InvalidArgument("num_records must be a scalar"));
      most = *ctx.input(2).data<int64_t>();
      if (most <= 0) return done(InvalidArgument("num_records must be > 0, got ", most));
    }
    (*reader)->Read(*queue, most, *ctx.step().cancellation,
                    [this, &ctx, done = std::move(done)](StatusOr<Reader::Records> records) {
                      done(records.ok() ? Give(ctx, *records) : records.status());
                    });
  }

 private:
  Status Give(KernelContext& ctx, Reader::Records& records) const {
    const Shape shape = up_to_ ? Shape{static_cast<int64_t>(records.size())} : Shape();
    HR_ASSIGN_OR_RETURN(Tensor * keys, ctx.Output(0, shape));
    HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, shape));
    for (size_t i = 0; i < records.size(); ++i) {
      keys->data<std::string>()[i] = std::move(records[i].key);
      values->data<std::string>()[i] = std::move(records[i].value);
    }
    return absl::OkStatus();
  }

  const bool up_to_;
};

template <int64_t (Reader::*kCount)() const>
Status Count(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto reader, ReaderInput(ctx));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<int64_t>() = (reader.get()->*kCount)();
  return absl::OkStatus();
}

class SerializeKernel final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& ctx, Done done) override {
    const auto reader = ReaderInput(ctx);
    if (!reader.ok()) return done(reader.status());
    (*reader)->Serialize(*ctx.step().cancellation,
                         [&ctx, done = std::move(done)](StatusOr<std::string> state) {
                           if (!state.ok()) return done(state.status());
                           ctx.SetOutput(0, Tensor::Scalar(*std::move(state)));
                           done(absl::OkStatus());
                         });
  }
};

class RestoreKernel final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& ctx, Done done) override {
    const auto reader = ReaderInput(ctx);
    if (!reader.ok()) return done(reader.status());
    const Tensor& state = ctx.input(1);
    if (state.rank() != 0)
      return done(InvalidArgument("Reader state must be scalar, but had shape: ",
                                  state.shape().ToString()));
    (*reader)->Restore(state.scalar<std::string>(), *ctx.step().cancellation, std::move(done));
  }
};

class ResetKernel final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& ctx, Done done) override {
    const auto reader = ReaderInput(ctx);
    if (!reader.ok()) return done(reader.status());
    (*reader)->Reset(*ctx.step().cancellation, std::move(done));
  }
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeReaderCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(OpenUnit open, UnitsOf(init));
  std::string op = init.node().op_name();
  if (op.ends_with("V2")) op.resize(op.size() - 2);
  const bool keeps_state = op == "IdentityReader" || op == "WholeFileReader";
  HR_ASSIGN_OR_RETURN(
      std::shared_ptr<Reader> reader,
      FindOrMake<Reader>(init, [&](std::string) -> StatusOr<std::shared_ptr<Reader>> {
        return std::make_shared<Reader>(StrCat(op, " '", init.node().name(), "'"), keeps_state,
                                        std::move(open));
      }));
  return MakeHandleKernel(init, std::move(reader));
}

StatusOr<std::unique_ptr<Kernel>> MakeReaderReadCpu(const KernelInit&) {
  return std::make_unique<ReadKernel>(/*up_to=*/false);
}
StatusOr<std::unique_ptr<Kernel>> MakeReaderReadUpToCpu(const KernelInit&) {
  return std::make_unique<ReadKernel>(/*up_to=*/true);
}
StatusOr<std::unique_ptr<Kernel>> MakeReaderNumRecordsProducedCpu(const KernelInit& init) {
  return MakeFunctionKernel<Count<&Reader::records_produced>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeReaderNumWorkUnitsCompletedCpu(const KernelInit& init) {
  return MakeFunctionKernel<Count<&Reader::units_completed>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeReaderSerializeStateCpu(const KernelInit&) {
  return std::make_unique<SerializeKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeReaderRestoreStateCpu(const KernelInit&) {
  return std::make_unique<RestoreKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeReaderResetCpu(const KernelInit&) {
  return std::make_unique<ResetKernel>();
}

}  // namespace headrace
