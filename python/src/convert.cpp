#include "convert.h"

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <nanobind/stl/string.h>
#include <numpy/arrayobject.h>

#include <cstring>

#include "headrace/base/strings.h"

namespace headrace::python {
namespace {

nb::object& ErrorFactory() {
  static nb::object& factory = *new nb::object;
  return factory;
}

// NumPy's type of a dtype; -1 where NumPy has none.
int NumPyType(DType type) {
  switch (type) {
    case DType::kFloat32: return NPY_FLOAT32;
    case DType::kFloat64: return NPY_FLOAT64;
    case DType::kFloat16: return NPY_FLOAT16;
    case DType::kInt8:
    case DType::kQInt8: return NPY_INT8;
    case DType::kInt16:
    case DType::kQInt16: return NPY_INT16;
    case DType::kInt32:
    case DType::kQInt32: return NPY_INT32;
    case DType::kInt64: return NPY_INT64;
    case DType::kUInt8:
    case DType::kQUInt8: return NPY_UINT8;
    case DType::kUInt16:
    case DType::kQUInt16: return NPY_UINT16;
    case DType::kUInt32: return NPY_UINT32;
    case DType::kUInt64: return NPY_UINT64;
    case DType::kBool: return NPY_BOOL;
    case DType::kComplex64: return NPY_COMPLEX64;
    case DType::kComplex128: return NPY_COMPLEX128;
    case DType::kString: return NPY_OBJECT;
    default: return -1;
  }
}

DType FromNumPyType(int type) {
  switch (type) {
    case NPY_FLOAT32: return DType::kFloat32;
    case NPY_FLOAT64: return DType::kFloat64;
    case NPY_FLOAT16: return DType::kFloat16;
    case NPY_INT8: return DType::kInt8;
    case NPY_INT16: return DType::kInt16;
    case NPY_INT32: return DType::kInt32;
    case NPY_UINT8: return DType::kUInt8;
    case NPY_UINT16: return DType::kUInt16;
    case NPY_UINT32: return DType::kUInt32;
    case NPY_BOOL: return DType::kBool;
    case NPY_COMPLEX64: return DType::kComplex64;
    case NPY_COMPLEX128: return DType::kComplex128;
    case NPY_OBJECT:
    case NPY_STRING:
    case NPY_UNICODE: return DType::kString;
    default: break;
  }
  // "long" and "long long" are two types of one size.
  if (type == NPY_LONG || type == NPY_LONGLONG) return DType::kInt64;
  if (type == NPY_ULONG || type == NPY_ULONGLONG) return DType::kUInt64;
  return DType::kInvalid;
}

Shape ShapeOf(PyArrayObject* array) {
  const int rank = PyArray_NDIM(array);
  if (rank > kMaxRank) {
    throw nb::value_error(StrCat("an array of rank ", rank, " is given; tensors have at most rank ", kMaxRank).c_str());
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.Append(PyArray_DIM(array, i));
  return shape;
}

void ReleaseObject(void* object) {
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(object));
  PyGILState_Release(state);
}

std::string TypeName(nb::handle value) {
  return nb::cast<std::string>(value.type().attr("__name__"));
}

std::string ToBytes(PyObject* item) {
  if (PyBytes_Check(item)) return {PyBytes_AsString(item), static_cast<size_t>(PyBytes_Size(item))};
  if (PyUnicode_Check(item)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item, &size);
    if (text == nullptr) throw nb::python_error();
    return {text, static_cast<size_t>(size)};
  }
  const nb::str shown = nb::repr(nb::handle(item));
  throw nb::type_error(StrCat("Expected binary or unicode string, got ", shown.c_str()).c_str());
}

Tensor StringTensor(PyArrayObject* array) {
  Tensor tensor(DType::kString, ShapeOf(array));
  std::string* out = tensor.data<std::string>();
  nb::object flat = nb::steal(PyArray_IterNew(reinterpret_cast<PyObject*>(array)));
  if (!flat.is_valid()) throw nb::python_error();
  auto* it = reinterpret_cast<PyArrayIterObject*>(flat.ptr());
  while (PyArray_ITER_NOTDONE(it)) {
    nb::object item = nb::steal(PyArray_GETITEM(array, static_cast<char*>(PyArray_ITER_DATA(it))));
    if (!item.is_valid()) throw nb::python_error();
    *out++ = ToBytes(item.ptr());
    PyArray_ITER_NEXT(it);
  }
  return tensor;
}

void CheckRange(nb::handle value, DType type) {
  const int bits = static_cast<int>(SizeOf(type)) * 8;
  const bool is_unsigned = type == DType::kUInt8 || type == DType::kUInt16 || type == DType::kUInt32 || type == DType::kUInt64;
  int overflow = 0;
  const int64_t number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  bool fits = overflow == 0;
  if (bits == 64) {
    if (is_unsigned) fits = number >= 0 || overflow > 0;
  } else if (is_unsigned) {
    fits = fits && number >= 0 && number < int64_t{1} << bits;
  } else {
    fits = fits && number >= -(int64_t{1} << (bits - 1)) && number < int64_t{1} << (bits - 1);
  }
  if (!fits) {
    throw nb::type_error(StrCat("the value ", nb::str(value).c_str(), " does not fit ", DTypeName(type),
                                ": a larger type (int64) would hold it").c_str());
  }
}

// A counted tensor over the array's bytes; takes over the reference.
Tensor WrapArray(PyArrayObject* array, DType type) {
  const Shape shape = ShapeOf(array);
  Buffer* buffer = Buffer::Wrap(PyArray_DATA(array), static_cast<size_t>(PyArray_NBYTES(array)), ReleaseObject, array);
  return Tensor::Adopt(type, shape, buffer);
}

constexpr int64_t kCopyBelowBytes = 2048;  // to copy few bytes is cheaper than to keep track of them

void ReleaseTensor(PyObject* capsule) {
  delete static_cast<Tensor*>(PyCapsule_GetPointer(capsule, nullptr));
}

nb::object StringArray(const Tensor& tensor) {
  npy_intp dims[kMaxRank];
  for (int i = 0; i < tensor.rank(); ++i) dims[i] = tensor.dim(i);
  nb::object array = nb::steal(PyArray_SimpleNew(tensor.rank(), dims, NPY_OBJECT));
  if (!array.is_valid()) throw nb::python_error();
  auto** out = static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
  for (const std::string& text : tensor.flat<std::string>()) {
    PyObject* bytes = PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    Py_XDECREF(*out);
    *out++ = bytes;
  }
  return array;
}

template <class List, class Convert>
List ToList(nb::handle value, Convert convert) {
  List list;
  if (nb::isinstance<nb::str>(value) || !PySequence_Check(value.ptr())) {
    list.push_back(convert(value));
    return list;
  }
  for (nb::handle item : value) list.push_back(convert(item));
  return list;
}

template <class T>
nb::object FromList(const std::vector<T>& values) {
  nb::list list;
  for (const T& value : values) list.append(ToPython(AttrValue(value)));
  return list;
}

int64_t ToInt(nb::handle value) {
  nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const int64_t number = PyLong_AsLongLong(index.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

float ToFloat(nb::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return static_cast<float>(number);
}

bool ToBool(nb::handle value) {
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

DType ToType(nb::handle value) {
  return static_cast<DType>(ToInt(value));
}

FunctionRef ToFunction(nb::handle value) {
  return FunctionRef{.name = ToBytes(value.ptr()), .attrs = nullptr};
}

}  // namespace

Handle ToHandle(Output output) {
  return output.valid() ? static_cast<Handle>(output.node->id()) << kIndexBits | output.index : -1;
}

Node* NodeOf(Graph& graph, int64_t id) {
  if (id < 0 || id >= graph.num_nodes()) {
    throw nb::index_error(StrCat("node ", id, " is not in the graph, which has ", graph.num_nodes(), " nodes").c_str());
  }
  return graph.node(static_cast<int>(id));
}

Output FromHandle(Graph& graph, Handle handle) {
  if (handle == -1) return {};
  Node* node = NodeOf(graph, handle >> kIndexBits);
  const int index = static_cast<int>(handle & ((1 << kIndexBits) - 1));
  if (index >= node->num_outputs()) {
    throw nb::index_error(StrCat(node->Describe(), " has ", node->num_outputs(), " outputs, not ", index + 1).c_str());
  }
  return node->output(index);
}

std::vector<Output> FromHandles(Graph& graph, const nb::sequence& handles) {
  std::vector<Output> outputs;
  for (nb::handle handle : handles) outputs.push_back(FromHandle(graph, nb::cast<Handle>(handle)));
  return outputs;
}

Gradient ToGradient(Graph& graph, nb::handle value) {
  Gradient gradient;
  if (value.is_none()) return gradient;
  if (nb::isinstance<nb::tuple>(value)) {
    gradient.slices = IndexedSlices{.values = FromHandle(graph, nb::cast<Handle>(value[0])),
                                    .indices = FromHandle(graph, nb::cast<Handle>(value[1])),
                                    .dense_shape = FromHandle(graph, nb::cast<Handle>(value[2]))};
  } else {
    gradient.dense = FromHandle(graph, nb::cast<Handle>(value));
  }
  return gradient;
}

void SetErrorFactory(nb::object factory) {
  ErrorFactory() = std::move(factory);
}

void Throw(const Status& status) {
  const std::string message(status.message());
  nb::object& factory = ErrorFactory();
  if (!factory.is_valid()) throw std::runtime_error(message);
  // Messages are UTF-8; a file name in one may not be.
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  nb::object error = factory(static_cast<int>(status.code()), text);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

void ImportNumPy() {
  if (_import_array() < 0) throw nb::python_error();
}

Tensor ToTensor(nb::handle value, DType type) {
  if (PyArray_Check(value.ptr())) [[likely]] {
    auto* array = reinterpret_cast<PyArrayObject*>(value.ptr());
    const DType have = FromNumPyType(PyArray_TYPE(array));
    if (have != DType::kString && (have == type || (type == DType::kInvalid && have != DType::kInvalid)) &&
        PyArray_ISCARRAY_RO(array)) {
      Py_INCREF(value.ptr());
      return WrapArray(array, have);
    }
  }
  const int wanted = type == DType::kInvalid ? -1 : NumPyType(type);
  if (type == DType::kBFloat16) {
    const Tensor single = ToTensor(value, DType::kFloat32);
    Tensor tensor(DType::kBFloat16, single.shape());
    for (int64_t i = 0; i < single.num_elements(); ++i) tensor.data<BFloat16>()[i] = BFloat16(single.data<float>()[i]);
    return tensor;
  }
  if (type != DType::kInvalid && wanted < 0) {
    throw nb::type_error(StrCat("there is no NumPy array for a tensor of ", DTypeName(type)).c_str());
  }
  PyArray_Descr* descr = nullptr;
  // Strings item by item: NumPy would cut zeros off, and not mix text with bytes.
  if (wanted >= 0 && (type != DType::kString || !PyArray_Check(value.ptr()))) descr = PyArray_DescrFromType(wanted);
  // A Python number that the dtype cannot hold is an error, not a wrapped value.
  if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr()) && IsInteger(type)) CheckRange(value, type);
  constexpr int kFlags = NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST | NPY_ARRAY_NOTSWAPPED;
  nb::object object = nb::steal(PyArray_FromAny(value.ptr(), descr, 0, 0, kFlags, nullptr));
  if (!object.is_valid()) throw nb::python_error();
  auto* array = reinterpret_cast<PyArrayObject*>(object.ptr());
  const DType have = FromNumPyType(PyArray_TYPE(array));
  if (have == DType::kInvalid) {
    throw nb::type_error(
        StrCat("there is no tensor for a NumPy array of ", nb::str(nb::handle(reinterpret_cast<PyObject*>(PyArray_DESCR(array)))).c_str()).c_str());
  }
  if (have == DType::kString) return StringTensor(array);
  if (type == DType::kString) {  // the bytes of numbers are no strings
    throw nb::type_error(StrCat("Expected string, got a NumPy array of ", DTypeName(have)).c_str());
  }
  object.release();
  return WrapArray(array, type == DType::kInvalid ? have : type);
}

nb::object ToPython(Tensor tensor) {
  if (!tensor.valid()) return nb::none();
  if (tensor.dtype() == DType::kString) {
    if (tensor.rank() > 0) return StringArray(tensor);
    const std::string& text = tensor.scalar<std::string>();
    return nb::bytes(text.data(), text.size());
  }
  if (tensor.dtype() == DType::kBFloat16) {  // NumPy has no such type: what holds every value of it
    Tensor single(DType::kFloat32, tensor.shape());
    for (int64_t i = 0; i < tensor.num_elements(); ++i)
      single.data<float>()[i] = static_cast<float>(tensor.data<BFloat16>()[i]);
    return ToPython(std::move(single));
  }
  const int type = NumPyType(tensor.dtype());
  if (type < 0) {
    throw nb::type_error(StrCat("a tensor of ", DTypeName(tensor.dtype()), " cannot be fetched: NumPy has no such type").c_str());
  }
  if (tensor.rank() == 0) {
    PyArray_Descr* descr = PyArray_DescrFromType(type);
    PyObject* scalar = PyArray_Scalar(tensor.raw_data(), descr, nullptr);
    Py_DECREF(descr);
    if (scalar == nullptr) throw nb::python_error();
    return nb::steal(scalar);
  }
  npy_intp dims[kMaxRank];
  for (int i = 0; i < tensor.rank(); ++i) dims[i] = tensor.dim(i);
  const auto size = static_cast<int64_t>(tensor.size_bytes());
  // Bytes that a feed lent, or that a variable holds, stay theirs.
  const bool ours = tensor.unique() && tensor.buffer()->allocator() != nullptr;
  if (size <= kCopyBelowBytes || !ours) {
    nb::object array = nb::steal(PyArray_SimpleNew(tensor.rank(), dims, type));
    if (!array.is_valid()) throw nb::python_error();
    std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())), tensor.raw_data(), static_cast<size_t>(size));
    return array;
  }
  void* data = tensor.raw_data();
  const int rank = tensor.rank();
  nb::object capsule = nb::steal(PyCapsule_New(new Tensor(std::move(tensor)), nullptr, ReleaseTensor));
  nb::object array = nb::steal(PyArray_SimpleNewFromData(rank, dims, type, data));
  if (!array.is_valid() || !capsule.is_valid()) throw nb::python_error();
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array.ptr()), capsule.release().ptr()) < 0) {
    throw nb::python_error();
  }
  return array;
}

