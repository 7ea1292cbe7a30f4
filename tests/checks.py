"""What the Python tests share: named checks that are counted, and programs that are run."""
import subprocess
import sys


class Checks:
    """Collects results; finish() prints one closing line and returns the exit code."""

    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def check(self, what, ok, detail=""):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what} {detail}")
        return ok

    def finish(self):
        print(f"{self.name}: {self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def run(*command, env=None, timeout=600):
    """Exit code, standard output and standard error of a program."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=env, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def main(test):
    sys.exit(test(*sys.argv[1:]).finish())
