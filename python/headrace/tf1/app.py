"""tf.app: `tf.app.run()` parses the flags, calls main(argv) and ends the process with what it returns."""
import sys

from absl import app as _absl

from headrace.tf1 import flags


def _parse(argv):
    # Flags that nobody defined stay in argv.
    return flags.FLAGS(sys.argv if argv is None else argv, known_only=True)


def run(main=None, argv=None):
    """Runs `main` (the program's own where None) with the arguments that are no flags. Ends by SystemExit."""
    _absl.run(main=main or sys.modules['__main__'].main, argv=argv, flags_parser=_parse)
