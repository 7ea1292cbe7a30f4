"""Strings: text, joining and splitting, numbers, hashes, regular expressions, encodings."""
import gzip
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_parsing_ops as gp, gen_string_ops as gs

F32, I32, I64 = np.float32, np.int32, np.int64


def s(*values):
    return np.array(values, object)


def cases(o, lib):
    def add(name, fn, *inputs):
        o.add(name, fn, list(inputs), grad=False)

    words = s(b'', b'a', b'abcdefgh', b'abcdefghijklmnopq', b'\xff\x00x', b'h\xc3\xa9llo w\xc3\xb6rld')

    # ---- text
    numbers = np.array([0, 1.5, -2.25, 1e10, 1e-7, 123456.789, np.inf, -np.inf, np.nan], F32)
    for variant, args in [('plain', {}), ('precision', {'precision': 2}), ('scientific', {'scientific': True}),
                          ('shortest', {'shortest': True}), ('width', {'width': 12, 'precision': 1}),
                          ('zeros', {'width': 12, 'fill': '0'}), ('left', {'width': 12, 'fill': '-'}),
                          ('plus', {'width': 12, 'fill': '+'}), ('space', {'width': 4, 'fill': ' '})]:
        add('as_string:' + variant, lambda x, args=args: tf.as_string(x, **args), numbers)
    add('as_string:double', lambda x: tf.as_string(x, precision=12), numbers.astype(np.float64))
    for dtype in [np.int8, np.int16, I32, I64]:
        add('as_string:' + np.dtype(dtype).name, lambda x: tf.as_string(x), np.array([[0, 5], [-7, 100]], dtype))
        add('as_string:width_' + np.dtype(dtype).name, lambda x: tf.as_string(x, width=5, fill='0'), np.array([0, -7], dtype))
    add('as_string:bool', lambda x: tf.as_string(x, width=8), np.array([True, False]))
    add('as_string:complex', lambda x: tf.as_string(x, precision=2, width=6), np.array([1 + 2j, -0.5j], np.complex64))
    add('as_string:empty', lambda x: tf.as_string(x), np.zeros([0, 3], F32))

    add('string_length', lambda x: tf.strings.length(x), words)
    add('string_length:characters', lambda x: tf.strings.length(x, unit='UTF8_CHAR'), words)
    add('string_lower', lambda x: tf.strings.lower(x), s(b'AbC', b'', b'\xc3\x89T\xc3\xa9'))
    add('string_upper', lambda x: tf.strings.upper(x), s(b'aBc', b'', b'\xc3\x89t\xc3\xa9'))
    add('string_strip', lambda x: tf.strings.strip(x), s(b' a\tb \n\v\f', b'', b'  ', b'x'))

    add('substr', lambda x: gs.substr(x, 1, 3), s(b'abcdef', b'ab', b'a'))
    add('substr:negative', lambda x: gs.substr(x, -3, 2), s(b'abcdef', b'abc'))
    add('substr:each', lambda x, p, n: gs.substr(x, p, n), s(b'abcdef', b'ghi'), np.array([1, 2], I64), np.array([3, 9], I64))
    add('substr:broadcast', lambda x, p, n: gs.substr(x, p, n), s(b'abcdef', b'ghi'), np.array([[1], [2]], I32), np.array([[3], [1]], I32))
    add('substr:broadcast_text', lambda x, p, n: gs.substr(x, p, n), np.array(b'abcdef', object), np.array([1, 2], I32), np.array([3, 1], I32))
    add('substr:to_the_end', lambda x: gs.substr(x, 1, -1), s(b'abcdef'))
    add('substr:at_the_end', lambda x: gs.substr(x, 3, 2), s(b'abc'))
    add('substr:characters', lambda x: gs.substr(x, 1, 2, unit='UTF8_CHAR'), s(b'h\xc3\xa9llo', b'\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9x'))
    add('substr:characters_from_end', lambda x: gs.substr(x, -2, 5, unit='UTF8_CHAR'), s(b'h\xc3\xa9llo', b'\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9'))

    shown = {'vector': np.arange(10, dtype=I32), 'matrix': np.arange(64, dtype=I64).reshape(8, 8), 'cube': np.arange(8, dtype=I32).reshape(2, 2, 2),
             'scalar': np.array(1.5, F32), 'strings': s(b'a', b'b"c\n'), 'text': np.array(b'x', object), 'bool': np.array([True, False]),
             'floats': np.array([1e-10, 1e20, 0.1, 1 / 3.0], F32), 'doubles': np.array([1 / 3.0, 1e22, 0.1]), 'empty': np.zeros([0, 3], F32)}
    for variant in sorted(shown):
        add('string_format:' + variant, lambda x: tf.strings.format('v={} end', [x]), shown[variant])
    add('string_format:all', lambda x: tf.strings.format('v={}', [x], summarize=-1), shown['vector'])
    add('string_format:one', lambda x: tf.strings.format('v={}', [x], summarize=1), shown['vector'])
    add('string_format:two', lambda x, y: gs.string_format([x, y], template='a %s b %s'), shown['scalar'], shown['text'])

    # ---- joining, splitting
    add('string_join', lambda x, y: tf.strings.join([x, y]), s(b'a', b'b'), s(b'', b'c'))
    add('string_join:scalars', lambda x, y: tf.strings.join(['(', x, y, ')'], '-'), s(b'a', b'b'), np.array(b'z', object))
    add('string_join:scalar', lambda x: tf.strings.join([x], '-'), np.array(b'z', object))
    square = np.array([[b'a', b'bb', b'c'], [b'd', b'', b'f']], object)
    for axes in [0, 1, -1, [0, 1], [1, 0], []]:
        name = str(axes).strip('[]').replace(', ', '_').replace('-', 'm') or 'none'
        add('reduce_join:' + name, lambda x, axes=axes: gs.reduce_join(x, tf.constant(axes, tf.int32), separator='-'), square)
    add('reduce_join:keep', lambda x: gs.reduce_join(x, [1], keep_dims=True), square)
    add('reduce_join:nothing', lambda x: gs.reduce_join(x, [0], separator='-'), np.zeros([0, 2], object))
    add('reduce_join:empty', lambda x: gs.reduce_join(x, [1], separator='-'), np.zeros([0, 2], object))
    o.add('reduce_join:unknown', lambda x, a: gs.reduce_join(x, a, separator='-'), [square, np.array([1], I32)], grad=False, static=False)
    add('unsorted_segment_join', lambda x: gs.unsorted_segment_join(x, [1, 0, 1], 3, separator=','), s(b'a', b'', b'c'))
    add('unsorted_segment_join:rows', lambda x: gs.unsorted_segment_join(x, np.array([1, 1], I64), np.array(3, I64)), square)
    add('unsorted_segment_join:matrix', lambda x: gs.unsorted_segment_join(x, [[1, 0, 2], [0, 2, 2]], 4, separator='+'), square)

    texts = s(b'a b  c', b'', b' x', b'y ', b'one')
    add('string_split', lambda x: gs.string_split(x, ' '), texts)
    add('string_split:keep_empty', lambda x: gs.string_split(x, ' ', skip_empty=False), texts)
    add('string_split:bytes', lambda x: gs.string_split(x, ''), texts)
    add('string_split:several', lambda x: gs.string_split(x, ',;'), s(b'a,b;c', b';;d'))
    add('string_split:none', lambda x: gs.string_split(x, ' '), np.zeros([0], object))
    for sep in ['', ' ', 'XX']:
        for most in [-1, 0, 1, 2]:
            add('string_split_v2:%s_%d' % (sep.replace(' ', 'space') or 'any', most), lambda x, sep=sep, most=most: gs.string_split_v2(x, sep, most),
                s(b' a  b c ', b'', b'aXXbXXcXXd', b'\t\n', b'x  ', b'XX'))

    # ---- numbers
    spelled = s(b' 1.5 ', b'+3', b'1e400', b'-1e400', b'1e-400', b'inf', b'-INF', b'nan', b'NaN', b'0x10', b'-0xfF', b'.5', b'5.', b'\t7\n',
                b'16777217', b'3.4028236e38', b'1e-45', b'0.1', b'-0', b'123456789012345678901234567890')
    add('string_to_number', lambda x: tf.strings.to_number(x), spelled)
    add('string_to_number:double', lambda x: tf.strings.to_number(x, tf.float64), spelled)
    add('string_to_number:int32', lambda x: tf.strings.to_number(x, tf.int32), s(b'0', b'-2147483648', b' 2147483647 '))
    add('string_to_number:int64', lambda x: tf.strings.to_number(x, tf.int64), s(b'0', b'-9223372036854775808', b'9223372036854775807'))

    for dtype in [tf.uint8, tf.int8, tf.int16, tf.uint16, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64, tf.complex64]:
        add('decode_raw:' + dtype.name, lambda x, dtype=dtype: tf.decode_raw(x, dtype), s(b'\x01\x3c\x03\x04\x05\x06\x07\x08', b'\x00\x00\x80?\x00\x00\x20\x41'))
    for dtype in [tf.int16, tf.int32, tf.float32, tf.complex64]:
        add('decode_raw:big_' + dtype.name, lambda x, dtype=dtype: tf.decode_raw(x, dtype, little_endian=False),
            s(b'\x3f\x80\x00\x00\x40\x00\x00\x00', b'A\x20\x00\x00\xc1\x20\x00\x00'))
    add('decode_raw:empty', lambda x: tf.decode_raw(x, tf.int32), s(b'', b''))
    add('decode_raw:nothing', lambda x: tf.decode_raw(x, tf.int32), np.zeros([0], object))
    add('decode_raw:bool', lambda x: tf.decode_raw(x, tf.bool), s(b'\x00\x01\x01'))

    lines = s(b'1,2,3', b'5,,', b'1,2,"q""r,s"', b' 1, 2 , 3 ', b'1,2,"a\nb"', b'-7,1e3,', b'1,2,""')
    defaults = [[1], [2.0], ['x']]
    add('decode_csv', lambda x: gp.decode_csv(x, [tf.constant(d) for d in defaults]), lines)
    add('decode_csv:delimiter', lambda x: gp.decode_csv(x, [tf.constant([1], tf.int64), tf.constant([2.0], tf.float64)], field_delim=';'), s(b'1;2', b';'))
    add('decode_csv:missing', lambda x: gp.decode_csv(x, [tf.constant(d) for d in defaults], na_value='NA'), s(b'1,NA,3', b'NA,2,NA'))
    add('decode_csv:columns', lambda x: gp.decode_csv(x, [tf.constant([1]), tf.constant(['x'])], select_cols=[0, 2]), s(b'1,2,3', b',,,9,9'))
    add('decode_csv:no_quotes', lambda x: gp.decode_csv(x, [tf.constant([1]), tf.constant([''])], use_quote_delim=False), s(b'1,"2"'))
    add('decode_csv:scalar', lambda x: gp.decode_csv(x, [tf.constant(1), tf.constant([], tf.float32)]), np.array(b',2', object))

    # ---- hashes
    for buckets in [1, 10, 2 ** 62]:
        add('string_to_hash_bucket:%d' % buckets, lambda x, b=buckets: gs.string_to_hash_bucket(x, b), words)
        add('string_to_hash_bucket_fast:%d' % buckets, lambda x, b=buckets: gs.string_to_hash_bucket_fast(x, b), words)
        add('string_to_hash_bucket_strong:%d' % buckets, lambda x, b=buckets: gs.string_to_hash_bucket_strong(x, b, [1, -2]), words)
    long = s(*[bytes(bytearray((7 * i + n) % 256 for i in range(n))) for n in [15, 16, 17, 31, 33, 64, 65, 129, 300]])
    add('string_to_hash_bucket:long', lambda x: gs.string_to_hash_bucket(x, 2 ** 62), long)
    add('string_to_hash_bucket_fast:long', lambda x: gs.string_to_hash_bucket_fast(x, 2 ** 62), long)
    add('string_to_hash_bucket_strong:long', lambda x: gs.string_to_hash_bucket_strong(x, 2 ** 62, [5, 7]), long)
    add('fingerprint', lambda x: tf.fingerprint(x), words)
    add('fingerprint:matrix', lambda x: tf.fingerprint(x), square)
    add('fingerprint:column', lambda x: tf.fingerprint(x), square[:, :1])
    add('fingerprint:numbers', lambda x: tf.fingerprint(x), np.arange(6, dtype=F32).reshape(2, 3))

    # ---- regular expressions
    add('regex_replace', lambda x: gs.regex_replace(x, 'a(b*)', '<\\1>'), s(b'abbac', b'', b'xyz'))
    add('regex_replace:first', lambda x: gs.regex_replace(x, 'a(b*)', '<\\1>', replace_global=False), s(b'abbac', b'', b'xyz'))
    add('regex_replace:fed', lambda x, p, r: gs.regex_replace(x, p, r), s(b'abbac'), np.array(b'[ab]+', object), np.array(b'\\0\\0', object))
    add('regex_replace:no_such_group', lambda x: gs.regex_replace(x, '(a)', '\\2'), s(b'abbac'))
    add('regex_replace:static', lambda x: gs.static_regex_replace(x, '^', '-'), s(b'abbac', b''))
    add('regex_replace:unicode', lambda x: gs.static_regex_replace(x, '.', '.'), s(b'h\xc3\xa9'))
    add('regex_full_match', lambda x: gs.regex_full_match(x, 'a.*'), s(b'abc', b'ba', b'a', b'a\nb'))
    add('regex_full_match:static', lambda x: gs.static_regex_full_match(x, '(?s)a.*'), s(b'abc', b'ba', b'a', b'a\nb'))

    # ---- encodings
    add('encode_base64', lambda x: gs.encode_base64(x), s(b'', b'a', b'ab', b'abc', b'\xff\xfe?>'))
    add('encode_base64:pad', lambda x: gs.encode_base64(x, pad=True), s(b'', b'a', b'ab', b'abc', b'\xff\xfe?>'))
    add('decode_base64', lambda x: gs.decode_base64(x), s(b'', b'YQ', b'YQ==', b'YWI', b'YWI=', b'YWJj', b'__4_Pg', b'YR'))
    add('decode_compressed:zlib', lambda x: tf.io.decode_compressed(x, 'ZLIB'), s(zlib.compress(b'hello' * 100), zlib.compress(b'')))
    add('decode_compressed:gzip', lambda x: tf.io.decode_compressed(x, 'GZIP'), s(gzip.compress(b'hello'), b''))
    add('decode_compressed:none', lambda x: tf.io.decode_compressed(x), s(b'abc', b''))
    add('decode_compressed:cut_off', lambda x: tf.io.decode_compressed(x, 'ZLIB'), s(zlib.compress(b'hello')[:-3]))
    for variant, x in [('floats', np.array([1, 1, 1], F32)), ('strings', s(b'a', b'bc')), ('matrix', np.array([[1, 2], [3, 1 << 24]], I32)), ('bool', np.array(True)),
                       ('empty', np.zeros([0, 2], F32)), ('half', np.array([1, 2], np.float16)), ('complex', np.array([1j], np.complex64))]:
        add('serialize_tensor:' + variant, lambda x: tf.serialize_tensor(x), x)
        add('parse_tensor:' + variant, lambda x: tf.parse_tensor(tf.serialize_tensor(x), x.dtype), x)

    # ---- what other ops do with strings
    t, u = s(b'a', b'', b'ccc', b'a'), s(b'x', b'', b'z', b'a')
    m = np.array([[b'a', b'b', b'c'], [b'd', b'', b'f']], object)
    lib_cases = [
        ('identity', lambda: tf.identity(t)), ('reshape', lambda: tf.reshape(m, [3, 2])), ('gather', lambda: tf.gather(m, [1, 0, 1], axis=1)),
        ('gather_nd', lambda: tf.gather_nd(m, [[1, 2], [0, 0]])), ('concat', lambda: tf.concat([m, m[:, :1]], 1)), ('equal', lambda: tf.equal(t, u)),
        ('not_equal', lambda: tf.not_equal(t, u)), ('unique', lambda: tf.unique(t)), ('unique_with_counts', lambda: tf.unique_with_counts(t)),
        ('where', lambda: tf.where([True, False, True, False], t, u)), ('tile', lambda: tf.tile(m, [2, 1])), ('transpose', lambda: tf.transpose(m)),
        ('stack', lambda: tf.stack([t, u], 1)), ('unstack', lambda: tf.unstack(m)), ('split', lambda: tf.split(t, 2)),
        ('split_v', lambda: tf.split(t, [1, 3])), ('slice', lambda: tf.slice(m, [0, 1], [2, 2])), ('strided_slice', lambda: tf.constant(m)[::-1, 1:]),
        ('pad', lambda: tf.pad(tf.constant(m), [[1, 0], [0, 1]], constant_values='-')), ('fill', lambda: tf.fill([2, 2], 'ab')), ('zeros_like', lambda: tf.zeros_like(t)),
        ('expand_dims', lambda: tf.expand_dims(t, 0)), ('squeeze', lambda: tf.squeeze([t.tolist()])), ('shape', lambda: tf.shape(m)), ('size', lambda: tf.size(m)),
        ('rank', lambda: tf.rank(m)), ('reverse', lambda: tf.reverse(m, [1])), ('broadcast_to', lambda: tf.broadcast_to(t, [2, 4])), ('add', lambda: tf.constant(t) + u),
        ('boolean_mask', lambda: tf.boolean_mask(t, [True, False, False, True])),
        ('scatter_nd', lambda: tf.scatter_nd([[2], [0]], ['p', 'q'], [4])), ('dynamic_partition', lambda: tf.dynamic_partition(t, [1, 0, 1, 0], 2)),
        ('dynamic_stitch', lambda: tf.dynamic_stitch([[0, 2], [1, 3]], [t[:2].tolist(), u[2:].tolist()])), ('setdiff1d', lambda: tf.setdiff1d(t, u)),
        ('tensor_scatter_update', lambda: tf.tensor_scatter_update(tf.constant(t), [[1]], ['new'])),
        ('one_hot', lambda: tf.one_hot([1, 0], 2, 'on', 'off')), 
        ('unstack_axis', lambda: tf.unstack(m, axis=1)), ('select_rows', lambda: tf.where([True, False], m, m[::-1])),
        ('identity_n', lambda: tf.identity_n([tf.constant(t), tf.constant(m)])), 
        ('unique_v2', lambda: tf.raw_ops.UniqueV2(x=t, axis=[0]) if hasattr(tf, 'raw_ops') else tf.unique(t)), 
    ]
    for name, fn in lib_cases:
        add('string_tensors:' + name, lambda fn=fn: fn())
