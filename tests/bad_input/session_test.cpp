// Mistakes in running a graph: the run says what was wrong with it, returns nothing, and the next
// one works.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/bad_input/expect.h"

namespace headrace::bad_input {
namespace {

using std::chrono::milliseconds;

struct Model {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1, 2}, {.name = "x"});
  Variable w = Variable(g, Tensor::Of<float>({1, 2}, {2, 1}), {.name = "w"});
  Output y = MatMul(x, w, {.name = "y"});
  Output seven = Const(g, 7.0f, {.name = "seven"});
  Node* nothing = NoOp(g, {.name = "nothing"});
  Node* init = GlobalVariablesInitializer(g);
  Tensor rows = Tensor::Of<float>({1, 1}, {1, 2});
};

struct RunCase {
  const char* what;
  std::function<Status(Session&)> run;
  absl::StatusCode code;
  std::vector<std::string> parts;
};

TEST(BadInput, FeedsFetchesAndTargets) {
  Model m;
  Graph other;
  Output foreign = Const(other, 1.0f, {.name = "foreign"});
  const auto feed = [&](Output to, Tensor value) {
    return [to, value, &m](Session& s) { return s.Run({{to, value}}, {m.y}).status(); };
  };
  const auto fetch = [&](Output what) {
    return [what, &m](Session& s) { return s.Run({{m.x, m.rows}}, {what}).status(); };
  };
  const std::vector<RunCase> cases = {
      {"no feed",
       [&](Session& s) { return s.Run({}, {m.y}).status(); },
       kInvalid,
       {"You must feed a value for placeholder tensor 'x' with dtype float and shape [?,2]",
        "session_test.cpp:"}},
      {"a feed of no tensor", feed(m.x, Tensor()), kInvalid, {"'x:0'", "no value"}},
      {"a feed of another rank",
       feed(m.x, Tensor::Of<float>({1, 2})),
       kInvalid,
       {"Cannot feed value of shape [2] for Tensor 'x:0', which has shape '[?,2]'"}},
      {"a feed of another shape",
       feed(m.x, Tensor::Of<float>({1, 2, 3}, {1, 3})),
       kInvalid,
       {"[1,3]", "[?,2]"}},
      {"a feed of another dtype",
       feed(m.x, Tensor::Of<double>({1, 2}, {1, 2})),
       kInvalid,
       {"dtype float64", "'x:0'", "float32"}},
      {"a feed of text",
       feed(m.x, Tensor::Of<std::string>({"1", "2"}, {1, 2})),
       kInvalid,
       {"string", "float32"}},
      {"a feed of nothing", feed(Output(), m.rows), kInvalid, {"feed", "not an output of a node"}},
      {"a feed of another graph",
       feed(foreign, m.rows),
       kInvalid,
       {"'foreign:0'", "not an element", "feed"}},
      {"a feed of an output that the node has not",
       feed(Output{m.x.node, 2}, m.rows),
       kInvalid,
       {"output 2", "node 'x'", "1 outputs"}},
      {"two feeds of one tensor",
       [&](Session& s) {
         return s.Run({{m.x, m.rows}, {m.x, m.rows}}, {m.y}).status();
       },
       kInvalid,
       {"Tensor 'x:0' is fed twice"}},
      {"a fed variable that is written",
       [&](Session& s) {
         return s.Run({{m.w.ref(), Tensor::Of<float>({1, 2}, {2, 1})}}, {}, {m.init}).status();
       },
       kInvalid,
       {"'w:0'", "cannot be fed"}},
      {"a fetch of nothing", fetch(Output()), kInvalid, {"fetch", "not an output of a node"}},
      {"a fetch of another graph",
       fetch(foreign),
       kInvalid,
       {"'foreign:0'", "not an element", "fetch"}},
      {"a fetch of an op without outputs",
       fetch(Output{m.nothing, 0}),
       kInvalid,
       {"node 'nothing'", "0 outputs", "targets"}},
      {"a negative output", fetch(Output{m.y.node, -1}), kInvalid, {"output -1", "node 'y'"}},
      {"a target that is none",
       [&](Session& s) { return s.Run({}, {}, {nullptr}).status(); },
       kInvalid,
       {"target"}},
      {"a target of another graph",
       [&](Session& s) { return s.Run({}, {}, {foreign.node}).status(); },
       kInvalid,
       {"'foreign'", "not an element"}},
      {"an unknown feed by name",
       [&](Session& s) {
         return s.RunByName({{"xx:0", m.rows}}, {"y:0"}).status();
       },
       kNotFound,
       {"'xx'", "nearest", "'x'"}},
      {"an unknown fetch by name",
       [&](Session& s) { return s.RunByName({}, {"yy"}).status(); },
       kNotFound,
       {"'yy'", "'y'"}},
      {"an output by name that the op has not",
       [&](Session& s) { return s.RunByName({}, {"nothing:0"}).status(); },
       kInvalid,
       {"'nothing:0'", "0 outputs"}},
      {"an unknown target by name",
       [&](Session& s) { return s.RunByName({}, {}, {"inti"}).status(); },
       kNotFound,
       {"'inti'", "not in the graph"}},
      {"an empty name",
       [&](Session& s) { return s.RunByName({}, {""}).status(); },
       kNotFound,
       {"''"}},
      {"a callable with too few feeds",
       [&](Session& s) {
         const Callable step = s.MakeCallable({m.x}, {m.y}).value();
         return step({}, nullptr);
       },
       kInvalid,
       {"takes 1 feeds, got 0"}},
      {"a callable of nothing",
       [&](Session& s) { return s.MakeCallable({}, {Output()}).status(); },
       kInvalid,
       {"fetch"}},
      {"an empty callable",
       [&](Session&) { return Callable()({}, nullptr); },
       kPrecondition,
       {"empty callable"}},
      {"a placement of another graph's node",
       [&](Session& s) { return s.Placement(*foreign.node).status(); },
       kInvalid,
       {"node 'foreign'", "not an element"}},
      {"a memory plan of a wrong shape",
       [&](Session& s) {
         return s.MemoryPlan({{m.x, Shape{1, 5}}}, {m.y}).status();
       },
       kInvalid,
       {"[1,5]", "[?,2]"}},
  };
  auto session = MakeSession(m.g);
  ASSERT_TRUE(session->Run({}, {}, {m.init}).ok());
  for (const RunCase& c : cases) {
    SCOPED_TRACE(c.what);
    ExpectError(c.run(*session), c.code, c.parts);
    auto good = session->Run({{m.x, m.rows}}, {m.y});
    ASSERT_TRUE(good.ok()) << good.status();
    EXPECT_EQ((*good)[0].data<float>()[0], 3);
  }
}

