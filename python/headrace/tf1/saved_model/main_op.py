"""tf.saved_model.main_op: what a saved model runs when it is loaded."""
from headrace.tf1.framework import control, variables


def main_op():
    """The operation that initialises variables and tables."""
    return control.group(variables.global_variables_initializer(), variables.local_variables_initializer(), _tables())


def main_op_with_restore(restore_op_name):
    """The same after the operation of that name."""
    from headrace.tf1.framework import graph as graph_lib
    with graph_lib.control_dependencies([main_op()]):
        restore = graph_lib.get_default_graph().get_operation_by_name(restore_op_name)
        return control.group(restore)


def _tables():
    from headrace.tf1.framework import graph as graph_lib
    return control.group(*graph_lib.get_collection(graph_lib.GraphKeys.TABLE_INITIALIZERS), name='init_all_tables')
