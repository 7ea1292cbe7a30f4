#include "interrupt.h"

#include <Python.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <mutex>
#include <new>
#include <thread>

namespace headrace::python {
namespace {

// A signal handler may do little: ours wakes a thread, which cancels the step. All of this belongs to one process: a child of
// a fork starts its own thread.
//
// A program may set another handler at any time, and to ask the system for the handler costs as much as the rest of a small
// step's bookkeeping. So steps that follow each other do not ask; the thread does, every kCheckEvery while there are steps. It
// sleeps when there are none, and the next step asks and wakes it.
struct Watch {
  std::mutex mutex;
  Cancellation* run = nullptr;
  uint64_t runs = 0;       // so far
  bool checking = false;   // by the thread
  bool installed = false;  // our handler, when it was looked at last
  bool started = false;    // the thread, in this process
};

constexpr int kCheckEveryMs = 200;
constexpr uint64_t kInterrupt = 1, kWake = uint64_t{1} << 32;  // what is written to the thread's event

Watch& TheWatch() {
  static Watch& watch = *new Watch;
  return watch;
}

struct sigaction program_action;  // what was installed before ours: Python's
int wake_fd = -1;

void Wake(uint64_t what) {
  if (wake_fd >= 0 && write(wake_fd, &what, sizeof what) < 0) {
    // full: the thread wakes anyway
  }
}

void OnInterrupt(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  Wake(kInterrupt);
  errno = saved;
  if ((program_action.sa_flags & SA_SIGINFO) != 0) {
    program_action.sa_sigaction(signal, info, context);
  } else if (program_action.sa_handler != SIG_DFL && program_action.sa_handler != SIG_IGN) {
    program_action.sa_handler(signal);
  }
}

// True if SIGINT reaches us from now on.
bool InstallHandler() {
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0) return false;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == OnInterrupt) return true;
  // The default action ends the process, an ignored signal stays ignored.
  if ((now.sa_flags & SA_SIGINFO) == 0 && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) return false;
  program_action = now;
  struct sigaction action = now;
  action.sa_sigaction = OnInterrupt;
  action.sa_flags = (now.sa_flags & ~SA_RESTART) | SA_SIGINFO;
  return sigaction(SIGINT, &action, nullptr) == 0;
}

void WatchForInterrupts(int fd) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  Watch& watch = TheWatch();
  uint64_t seen = 0;
  bool checking = true;
  while (true) {
    pollfd event{fd, POLLIN, 0};
    const int woken = poll(&event, 1, checking ? kCheckEveryMs : -1);
    uint64_t what = 0;
    if (woken > 0 && read(fd, &what, sizeof what) < 0) continue;
    std::lock_guard lock(watch.mutex);
    if (what % kWake != 0 && watch.run != nullptr) watch.run->Cancel(absl::CancelledError("interrupted by SIGINT"));
    if (woken == 0) {
      if (watch.run != nullptr) watch.installed = InstallHandler();
      if (watch.run == nullptr && watch.runs == seen) watch.checking = false;
      seen = watch.runs;
    }
    checking = watch.checking;
  }
}

void InChild() {
  Watch& watch = TheWatch();
  new (&watch.mutex) std::mutex;  // another thread of the parent may have held it
  watch.run = nullptr;
  watch.checking = watch.started = false;
}

// The thread that is woken by the handler and looks after it.
bool StartThread(Watch& watch) {
  if (watch.started) return true;
  static const int at_fork = pthread_atfork(nullptr, nullptr, InChild);
  const int fd = eventfd(0, EFD_CLOEXEC);
  if (at_fork != 0 || fd < 0) return false;
  wake_fd = fd;
  std::thread(WatchForInterrupts, fd).detach();
  return watch.started = true;
}

// True if SIGINT ends the steps from now on.
bool Install(Watch& watch) {
  if (watch.checking && watch.installed) [[likely]] return true;
  watch.installed = InstallHandler();
  if (!watch.installed || !StartThread(watch)) return false;
  watch.checking = true;
  Wake(kWake);
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
  ++watch.runs;
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