TEST(BadInput, Options) {
  Graph g;
  Const(g, 1.0f);
  const auto create = [&](SessionOptions options) {
    return Session::Create(g, std::move(options)).status();
  };
  ExpectError(create({.devices = {.cpu_count = 0}}), kInvalid, {"cpu_count", "1 to 1024", "0"});
  ExpectError(create({.devices = {.cpu_count = 1 << 20}}), kInvalid, {"cpu_count"});
  ExpectError(create({.devices = {.threads = -4}}), kInvalid, {"threads", "-4"});
  ExpectError(create({.devices = {.threads = 1 << 30}}), kInvalid, {"threads"});
  ExpectError(create({.devices = {.gpu = {.per_process_gpu_memory_fraction = 1.5}}}), kInvalid,
              {"0 (all) to 1", "1.5"});
  ExpectError(create({.devices = {.gpu = {.per_process_gpu_memory_fraction = -0.5}}}), kInvalid,
              {"-0.5"});
  ExpectError(create({.devices = {.gpu = {.per_process_gpu_memory_fraction = std::nan("")}}}),
              kInvalid, {"nan"});
  ExpectError(create({.devices = {.gpu = {.memory_limit_bytes = -1}}}), kInvalid,
              {"memory_limit_bytes", "-1"});
  ExpectError(create({.devices = {.gpu = {.visible_device_list = "0,x"}, .simulated_gpus = 1}}),
              kInvalid, {"0,x"});
  ExpectError(create({.devices = {.gpu = {.visible_device_list = "3"}, .simulated_gpus = 1}}),
              kInvalid, {"3"});
  ExpectError(create({.devices = {.simulated_gpus = 1 << 20}}), kInvalid,
              {"SIMULATED_GPUS", "0 to 64"});
  ExpectError(create({.devices = {.simulated_gpus = 1, .simulated_gpu_bytes = -5}}), kInvalid,
              {"-5"});
  ExpectError(create({.devices = {.job = ""}}), kInvalid, {"job's name"});
  ExpectError(create({.devices = {.task = -1}}), kInvalid, {"task", "-1"});
  ExpectError(create({.default_device = 5}), kInvalid, {"default_device", "5"});
  ExpectError(create({.default_device = -2}), kInvalid, {"default_device", "-2"});
}

