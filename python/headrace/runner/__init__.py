"""What `headrace run` is made of: it lets programs written for TensorFlow 1, often for Python 2, run unmodified.

| module | what it hides |
| --- | --- |
| `cli` | the command line |
| `program`, `notebook` | how a program becomes the process's `__main__` |
| `source` | from bytes of a file to a code object, converted where it is Python 2 |
| `python2/` | what Python 2 was: how to tell, its syntax, its semantics, its modules |
| `local_modules` | modules beside the program, converted as the program is |
| `tensorflow_names`, `spellings` | `import tensorflow` and its inner modules |
| `gone/` | names that NumPy, SciPy, scikit-learn and Python itself dropped |
| `report` | tracebacks that show the program's own frames |
| `check` | which names a program uses that we lack |
"""
