"""tf.strings and text ops at the top level; Fourier transforms."""
import numpy as np
import tensorflow as tf


def tried(function):
    try:
        function()
        print('passed')
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0].split(' [')[0])


s = tf.placeholder(tf.string, [None], name='s')
n = tf.constant([1.5, -2.0, 1e10])
words = tf.constant([['a', 'b'], ['c', 'd']])
out = [tf.as_string(n), tf.as_string(n, precision=2, width=8, fill='0'), tf.as_string([1, 2], name='ints'), tf.as_string(n, scientific=True),
       tf.string_join([s, '-', s]), tf.string_join([s, s], separator=', ', name='joined'), tf.string_split(s), tf.string_split(s, delimiter='o'),
       tf.string_split(['a,,b'], sep=',', skip_empty=False), tf.strings.split(s), tf.strings.split(s, sep='l', maxsplit=1), tf.substr(s, 1, 2),
       tf.substr(s, [0, 1], [1, 1]), tf.strings.length(s), tf.strings.length(s, unit='UTF8_CHAR'), tf.string_strip(['  a b ', 'c\n']),
       tf.strings.lower(s), tf.strings.upper(s), tf.regex_replace(s, 'l+', 'L'), tf.regex_replace(s, '(o)', tf.constant('<\\1>')),
       tf.regex_replace(s, 'o', '0', replace_global=False), tf.strings.regex_full_match(s, '.*world'), tf.reduce_join(words, 0),
       tf.reduce_join(words), tf.reduce_join(words, [1, 0], separator='+'), tf.reduce_join(words, 1, keep_dims=True),
       tf.string_to_number(['1.5', '-3']), tf.string_to_number(['7'], tf.int64), tf.string_to_hash_bucket(s, 100),
       tf.string_to_hash_bucket_fast(s, 1000), tf.string_to_hash_bucket_strong(s, 1000, [1, 2]), tf.encode_base64(s),
       tf.encode_base64(s, pad=True), tf.decode_base64(tf.encode_base64(s)), tf.decode_raw(['abcd', 'efgh'], tf.uint8),
       tf.decode_raw(['abcd'], tf.int16, little_endian=False), tf.strings.format('x = {}, y = {}', [n, words]),
       tf.parse_tensor(tf.serialize_tensor(n), tf.float32), tf.decode_csv(['1,2.5,a', '3,,b'], [[0], [9.0], ['']]),
       tf.strings.unsorted_segment_join(s, [0, 0], 2, separator='/')]
x = tf.placeholder(tf.float32, [None, 8], name='x')
u = tf.placeholder(tf.float32, [None, None], name='u')
c = tf.complex(x, x + 1.0)
waves = [tf.fft(c), tf.ifft(c), tf.fft2d(c), tf.ifft2d(c), tf.spectral.rfft(x), tf.spectral.rfft(x, [6]), tf.spectral.rfft(x, [12]),
         tf.spectral.irfft(tf.spectral.rfft(x)), tf.spectral.irfft(tf.spectral.rfft(x), [7]), tf.signal.rfft2d(tf.ones([4, 8])),
         tf.signal.irfft2d(tf.signal.rfft2d(tf.ones([4, 8]))), tf.signal.rfft(u), tf.signal.irfft(tf.complex(u, u), name='back'),
         tf.signal.rfft(u, fft_length=[4])]
print([getattr(o, 'name', None) for o in out if isinstance(o, tf.Tensor)], [w.name for w in waves])
print([str(o.shape) for o in out[4:30] if isinstance(o, tf.Tensor)], [str(w.shape) for w in waves[:11]])
tried(lambda: tf.strings.format('{} {}', [n]))
tried(lambda: tf.signal.rfft2d(tf.zeros([3])))
with tf.Session() as sess:
    for value in sess.run(out, {s: ['hello world', 'food']}):
        print([np.asarray(v).tolist() for v in value] if isinstance(value, (tuple, list)) else np.asarray(value).tolist())
    for value in sess.run(waves, {x: np.arange(16).reshape(2, 8) * 0.25, u: [[1.0, 2.0, 4.0], [0.0, 1.0, 5.0]]}):
        print(value.shape, np.round(value.real, 3).tolist(), np.round(value.imag, 3).tolist())
    tried(lambda: sess.run(tf.string_to_number(['abc'])))
    tried(lambda: sess.run(tf.substr(['abc'], 5, 1)))