TEST(BadInput, ReplicaTrainers) {
  const auto loss_of = [](std::span<const Output> in) { return ReduceMean(in[0]); };
  const auto status = [](const std::function<StatusOr<std::unique_ptr<ReplicaTrainer>>(
                             Graph&, ReplicaModel&)>& make) {
    Graph g;
    Variable w(g, 1.0f, {.name = "w"});
    static GradientDescentOptimizer sgd(0.1);
    ReplicaModel model{
        .inputs = {{DType::kFloat32, {-1}, "x"}},
        .loss = [w](std::span<const Output> in) { return ReduceMean(in[0] * w.value()); },
        .update = [](std::span<const GradientAndVariable> g) { return sgd.ApplyGradients(g); }};
    return make(g, model).status();
  };
  ExpectError(status([](Graph& g, ReplicaModel& m) { return MakeSyncTrainer(g, m, {}); }), kInvalid,
              {"no device", "/cpu:0"});
  ExpectError(status([](Graph& g, ReplicaModel& m) { return MakeAsyncTrainer(g, m, {}); }),
              kInvalid, {"no device"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                return MakeSyncTrainer(g, m, {.devices = {"/tpu:x"}});
              }),
              kInvalid, {"tpu"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                return MakeSyncTrainer(g, m, {.devices = {"/cpu:0", "/cpu:1"}, .shards = 3});
              }),
              kInvalid, {"3 shards", "2 replicas"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                return MakeSyncTrainer(g, m, {.devices = {"/cpu:0"}, .shards = -1});
              }),
              kInvalid, {"-1 shards"});
  for (const int backups : {-1, 2, 3}) {
    ExpectError(status([&](Graph& g, ReplicaModel& m) {
                  return MakeSyncTrainer(
                      g, m, {.devices = {"/cpu:0", "/cpu:1"}, .backup_replicas = backups});
                }),
                kInvalid, {"backup_replicas", "2 replicas", StrCat("got ", backups)});
  }
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                return MakeSyncTrainer(
                    g, m, {.devices = {"/cpu:0", "/cpu:1"}, .shards = 2, .backup_replicas = 1});
              }),
              kInvalid, {"shards", "backup_replicas = 0", "2 and 1"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                return MakeAsyncTrainer(g, m,
                                        {.devices = {"/cpu:0"}, .bounds = {.max_staleness = -1}});
              }),
              kInvalid, {"max_staleness", ">= 0"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                m.loss = nullptr;
                return MakeSyncTrainer(g, m, {.devices = {"/cpu:0"}});
              }),
              kInvalid, {"loss", "update"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                m.loss = [](std::span<const Output>) { return Output(); };
                return MakeAsyncTrainer(g, m, {.devices = {"/cpu:0"}});
              }),
              kInvalid, {"loss is not a node"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                m.loss = [](std::span<const Output> in) { return in[0]; };
                return MakeSyncTrainer(g, m, {.devices = {"/cpu:0"}});
              }),
              kInvalid, {"must be a scalar", "[?]"});
  ExpectError(status([&](Graph& g, ReplicaModel& m) {
                m.loss = loss_of;  // depends on no variable
                return MakeSyncTrainer(g, m, {.devices = {"/cpu:0"}});
              }),
              kInvalid, {"No gradients provided for any variable"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                m.update = [](std::span<const GradientAndVariable>) {
                  return static_cast<Node*>(nullptr);
                };
                return MakeAsyncTrainer(g, m, {.devices = {"/cpu:0"}});
              }),
              kInvalid, {"update is not a node"});
  ExpectError(status([](Graph& g, ReplicaModel& m) {
                m.variables = {Variable()};
                return MakeSyncTrainer(g, m, {.devices = {"/cpu:0"}});
              }),
              kInvalid, {"variables[0]"});
}

