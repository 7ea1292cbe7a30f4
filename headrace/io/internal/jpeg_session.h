// What reading and writing a JPEG share: the library's errors, which come back by longjmp, so that functions which call
// setjmp hold nothing that has a destructor.
#pragma once

#include <csetjmp>
#include <cstddef>  // before jpeglib.h, which uses size_t and FILE
#include <cstdio>

#include <jpeglib.h>

namespace headrace {

struct JpegErrors : jpeg_error_mgr {
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX] = "";
};

// Sets up `errors` such that an error ends the Guarded call, and warnings are silent.
jpeg_error_mgr* CatchJpegErrors(JpegErrors& errors);

// False if `body` ended with an error. `body` and what it calls hold nothing that has a destructor.
template <class Body>
bool JpegGuarded(JpegErrors& errors, const Body& body) {
  if (setjmp(errors.back)) return false;
  body();
  return true;
}

}  // namespace headrace
