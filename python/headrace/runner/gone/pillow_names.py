"""Pillow's old names of filters: Image.ANTIALIAS and its kin."""


def restore(image):
    """Gives the module PIL.Image the names that it lacks."""
    have = vars(image)
    resampling = getattr(image, 'Resampling', image)
    for name, new in (('ANTIALIAS', 'LANCZOS'), ('LINEAR', 'BILINEAR'), ('CUBIC', 'BICUBIC')):
        if name not in have and hasattr(resampling, new):
            setattr(image, name, getattr(resampling, new))