TEST(BadInput, BatchesOfReplicas) {
  Graph g;
  Variable w(g, 1.0f, {.name = "w"});
  GradientDescentOptimizer sgd(0.1);
  const ReplicaModel model{
      .inputs = {{DType::kFloat32, {-1}, "x"}},
      .loss = [&](std::span<const Output> in) { return ReduceMean(in[0] * w.value()); },
      .update = [&](std::span<const GradientAndVariable> g) { return sgd.ApplyGradients(g); }};
  auto sync = MakeSyncTrainer(g, model, {.devices = {"/cpu:0"}, .shards = 2});
  auto async = MakeAsyncTrainer(g, model, {.devices = {"/cpu:0"}});
  auto backup = MakeSyncTrainer(g, model, {.devices = {"/cpu:0", "/cpu:0"}, .backup_replicas = 1});
  ASSERT_TRUE(sync.ok() && async.ok() && backup.ok())
      << sync.status() << async.status() << backup.status();
  Node* init = GlobalVariablesInitializer(g);
  auto session = MakeSession(g);
  const auto train = [&](ReplicaTrainer& trainer, Tensor batch, int64_t steps = 1) {
    return trainer.Train(
        *session, {.steps = steps, .next_batch = [&](int, int64_t, std::vector<Tensor>& out) {
                     if (batch.valid()) out.push_back(batch);
                     return absl::OkStatus();
                   }});
  };
  const Tensor good = Tensor::Of<float>({1, 2});
  for (ReplicaTrainer* trainer : {sync->get(), async->get(), backup->get()}) {
    ExpectError(train(*trainer, good), kPrecondition, {"uninitialized value w"});
    ExpectError(train(*trainer, Tensor()), kInvalid, {"0 tensors", "1 inputs"});
    ExpectError(train(*trainer, Tensor::Of<double>({1, 2})), kInvalid,
                {"'x'", "float32", "float64"});
    ExpectError(train(*trainer, Tensor::Of<float>({1, 2}, {1, 2})), kInvalid,
                {"'x'", "[?]", "[1,2]"});
    ExpectError(trainer->Train(*session, {.steps = 1}), kInvalid, {"next_batch"});
    ExpectError(train(*trainer, good, -1), kInvalid, {"steps", "-1"});
    ExpectError(trainer->Train(*session, {.steps = 1,
                                          .next_batch =
                                              [](int, int64_t, std::vector<Tensor>&) {
                                                return absl::DataLossError("the file ends here");
                                              }}),
                kDataLoss, {"the file ends here"});
  }
  ExpectError(train(**sync, Tensor::Of<float>({1, 2, 3})), kInvalid, {"3 rows", "2 equal shards"});
  ASSERT_TRUE(session->Run({}, {}, {init}).ok());
  for (ReplicaTrainer* trainer : {sync->get(), async->get(), backup->get()})
    EXPECT_TRUE(train(*trainer, good).ok());
  session = MakeSession(g, {.deterministic = true});
  ExpectError(train(**backup, good), kInvalid, {"deterministic", "backup_replicas = 0"});
}

TEST(BadInput, VariablesBeforeTheirFirstValue) {
  Model m;
  Graph& g = m.g;
  Variable rows(g, Tensor::Of<float>({1, 2}), {.name = "rows"});
  Node* add = AssignAdd(rows.ref(), Const(g, {1.0f, 1.0f}), {.name = "add"}).node;
  Output picked = Gather(rows, Const(g, {0}), {.name = "picked"});
  Node* train = GradientDescentOptimizer(0.1).Minimize(ReduceSum(Square(picked)));
  ASSERT_NE(train, nullptr) << g.status();
  for (const bool plans : {true, false}) {
    auto session = MakeSession(g, {.use_plans = plans});
    const std::string text = "Attempting to use uninitialized value rows";
    ExpectError(session->Run({}, {rows}).status(), kPrecondition, {text, "session_test.cpp:"});
    ExpectError(session->Run({}, {rows.ref()}).status(), kPrecondition, {text});
    ExpectError(session->Run({}, {picked}).status(), kPrecondition, {text});
    ExpectError(session->Run({}, {}, {add}).status(), kPrecondition, {text, "node 'add'"});
    ExpectError(session->Run({}, {}, {train}).status(), kPrecondition, {text});
    ASSERT_TRUE(session->Run({}, {}, {rows.initializer()}).ok());
    EXPECT_TRUE(session->Run({}, {picked}, {train}).ok());
  }
}

