// The update rules, written once for a type of values V: a vector register, or one element (16-bit
// floats round after each step, as TensorFlow's do). No include guard and no namespace of its own
// beyond the target's: included by apply_rules_cpu.cpp only, once for each instruction set.
//
// r: variable and slots; g: gradient; c: constants as each rule's Prepare leaves them.

struct GradientDescent {
  static constexpr int kRefs = 1;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0];
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[0] = r[0] - g * c[0];
  }
};

template <bool kNesterov>
struct Momentum {  // lr, momentum
  static constexpr int kRefs = 2;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0], c[1] = s[1];
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] * c[1] + g;
    r[0] = kNesterov ? r[0] - (g * c[0] + r[1] * c[1] * c[0]) : r[0] - r[1] * c[0];
  }
};

template <bool kNesterov>
struct KerasMomentum {  // lr, momentum; the rate is in the slot
  static constexpr int kRefs = 2;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0], c[1] = s[1];
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] * c[1] - g * c[0];
    r[0] = kNesterov ? r[0] + (r[1] * c[1] - g * c[0]) : r[0] + r[1];
  }
};

template <bool kUpdateSlots>
struct Adagrad {  // lr
  static constexpr int kRefs = 2;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0];
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    if (kUpdateSlots) r[1] = r[1] + g * g;
    r[0] = r[0] - g * c[0] / Sqrt(r[1]);
  }
};

template <bool kUpdateSlots>
struct AdagradV2 {  // lr, epsilon
  static constexpr int kRefs = 2;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0], c[1] = s[1];
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    if (kUpdateSlots) r[1] = r[1] + g * g;
    r[0] = r[0] - g * c[0] / (Sqrt(r[1]) + c[1]);
  }
};

// An l1 that is not above 0 stands for no threshold, in TensorFlow's kernels too.
template <class T>
T PositivePart(T x) {
  return x > T(0.0f) ? x : T(0.0f);
}

struct AdagradDA {  // lr, l1, l2, global_step
  static constexpr int kRefs = 3;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0];
    c[1] = T(PositivePart(s[1]) * s[3]);
    c[2] = T(T(s[2] * s[3]) * s[0]);
    c[3] = T(0.0f);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] + g;
    r[2] = r[2] + g * g;
    r[0] = (c[3] - c[0]) * (Sign(r[1]) * Max(Abs(r[1]) - c[1], c[3])) / (c[2] + Sqrt(r[2]));
  }
};

struct Adadelta {  // lr, rho, epsilon
  static constexpr int kRefs = 3;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0], c[1] = s[1], c[2] = s[2], c[3] = T(T(1.0f) - s[1]);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] * c[1] + g * g * c[3];
    const V update = Sqrt(r[2] + c[2]) / Sqrt(r[1] + c[2]) * g;
    r[0] = r[0] - update * c[0];
    r[2] = r[2] * c[1] + update * update * c[3];
  }
};

template <bool kSparse>
struct RmsProp {  // lr, rho, momentum, epsilon
  static constexpr int kRefs = 3;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0], c[1] = s[1], c[2] = s[2], c[3] = s[3], c[4] = T(T(1.0f) - s[1]);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = kSparse ? r[1] * c[1] + g * g * c[4] : r[1] + (g * g - r[1]) * c[4];
    r[2] = r[2] * c[2] + g * c[0] / Sqrt(r[1] + c[3]);
    r[0] = r[0] - r[2];
  }
};

template <bool kSparse>
struct CenteredRmsProp {  // lr, rho, momentum, epsilon; r: var, mg, ms, mom
  static constexpr int kRefs = 4;
  template <class T>
  static void Prepare(const T* s, T* c) {
    RmsProp<kSparse>::Prepare(s, c);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    if (kSparse) {
      r[2] = r[2] * c[1] + g * g * c[4];
      r[1] = r[1] * c[1] + g * c[4];
    } else {
      r[2] = r[2] + (g * g - r[2]) * c[4];
      r[1] = r[1] + (g - r[1]) * c[4];
    }
    const V denominator = r[2] - r[1] * r[1] + c[3];
    r[3] = r[3] * c[2] + g * c[0] / Sqrt(denominator);
    r[0] = r[0] - r[3];
  }
};