nb::object ToPython(const PartialShape& shape) {
  if (!shape.has_rank()) return nb::none();
  PyObject* tuple = PyTuple_New(shape.rank());
  for (int i = 0; i < shape.rank(); ++i) PyTuple_SetItem(tuple, i, PyLong_FromLongLong(shape.dim(i)));
  return nb::steal(tuple);
}

PartialShape ToShape(nb::handle shape) {
  if (shape.is_none()) return {};
  std::vector<int64_t> dims;
  for (nb::handle dim : shape) dims.push_back(dim.is_none() ? PartialShape::kUnknown : ToInt(dim));
  return Get(PartialShape::Make(dims));
}

nb::object ToPython(const AttrValue& value) {
  switch (value.kind()) {
    case AttrKind::kString: {
      const std::string& text = *value.As<std::string>();
      return nb::bytes(text.data(), text.size());
    }
    case AttrKind::kInt: return nb::int_(*value.As<int64_t>());
    case AttrKind::kFloat: return nb::float_(*value.As<float>());
    case AttrKind::kBool: return nb::bool_(*value.As<bool>());
    case AttrKind::kType: return nb::int_(static_cast<int>(*value.As<DType>()));
    case AttrKind::kShape: return ToPython(*value.As<PartialShape>());
    case AttrKind::kTensor: return ToPython(*value.As<Tensor>());
    case AttrKind::kFunction: return nb::str(value.As<FunctionRef>()->name.c_str());
    case AttrKind::kStringList: return FromList(*value.As<AttrValue::Strings>());
    case AttrKind::kIntList: return FromList(*value.As<AttrValue::Ints>());
    case AttrKind::kFloatList: return FromList(*value.As<AttrValue::Floats>());
    case AttrKind::kTypeList: return FromList(*value.As<AttrValue::Types>());
    case AttrKind::kShapeList: return FromList(*value.As<AttrValue::Shapes>());
    case AttrKind::kTensorList: return FromList(*value.As<AttrValue::Tensors>());
    case AttrKind::kFunctionList: return FromList(*value.As<AttrValue::Functions>());
    case AttrKind::kBoolList: {
      nb::list list;
      for (bool item : *value.As<AttrValue::Bools>()) list.append(nb::bool_(item));
      return list;
    }
    case AttrKind::kNone: break;
  }
  return nb::none();
}

