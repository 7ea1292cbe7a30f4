"""`python -m headrace.run PROG ARGS`: runs a program that was written for TensorFlow 1.

    headrace run train.py --steps 100          # the same, where the package's command is installed
    headrace run --check train.py              # lists the names that Headrace lacks, without running
    headrace run --data fashion-mnist mnist.py # MNIST programs read the Debian package's files

From Python: `headrace.run.main(['train.py', '--steps', '100'])`.
"""
import sys


def main(arguments=None):
    """Runs a program with its arguments, as `headrace run` does. Returns the exit code of `--check`; a program that is run ends
    as it does under `python PROG`: by returning (0), SystemExit or an exception."""
    from headrace.runner.cli import run_command
    return run_command(sys.argv[1:] if arguments is None else list(arguments))


if __name__ == '__main__':
    sys.exit(main())
