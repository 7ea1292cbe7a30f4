"""Python 2 programs on Python 3: `detect` tells them, `syntax` and `semantics` convert them in memory, `builtins` and `modules`
are what they find at run time. Nothing of it reaches modules that are not the program's own."""
