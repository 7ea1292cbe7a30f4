#include "interrupt.h"

#include <Python.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <mutex>
#include <thread>

namespace headrace::python {
namespace {

// A signal handler may do little: ours wakes a thread, which cancels the step. All of this belongs to one process: a child of
// a fork starts its own thread.
struct Watch {
  std::mutex mutex;
  Cancellation* run = nullptr;
  int wake = -1;
  pid_t process = 0;
};

Watch& TheWatch() {
  static Watch& watch = *new Watch;
  return watch;
}

struct sigaction program_action;  // what was installed before ours: Python's
int wake_fd = -1;

void OnInterrupt(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const uint64_t one = 1;
  if (wake_fd >= 0 && write(wake_fd, &one, sizeof one) < 0) {
    // full: the thread wakes anyway
  }
  errno = saved;
  if ((program_action.sa_flags & SA_SIGINFO) != 0) {
    program_action.sa_sigaction(signal, info, context);
  } else if (program_action.sa_handler != SIG_DFL && program_action.sa_handler != SIG_IGN) {
    program_action.sa_handler(signal);
  }
}

void WatchForInterrupts(int fd) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  uint64_t count = 0;
  while (true) {
    if (read(fd, &count, sizeof count) < 0) continue;
    Watch& watch = TheWatch();
    std::lock_guard lock(watch.mutex);
    if (watch.run != nullptr) watch.run->Cancel(absl::CancelledError("interrupted by SIGINT"));
  }
}

// True if SIGINT reaches us from now on.
bool Install(Watch& watch) {
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0) return false;
  const bool ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == OnInterrupt;
  if (!ours) {
    // The default action ends the process, an ignored signal stays ignored.
    if ((now.sa_flags & SA_SIGINFO) == 0 && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) return false;
    program_action = now;
  }
  if (watch.process != getpid()) {
    watch.wake = eventfd(0, EFD_CLOEXEC);
    if (watch.wake < 0) return false;
    watch.process = getpid();
    wake_fd = watch.wake;
    std::thread(WatchForInterrupts, watch.wake).detach();
  }
  if (!ours) {
    struct sigaction action = now;
    action.sa_sigaction = OnInterrupt;
    action.sa_flags = (now.sa_flags & ~SA_RESTART) | SA_SIGINFO;
    if (sigaction(SIGINT, &action, nullptr) != 0) return false;
  }
  return true;
}

bool OnMainThread() {
  static const pthread_t main_thread = [] {
    // The module may be imported on any thread; Python's main thread is the process's first.
    return getpid() == gettid() ? pthread_self() : pthread_t();
  }();
  return main_thread != pthread_t() ? pthread_equal(main_thread, pthread_self()) != 0 : getpid() == gettid();
}

}  // namespace

InterruptGuard::InterruptGuard(Cancellation& run) {
  if (!OnMainThread()) return;
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  if (!Install(watch)) return;
  outer_ = watch.run;
  watch.run = &run;
  watching_ = true;
}

InterruptGuard::~InterruptGuard() {
  if (!watching_) return;
  Watch& watch = TheWatch();
  std::lock_guard lock(watch.mutex);
  watch.run = outer_;
}

}  // namespace headrace::python
