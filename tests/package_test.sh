#!/usr/bin/env bash
# Installs the library into a fresh folder, builds an op outside the tree and the program of README.md against it, runs them,
# and looks at what the library exports. usage: package_test.sh BUILD_DIR SOURCE_DIR
set -uo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() {  # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; tail -30 "$work/log"; fi
}
library() { ls "$work"/prefix/lib*/libheadrace.so "$work"/prefix/lib*/*/libheadrace.so 2>/dev/null | head -1; }
no_messages() { ! nm -D --defined-only --demangle "$1" | grep -E 'google::|headrace::proto'; }
no_foreign_exports() {
  ! nm -D --defined-only --demangle "$1" | grep -E ' [TWVBDR] ' | grep -vE ' (headrace::|typeinfo (name )?for headrace::|vtable for headrace::|VTT for headrace|non-virtual thunk to headrace|guard variable for headrace|headrace_)'
}
check install cmake --install "$build" --prefix "$work/prefix"
check "run the installed tool" "$work/prefix/bin/headrace" devices
check configure cmake -S "$source/examples/custom_op" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release
check build cmake --build "$work/build" -j 2
check run "$work/build/custom_op"
mkdir "$work/readme"
block() { awk -v lang="$1" '$0 == "```" lang && !n { on = 1; n = 1; next } $0 == "```" { on = 0 } on' "$source/README.md"; }
{ block cpp && cat "$source/tests/package/beside.cpp"; } >"$work/readme/trainer.cpp"
cat >"$work/readme/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(my_trainer LANGUAGES CXX)
find_package(Protobuf REQUIRED)
find_package(ZLIB REQUIRED)
add_executable(my_trainer trainer.cpp)
$(block cmake)
target_link_libraries(my_trainer PRIVATE protobuf::libprotobuf ZLIB::ZLIB)
END
check "configure the program of README.md" cmake -S "$work/readme" -B "$work/readme/build" -DCMAKE_PREFIX_PATH="$work/prefix"
check "build it" cmake --build "$work/readme/build"
check "run it" sh -c "cd '$work/readme' && build/my_trainer && ls model.ckpt-1000.index"
check "exports only its own namespace" no_foreign_exports "$(library)"
check "exports no protocol buffers" no_messages "$(library)"
check "no protocol buffers in public headers" sh -c "! grep -rlE 'google/protobuf|\\.pb\\.h|oneapi/dnnl' '$work/prefix/include' | grep -v kernel/cpu"
echo "package: $passed passed, $failed failed"
[ $failed -eq 0 ]
