"""tf.sysconfig: where headers and libraries are for those who build ops of their own. Such ops are built against Headrace's C++
package (docs/add_an_op.md), not against TensorFlow's."""
import os

CXX11_ABI_FLAG = 1
MONOLITHIC_BUILD = 0


def _package():
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def get_include():
    """The folder of header files in the installed package."""
    return os.path.join(_package(), 'include')


def get_lib():
    """The folder of the engine's library."""
    return _package()


def get_compile_flags():
    """Flags for the compiler."""
    return ['-I%s' % get_include(), '-D_GLIBCXX_USE_CXX11_ABI=1']


def get_link_flags():
    """Flags for the linker."""
    return ['-L%s' % get_lib()]
