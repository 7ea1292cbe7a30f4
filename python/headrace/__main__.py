"""`python -m headrace PROG` and `python -m headrace run PROG`: what the command `headrace` does."""
import sys

from headrace.runner.cli import headrace_command

if __name__ == '__main__':
    sys.exit(headrace_command(sys.argv[1:]))
