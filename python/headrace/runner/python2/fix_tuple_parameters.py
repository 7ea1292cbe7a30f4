"""A fixer for fissix: `def f(a, (b, c)):` becomes `def f(a, __tuple_1):`, and `found` says what __tuple_1 is. The assignment is
made later, in the tree, so that no line moves. Lambdas are rewritten as fissix does."""
from fissix import pytree
from fissix.fixer_util import Name
from fissix.fixes import fix_tuple_params
from fissix.pygram import python_symbols as symbols

found = {}  # {stand-in: source of the tuple}


class FixTupleParameters(fix_tuple_params.FixTupleParams):
    """Names each tuple parameter of a function."""

    def transform(self, node, results):
        if 'lambda' in results:
            return super(FixTupleParameters, self).transform(node, results)
        arguments = results['args']
        nodes = [arguments] if arguments.type == symbols.tfpdef else [
            child for child in arguments.children if child.type == symbols.tfpdef]
        for parameter in nodes:
            name = '__tuple_%d' % (len(found) + 1)
            found[name] = str(parameter).strip()
            stand_in = Name(name, prefix=parameter.prefix)
            assert isinstance(stand_in, pytree.Leaf)
            parameter.replace(stand_in)
        return None
