"""`plt.show()` without a display returns at once, and says nothing."""
import os
import sys


def restore(pyplot):
    """Makes show() and pause() of a backend without windows do nothing."""
    import matplotlib
    if matplotlib.get_backend().lower() not in ('agg', 'cairo', 'pdf', 'pgf', 'ps', 'svg', 'template'):
        return
    pyplot.show = lambda *arguments, **options: None
    pyplot.pause = lambda interval: None


def choose_backend():
    """Where there is no display, and the program's user chose nothing, figures are drawn in memory."""
    if not os.environ.get('DISPLAY') and not os.environ.get('WAYLAND_DISPLAY') and sys.platform.startswith('linux'):
        os.environ.setdefault('MPLBACKEND', 'Agg')
