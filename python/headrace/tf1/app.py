"""tf.app: `tf.app.run()` parses the flags, calls main(argv) and ends the process with what it returns."""
import sys

from absl import app as _absl

from headrace.tf1 import flags, logging


def _parse(argv):
    # Flags that nobody defined stay in argv.
    return flags.FLAGS(sys.argv if argv is None else argv, known_only=True)


def _once(record):
    """absl's handler at Python's root logger leaves out what the logger of tf.logging writes itself."""
    return record.name != 'tensorflow' or not logging.get_logger().handlers


def run(main=None, argv=None):
    """Runs `main` (the program's own where None) with the arguments that are no flags. Ends by SystemExit."""
    logging.get_logger()  # before absl takes the root logger: its lines are INFO:tensorflow:...
    from absl import logging as absl_logging
    absl_logging.get_absl_handler().addFilter(_once)
    _absl.run(main=main or sys.modules['__main__'].main, argv=argv, flags_parser=_parse)