TEST(BadInput, ValuesThatAreSeenOnlyWhenTheyCome) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, PartialShape(), {.name = "x"});
  Output ids = Placeholder(g, DType::kInt32, PartialShape(), {.name = "ids"});
  Output dims = Placeholder(g, DType::kInt32, {-1}, {.name = "dims"});
  Output table =
      Const(g, {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}, {7.0f, 8.0f}}, {.name = "table"});
  Variable v(g, {1.0f, 2.0f}, {.validate_shape = false, .name = "v"});
  const auto product = MatMul(x, table, {.name = "product"});
  const auto reshaped = Reshape(x, dims, {.name = "reshaped"});
  const auto picked = Gather(table, ids, {.name = "picked"});
  const auto filled = Fill(dims, Const(g, 1.0f), {.name = "filled"});
  const auto joined = Concat({x, table}, 0, {.name = "joined"});
  const auto total =
      AddN({x, Identity(x), Placeholder(g, DType::kFloat32, PartialShape(), {.name = "z"})},
           {.name = "total"});
  const auto sure = EnsureShape(x, {2, 2}, {.name = "sure"});
  const auto loss = SparseSoftmaxCrossEntropyWithLogits(table, ids, {.name = "loss"});
  const auto unique = Unique(x, {.name = "unique"});
  ASSERT_TRUE(g.status().ok()) << g.status();
  const Output z = *g.FindOutput("z");
  const Tensor vector = Tensor::Of<float>({1, 2, 3}), far = Tensor::Of<int32_t>({0, 9});
  struct Case {
    Output fetch;
    Session::Feeds feeds;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {product, {{x, vector}}, {"node 'product'", "session_test.cpp:", "[3]"}},
      {reshaped, {{x, vector}, {dims, Tensor::Of<int32_t>({2, 2})}}, {"node 'reshaped'", "3", "4"}},
      {reshaped, {{x, vector}, {dims, Tensor::Of<int32_t>({-1, -1})}}, {"node 'reshaped'", "-1"}},
      {picked, {{ids, far}}, {"node 'picked'", "indices[1] = 9 is not in [0, 4)"}},
      {filled, {{dims, Tensor::Of<int32_t>({2, -3})}}, {"node 'filled'", "-3"}},
      {joined, {{x, vector}}, {"node 'joined'"}},
      {total, {{x, vector}, {z, Tensor::Of<float>({1})}}, {"node 'total'", "[3]", "[1]"}},
      {sure, {{x, vector}}, {"node 'sure'", "[3]", "[2,2]"}},
      {loss,
       {{ids, Tensor::Of<int32_t>({0, 1, 2, 0})}},
       {"node 'loss'", "label value of 2", "[0, 2)"}},
      {unique.y, {{x, Tensor::Of<float>({1, 2}, {1, 2})}}, {"node 'unique'", "1D vector"}},
  };
  for (const bool plans : {true, false}) {
    auto session = MakeSession(g, {.use_plans = plans});
    for (const Case& c : cases) {
      SCOPED_TRACE(c.fetch.name());
      ExpectError(session->Run(c.feeds, {c.fetch}).status(), kInvalid, c.parts);
    }
    // Each NaN is a value of its own, and none is lost or found twice.
    const float nan = std::nanf("");
    auto unlike =
        session->Run({{x, Tensor::Of<float>({nan, 1, nan, 1, nan})}}, {unique.y, unique.idx});
    ASSERT_TRUE(unlike.ok()) << unlike.status();
    EXPECT_EQ((*unlike)[0].num_elements(), 4);
    const auto idx = (*unlike)[1].flat<int32_t>();
    EXPECT_EQ(std::vector<int32_t>(idx.begin(), idx.end()), (std::vector<int32_t>{0, 1, 2, 1, 3}));
  }
}

TEST(BadInput, AGraphWithAnErrorRunsNothingMore) {
  Model m;
  auto session = MakeSession(m.g);
  ASSERT_TRUE(session->Run({}, {}, {m.init}).ok());
  const Callable step = session->MakeCallable({m.x}, {m.y}).value();
  std::vector<Tensor> out;
  ASSERT_TRUE(step(std::vector<Tensor>{m.rows}, &out).ok());
  Output wrong = MatMul(m.x, Zeros(m.g, {5, 5}), {.name = "wrong"});
  EXPECT_FALSE(wrong.valid());
  Output after = Relu(wrong);  // skipped quietly
  EXPECT_FALSE(after.valid());
  ExpectError(session->Run({{m.x, m.rows}}, {m.y}).status(), kInvalid,
              {"node 'wrong'", "session_test.cpp:"});
  ExpectError(session->Run({}, {after}).status(), kInvalid, {"node 'wrong'"});
  ExpectError(session->RunByName({}, {"seven"}).status(), kInvalid, {"node 'wrong'"});
  ExpectError(session->MakeCallable({}, {m.seven}).status(), kInvalid, {"node 'wrong'"});
  ExpectError(session->Placement().status(), kInvalid, {"node 'wrong'"});
  EXPECT_TRUE(
      step(std::vector<Tensor>{m.rows}, &out).ok());  // compiled before: nothing of it changed
  EXPECT_TRUE(session->Close().ok());
}

