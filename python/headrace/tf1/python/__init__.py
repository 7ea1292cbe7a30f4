"""Inner modules of TensorFlow that programs import and that are not public: tensorflow.python.client.timeline and its like. Other
inner names lead to public ones (headrace/runner/spellings.py)."""