AttrValue ToAttr(nb::handle value, AttrKind kind, std::string_view name) {
  switch (kind) {
    case AttrKind::kString: return ToBytes(value.ptr());
    case AttrKind::kInt: return ToInt(value);
    case AttrKind::kFloat: return ToFloat(value);
    case AttrKind::kBool: return ToBool(value);
    case AttrKind::kType: return ToType(value);
    case AttrKind::kShape: return ToShape(value);
    case AttrKind::kTensor:
      if (PyTuple_Check(value.ptr())) return ToTensor(value[0], ToType(value[1]));  // (array, dtype)
      return ToTensor(value, DType::kInvalid);
    case AttrKind::kFunction: return ToFunction(value);
    case AttrKind::kStringList:
      return ToList<AttrValue::Strings>(value, [](nb::handle item) { return ToBytes(item.ptr()); });
    case AttrKind::kIntList: return ToList<AttrValue::Ints>(value, ToInt);
    case AttrKind::kFloatList: return ToList<AttrValue::Floats>(value, ToFloat);
    case AttrKind::kBoolList: return ToList<AttrValue::Bools>(value, ToBool);
    case AttrKind::kTypeList: return ToList<AttrValue::Types>(value, ToType);
    case AttrKind::kShapeList: return ToList<AttrValue::Shapes>(value, ToShape);
    case AttrKind::kTensorList:
      return ToList<AttrValue::Tensors>(value, [](nb::handle item) { return ToTensor(item, DType::kInvalid); });
    case AttrKind::kFunctionList: return ToList<AttrValue::Functions>(value, ToFunction);
    case AttrKind::kNone: break;
  }
  if (PyBool_Check(value.ptr())) return ToBool(value);
  if (PyLong_Check(value.ptr())) return ToInt(value);
  if (PyFloat_Check(value.ptr())) return ToFloat(value);
  if (PyBytes_Check(value.ptr()) || PyUnicode_Check(value.ptr())) return ToBytes(value.ptr());
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    nb::object first = nb::len(value) == 0 ? nb::object() : nb::object(value[0]);
    if (!first.is_valid() || PyBytes_Check(first.ptr()) || PyUnicode_Check(first.ptr()))
      return ToAttr(value, AttrKind::kStringList, name);
    if (PyFloat_Check(first.ptr())) return ToAttr(value, AttrKind::kFloatList, name);
    return ToAttr(value, AttrKind::kIntList, name);
  }
  throw nb::type_error(StrCat("attribute '", name, "' cannot hold a ", TypeName(value)).c_str());
}

Location ToLocation(std::string_view file, uint32_t line) {
  return line == 0 ? Location{} : Location::Of(file, line);
}

}  // namespace headrace::python