TEST(BadInput, CyclesMadeByHand) {
  Graph g;
  Output x = Const(g, 1.0f, {.name = "x"});
  Output a = Relu(x, {.name = "a"}), b = Relu(a, {.name = "b"});
  ASSERT_TRUE(g.SetInput(*a.node, 0, b).ok());
  Output c = Relu(x, {.name = "c"});
  ASSERT_TRUE(g.AddControlInput(*c.node, *c.node).ok());
  for (const bool plans : {true, false}) {
    auto session = MakeSession(g, {.use_plans = plans});
    ExpectError(session->Run({}, {b}).status(), kInvalid, {"cycle", "session_test.cpp:"});
    ExpectError(session->Run({}, {c}).status(), kInvalid, {"cycle", "node 'c'"});
    EXPECT_TRUE(session->Run({{a, Tensor::Scalar(2.0f)}}, {b}).ok());  // a feed cuts it
    EXPECT_TRUE(session->Run({}, {x}).ok());
  }
  Gradients(Square(b), {a});  // ends, with or without an error
  GlobalVariablesInitializer(g);
}

TEST(BadInput, RunningAfterAndDuringClose) {
  Model m;
  auto session = MakeSession(m.g);
  ASSERT_TRUE(session->Run({}, {}, {m.init}).ok());
  std::atomic<int> ran{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (;;) {
        auto out = session->Run({{m.x, m.rows}}, {m.y});
        if (out.ok()) {
          wrong += (*out)[0].data<float>()[0] != 3;
          ++ran;
          continue;
        }
        wrong += out.status() != absl::CancelledError("Session has been closed.");
        return;
      }
    });
  }
  while (ran < 100) std::this_thread::yield();
  EXPECT_TRUE(session->Close().ok());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(session->Close().ok());
  const std::vector<std::string> closed = {"Session has been closed."};
  ExpectError(session->Run({}, {m.seven}).status(), kCancelled, closed);
  ExpectError(session->RunByName({}, {"seven"}).status(), kCancelled, closed);
  auto late = session->MakeCallable({}, {m.seven});
  std::vector<Tensor> out;
  ExpectError(late.ok() ? (*late)({}, &out) : late.status(), kCancelled, closed);
}

TEST(BadInput, TrainableIntegers) {
  {  // TensorFlow 1.15 leaves it out: no gradient reaches an integer.
    Graph g;
    Variable w(g, 1.0f, {.name = "w"}), count(g, 0, {.name = "count"});
    Node* train = GradientDescentOptimizer(0.5).Minimize(
        Square(w.value()) * Cast(count.value(), DType::kFloat32) + w.value());
    ASSERT_NE(train, nullptr) << g.status();
    Node* init = GlobalVariablesInitializer(g);
    auto session = MakeSession(g);
    ASSERT_TRUE(session->Run({}, {}, {init}).ok());
    auto out = session->Run({}, {}, {train});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(session->Run({}, {w})->at(0).scalar<float>(), 0.5f);
    EXPECT_EQ(session->Run({}, {count})->at(0).scalar<int32_t>(), 0);
  }
  ExpectBuildErrors({
      {"only an integer",
       [](Graph& g) {
         Variable count(g, 0, {.name = "count"});
         GradientDescentOptimizer(0.5).Minimize(Cast(count.value(), DType::kFloat32));
       },
       kInvalid,
       {"No gradients provided for any variable", "count"}},
      {"an integer with a gradient",
       [](Graph& g) {
         Variable count(g, 0, {.name = "count"});
         GradientDescentOptimizer(0.5).ApplyGradients(
             std::vector<GradientAndVariable>{{Gradient{.dense = Const(g, 1.0f)}, count}});
       },
       kInvalid,
       {"count", "int32"}},
      {"an integer loss",
       [](Graph& g) { GradientDescentOptimizer(0.5).Minimize(Variable(g, 0)); },
       kInvalid,
       {"Invalid type int32 for loss"}},
      {"a gradient of another shape",
       [](Graph& g) {
         Variable w(g, {1.0f, 2.0f}, {.name = "w"});
         AdamOptimizer().ApplyGradients(
             std::vector<GradientAndVariable>{{Gradient{.dense = Const(g, {1.0f})}, w}});
       },
       kInvalid,
       {"ApplyAdam", "[2]", "[1]"}},
  });
}

}  // namespace
}  // namespace headrace::bad_input
