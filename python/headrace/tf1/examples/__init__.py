"""tensorflow.examples: what programs import from there."""