template <bool kNesterov>
struct Adam {  // beta1_power, beta2_power, lr, beta1, beta2, epsilon
  static constexpr int kRefs = 3;
  template <class T>
  static void Prepare(const T* s, T* c) {
    const T one(1.0f);
    c[0] = T(T(s[2] * SqrtOf(T(one - s[1]))) / T(one - s[0]));
    c[1] = T(one - s[3]);
    c[2] = T(one - s[4]);
    c[3] = s[5];
    c[4] = s[3];
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] + (g - r[1]) * c[1];
    r[2] = r[2] + (g * g - r[2]) * c[2];
    const V moved = kNesterov ? g * c[1] + c[4] * r[1] : r[1];
    r[0] = r[0] - moved * c[0] / (Sqrt(r[2]) + c[3]);
  }
};

struct AdamWithAmsgrad {  // as Adam; r: var, m, v, vhat
  static constexpr int kRefs = 4;
  template <class T>
  static void Prepare(const T* s, T* c) {
    Adam<false>::Prepare(s, c);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] + (g - r[1]) * c[1];
    r[2] = r[2] + (g * g - r[2]) * c[2];
    r[3] = Max(r[3], r[2]);
    r[0] = r[0] - r[1] * c[0] / (Sqrt(r[3]) + c[3]);
  }
};

struct AdaMax {  // beta1_power, lr, beta1, beta2, epsilon
  static constexpr int kRefs = 3;
  template <class T>
  static void Prepare(const T* s, T* c) {
    const T one(1.0f);
    c[0] = T(s[1] / T(one - s[0]));
    c[1] = T(one - s[2]);
    c[2] = s[3];
    c[3] = s[4];
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] + (g - r[1]) * c[1];
    r[2] = Max(c[2] * r[2], Abs(g));
    r[0] = r[0] - c[0] * (r[1] / (r[2] + c[3]));
  }
};

template <bool kPower>
struct SignRule {  // lr, alpha or logbase, sign_decay, beta
  static constexpr int kRefs = 2;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0];
    c[1] = kPower ? T(s[1] * s[2]) : s[1];
    c[2] = s[2];
    c[3] = s[3];
    c[4] = T(T(1.0f) - s[3]);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] * c[3] + g * c[4];
    const V agree = Sign(g) * Sign(r[1]);
    const V scale = kPower ? Exp(c[1] * agree) : c[1] + c[2] * agree;
    r[0] = r[0] - c[0] * scale * g;
  }
};

// kRoot: lr_power is -0.5. kV2: with shrinkage.
template <bool kV2, bool kRoot>
struct Ftrl {  // lr, l1, l2, [l2_shrinkage,] lr_power; r: var, accum, linear
  static constexpr int kRefs = 3;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0];
    c[1] = s[1];
    c[2] = T(T(2.0f) * s[2]);
    c[3] = T(T(0.0f) - s[kV2 ? 4 : 3]);
    c[4] = kV2 ? T(T(2.0f) * s[3]) : T(0.0f);
    c[5] = T(0.0f);
  }
  template <class V>
  static V Power(V x, const V* c) {
    return kRoot ? Sqrt(x) : Pow(x, c[3]);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    const V shrunk = kV2 ? g + c[4] * r[0] : g;
    const V accum = r[1] + g * g;
    const V power = Power(accum, c);
    r[2] = r[2] + (shrunk - (power - Power(r[1], c)) / c[0] * r[0]);
    const V x = c[1] * Sign(r[2]) - r[2];
    const V y = power / c[0] + c[2];
    r[0] = SelectGreater(Abs(r[2]), c[1], x / y, c[5]);
    r[1] = accum;
  }
};

struct ProximalGradientDescent {  // alpha, l1, l2
  static constexpr int kRefs = 1;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0];
    c[1] = T(s[0] * PositivePart(s[1]));
    c[2] = T(T(1.0f) + T(s[2] * s[0]));
    c[3] = T(0.0f);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    const V moved = r[0] - g * c[0];
    r[0] = Sign(moved) * Max(Abs(moved) - c[1], c[3]) / c[2];
  }
};

struct ProximalAdagrad {  // lr, l1, l2
  static constexpr int kRefs = 2;
  template <class T>
  static void Prepare(const T* s, T* c) {
    c[0] = s[0], c[1] = s[1], c[2] = s[2], c[3] = T(0.0f), c[4] = T(1.0f);
  }
  template <class V>
  static void Step(V* r, V g, const V* c) {
    r[1] = r[1] + g * g;
    const V rate = c[0] / Sqrt(r[1]);
    const V moved = r[0] - g * rate;
    r[0] = Sign(moved) * Max(Abs(moved) - rate * c[1], c[3]) / (c[4] + c[2] * rate);
  }
};
