"""Text in Unicode and other encodings: decoding, encoding, case, scripts."""
import numpy as np
import tensorflow as tf

raw = tf.raw_ops
I32, I64 = np.int32, np.int64


def s(*values):
    return np.array(values, object)


GOOD = s(b'', b'abc', u'h\u00e9llo \u4e16\u754c \U0001f600\ufeff\u0301'.encode('utf-8'), b'a\x00b\x1f\n')
BAD = s(b'\xff', b'a\x80b', b'\xc3', b'\xe4\xb8', b'\xf0\x9f\x98', b'\xed\xa0\x80x', b'\xc0\x80', b'\xe0\x80\x80', b'\xf4\x90\x80\x80', b'\xf0\x9f\x98a',
        b'\xe4\xb8\xe4\xb8\x96', b'\xfe\xfe', b'\xf8\x88\x80\x80\x80', b'\xc3\xc3\xa9')


def cases(o, lib):
    def add(name, fn, *inputs):
        o.add(name, fn, list(inputs), grad=False)

    # ---- decoding
    sixteen = s(u'a\u00e9\U0001f600'.encode('utf-16-be'), b'\xd8\x3d', b'\xd8\x3d\x00a', b'\xde\x00\x00a', b'\x00a\x00', b'\x00', b'\xd8\x3d\xde')
    thirty_two = s(u'a\U0001f600'.encode('utf-32-be'), b'\x00\x11\x00\x00\x00\x00\x00a', b'\x00\x00\xd8\x00', b'\x00\x00\x00', b'\xff\xff\xff\xff')
    texts = [('UTF-8', GOOD), ('UTF-8', BAD), ('utf8', GOOD), ('UTF-16-BE', sixteen), ('UTF-16BE', sixteen), ('UTF-16LE', s(u'a\u00e9\U0001f600'.encode('utf-16-le'))),
             ('UTF-32-BE', thirty_two), ('UTF-32LE', s(u'a\U0001f600'.encode('utf-32-le'))), ('UTF-16', s(b'\xff\xfea\x00b\x00')),
             ('latin1', s(b'caf\xe9', b'\x80')), ('ISO-8859-1', s(b'\xff')), ('US-ASCII', s(b'ab', b'a\xe9b')), ('Shift_JIS', s(b'\x83e\x83X\x83g', b'a')),
             ('windows-1252', s(b'\x80uro')), ('KOI8-R', s(b'\xd0\xd2\xc9')), ('GB18030', s(b'\xc4\xe3\xba\xc3'))]
    for at, (encoding, text) in enumerate(texts):
        for errors in ('replace', 'ignore', 'strict'):
            for x in ([text] if errors != 'strict' else [text[:1], text[-1:]][:len(text)]):
                name = '%s_%d_%s%s' % (encoding, at, errors, '_last' if errors == 'strict' and x is not text and x[0] == text[-1] else '')
                add('unicode_decode:' + name, lambda x: list(raw.UnicodeDecode(input=x, input_encoding=encoding, errors=errors)), x)
                add('unicode_decode_with_offsets:' + name, lambda x: list(raw.UnicodeDecodeWithOffsets(input=x, input_encoding=encoding, errors=errors)), x)
                for to in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE') if at < 4 else ('UTF-8',):
                    add('unicode_transcode:%s_to_%s' % (name, to), lambda x: raw.UnicodeTranscode(input=x, input_encoding=encoding, output_encoding=to, errors=errors), x)
    for kind, x in (('good', GOOD), ('bad', BAD)):
        for options in ({'replacement_char': 0x21}, {'replace_control_characters': True}, {'replace_control_characters': True, 'errors': 'ignore'}, {'replacement_char': 0x1f600}):
            name = '_'.join([kind] + ['%s_%s' % item for item in sorted(options.items())])
            add('unicode_decode:' + name, lambda x: list(raw.UnicodeDecode(input=x, input_encoding='UTF-8', **options)), x)
            add('unicode_decode_with_offsets:' + name, lambda x: list(raw.UnicodeDecodeWithOffsets(input=x, input_encoding='UTF-8', **options)), x)
            add('unicode_transcode:' + name, lambda x: raw.UnicodeTranscode(input=x, input_encoding='UTF-8', output_encoding='UTF-8', **options), x)
    control = s(b'a\x01')
    add('unicode_decode:strict_control', lambda x: list(raw.UnicodeDecode(input=x, input_encoding='UTF-8', errors='strict', replace_control_characters=True)), control)
    add('unicode_decode:int32', lambda x: list(raw.UnicodeDecode(input=x, input_encoding='UTF-8', Tsplits=tf.int32)), GOOD)
    for shape in ([], [2, 2], [0], [1, 0]):
        x = np.full(shape, b'a\xc3\xa9', object)
        name = 'shape_%s' % 'x'.join(map(str, shape))
        add('unicode_decode:' + name, lambda x: list(raw.UnicodeDecode(input=x, input_encoding='UTF-8')), x)
        add('unicode_transcode:' + name, lambda x: raw.UnicodeTranscode(input=x, input_encoding='UTF-8', output_encoding='UTF-16-BE'), x)
    for encoding in ('nonsense', 'UTF-9', ''):
        add('unicode_decode:unknown_' + encoding, lambda x: list(raw.UnicodeDecode(input=x, input_encoding=encoding)), GOOD)
        add('unicode_transcode:unknown_' + encoding, lambda x: raw.UnicodeTranscode(input=x, input_encoding=encoding, output_encoding='UTF-8'), GOOD)
    for char in (-1, 0x110000, 0xd800):
        add('unicode_decode:replacement_%d' % char, lambda x: list(raw.UnicodeDecode(input=x, input_encoding='UTF-8', replacement_char=char)), BAD[:2])
        add('unicode_transcode:replacement_%d' % char, lambda x: raw.UnicodeTranscode(input=x, input_encoding='UTF-8', output_encoding='UTF-8', replacement_char=char), BAD[:2])

    # ---- encoding
    values = np.array([0x61, 0xe9, 0x4e16, 0x1f600, 0x10ffff, 0, 0xfffd], I32)
    wrong = np.array([0x61, 0xd800, 0x110000, -1, 0xfffe, 0xfdd0, 0x62], I32)
    for to in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE'):
        for errors in ('replace', 'ignore', 'strict'):
            for name, x in (('good', values), ('bad', wrong), ('one_bad', wrong[:2])):
                add('unicode_encode:%s_%s_%s' % (to, errors, name), lambda x: raw.UnicodeEncode(input_values=x, input_splits=np.array([0, 1, 1, int(x.shape[0])], I64), output_encoding=to,
                                                                                            errors=errors), x)
    # Not here: splits that fall or go beyond the values, with which TensorFlow reads what lies there.
    for splits in ([0, 7], [0], [0, 5], [0, 0, 3, 3, 7]):
        for dtype in (I32, I64):
            if dtype is I32 or len(splits) == 2:
                add('unicode_encode:splits_%s_%s' % (splits, np.dtype(dtype).name), lambda x, y: raw.UnicodeEncode(input_values=x, input_splits=y, output_encoding='UTF-8'), values,
                    np.array(splits, dtype))
    add('unicode_encode:replacement', lambda x: raw.UnicodeEncode(input_values=x, input_splits=[0, 7], output_encoding='UTF-8', replacement_char=0x21), wrong)

    # ---- case
    letters = [chr(c) for c in range(0x1e944) if not 0xd800 <= c < 0xe000 and (chr(c).upper() != chr(c) or chr(c).lower() != chr(c))]
    for op in (raw.StringLower, raw.StringUpper):
        name = 'string_lower' if op is raw.StringLower else 'string_upper'
        # Of these TensorFlow's ICU makes letters of another script in lower case (U+1E7E of U+1E9E).
        wrong = [0x1e9e, 0x1fbc, 0x1fcc, 0x1ffc] + [c for c in range(0x1f88, 0x1fb0) if c & 8] if name == 'string_lower' else []
        right = [c for c in letters if ord(c) not in wrong]
        add(name + ':all_letters', lambda x: op(input=x, encoding='utf-8'), s(''.join(right).encode('utf-8'), ' '.join(right).encode('utf-8')))
        add(name + ':words', lambda x: op(input=x, encoding='utf-8'),
            s(*[w.encode('utf-8') for w in (u'', u'ABC abc', u'Stra\u00dfe', u'\u039f\u0394\u039f\u03a3 \u039f\u0394\u039f\u03a3. \u03a3', u'A\u03a3', u'A.\u03a3', u'A\u03a3.', u'A\u03a3.A',
                                           u'A\u0301\u03a3\u0301', u'\u0130I\u0131i', u'\ufb03', u'\u01c5', u'\u1fb3\u1f80')]))
        add(name + ':bad', lambda x: op(input=x, encoding='utf-8'), BAD)
        add(name + ':unknown', lambda x: op(input=x, encoding='utf-16'), GOOD)

    # ---- scripts
    add('unicode_script', lambda x: raw.UnicodeScript(input=x), np.array([[0, 0x41, 0xe9], [0x3b1, 0x416, 0x5d0], [0x4e00, 0x3042, 0xac00], [0x1f600, 0x10ffff, 0x301]], I32))
    add('unicode_script:ends', lambda x: raw.UnicodeScript(input=x), np.array([-1, 0x110000, 0xd800, 0x7fffffff, -0x80000000], I32))
    add('unicode_script:many', lambda x: raw.UnicodeScript(input=x), np.arange(0, 0x30000, 211, dtype=I32))
    add('unicode_script:empty', lambda x: raw.UnicodeScript(input=x), np.zeros([0, 2], I32))
