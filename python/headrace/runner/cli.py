"""Command lines of `headrace` and `headrace run`."""
import os
import sys

USAGE = """\
usage: headrace run [--check] [--data NAME|FOLDER] PROG [ARGS]
       headrace run [--data NAME|FOLDER] -m MODULE [ARGS]

Runs a program written for TensorFlow 1 (a .py file or an .ipynb notebook) on Headrace. ARGS are the program's own.

  --check              list every TensorFlow name in PROG, and in modules beside it, that Headrace lacks; run nothing
  --data NAME|FOLDER   where read_data_sets finds MNIST's files: 'fashion-mnist' (the Debian package
                       dataset-fashion-mnist) or a folder; the same as the environment variable HEADRACE_MNIST_DIR
  -m MODULE            run a module, as `python -m MODULE` does

HEADRACE_TRACEBACK=full shows every frame of a traceback, not only the program's own.
"""


class UsageError(Exception):
    """A command line that says nothing that can be done."""


class _Options(object):
    def __init__(self):
        self.check = False
        self.data = None
        self.module = False
        self.arguments = []  # the program, then its arguments


def parse(arguments):
    """Options of `headrace run`: those before the program are ours, those after it the program's. Errors: UsageError."""
    options = _Options()
    rest = list(arguments)
    while rest and rest[0].startswith('-'):
        option = rest.pop(0)
        name, equals, value = option.partition('=')
        if name == '--check' and not equals:
            options.check = True
        elif name == '--data':
            if not equals:
                if not rest:
                    raise UsageError("--data needs a value: 'fashion-mnist' or a folder with MNIST's four files")
                value = rest.pop(0)
            options.data = value
        elif option == '-m':
            options.module = True
            break
        elif option == '--':
            break
        else:
            raise UsageError('unknown option %s; options of the program stand after its name' % option)
    if not rest:
        raise UsageError('no program is given')
    options.arguments = rest
    return options


def run_command(arguments):
    """`headrace run ARGUMENTS`. Returns an exit code; where the program ends by an exception, that comes through."""
    if arguments and arguments[0] in ('-h', '--help'):
        sys.stdout.write(USAGE)
        return 0
    try:
        options = parse(arguments)
    except UsageError as error:
        sys.stderr.write('headrace run: %s\n%s' % (error, USAGE))
        return 2
    if options.data is not None:
        from headrace.tf1.examples.tutorials.mnist import files
        try:
            files.use_data(options.data)
        except ValueError as error:
            sys.stderr.write('headrace run: %s\n' % error)
            return 2
    program = options.arguments[0]
    if not options.module and not os.path.isfile(program):
        # The words of `python PROG`.
        sys.stderr.write("headrace: can't open file %r: [Errno 2] No such file or directory\n" % os.path.abspath(program))
        return 2
    if options.check:
        from headrace.runner import check
        return check.main(program)
    from headrace.runner import program as programs
    if options.module:
        programs.run_module(options.arguments)
    elif program.endswith('.ipynb'):
        from headrace.runner import notebook
        return notebook.run(options.arguments)
    else:
        programs.run_file(options.arguments)
    return 0


def _tool():
    """The C++ tool `headrace`: in the package, or in the build folder beside it. None if it is in neither."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(package, 'bin', 'headrace')
    if os.access(path, os.X_OK):
        return path
    # PYTHONPATH=build/release/python: the tool is build/release/bin/headrace.
    for entry in sys.path:
        path = os.path.join(os.path.dirname(os.path.abspath(entry or '.')), 'bin', 'headrace')
        if os.path.isdir(os.path.join(entry or '.', 'headrace')) and os.access(path, os.X_OK):
            return path
    return None


def _print_devices():
    import headrace
    for device in headrace.devices():
        print('%(name)s  %(description)s' % device)
    return 0


def headrace_command(arguments):
    """The command `headrace`: `run` is ours, other subcommands are the C++ tool's. A file name alone means `run`."""
    if arguments and arguments[0] == 'run':
        return run_command(arguments[1:])
    if arguments and arguments[0].endswith(('.py', '.ipynb')):
        return run_command(arguments)
    if arguments and arguments[0] not in ('-h', '--help'):
        tool = _tool()
        if tool is not None:
            os.execv(tool, [tool] + list(arguments))
        if arguments == ['devices']:
            return _print_devices()
        sys.stderr.write("headrace: the tool that knows '%s' is not installed beside this package; it is built as bin/headrace by "
                         '`make build`\n' % arguments[0])
        return 2
    sys.stdout.write(USAGE)
    if _tool() is not None:
        sys.stdout.write('\nOther subcommands (devices, ops, place, ckpt, trace, bench): headrace SUBCOMMAND --help\n')
    return 0 if arguments else 2


def console():
    """Entry point of the installed command."""
    sys.exit(headrace_command(sys.argv[1:]))
