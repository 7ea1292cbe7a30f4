"""Readers of all kinds, with the queues and batches that programs put around them."""
import os
import tempfile

import numpy as np
import tensorflow as tf

os.chdir(tempfile.mkdtemp())


def told(function):
    try:
        print(function())
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0].split(' [')[0].split("Reader '")[0])


def kind(function):
    """Only what kind of error it is: texts name files."""
    try:
        print(function())
    except tf.errors.OpError as error:
        print(type(error).__name__)


# ---- files to read
for part in range(2):
    with tf.python_io.TFRecordWriter('part-%d.tfrecord' % part) as writer:
        for i in range(4):
            writer.write(('record %d of %d' % (i, part)).encode())
for kind_of_file, options in [('zlib', tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)),
                              ('gzip', tf.python_io.TFRecordOptions('GZIP'))]:
    with tf.python_io.TFRecordWriter('packed.' + kind_of_file, options=options) as writer:
        for i in range(3):
            writer.write(b'%s %d' % (kind_of_file.encode(), i))
with open('lines.csv', 'wb') as f:
    f.write(b'number,name\r\n1,one\r\n2,"two, or so"\r\n\n3,three')
with open('more.csv', 'wb') as f:
    f.write(b'number,name\n4,four\n')
with open('few.csv', 'wb') as f:
    f.write(b'number,name\n5,\n,six\n')
with open('empty.csv', 'wb') as f:
    pass
with open('fixed.bin', 'wb') as f:
    f.write(b'HHabcdefghiFF')
damaged = bytearray(open('part-0.tfrecord', 'rb').read())
damaged[-3] ^= 1
open('damaged.tfrecord', 'wb').write(bytes(damaged))
open('short.tfrecord', 'wb').write(bytes(damaged[:-20]))

# ---- one record after the other
_queues = []


def queue_of(*names):
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    _queues.append((queue, queue.enqueue_many([list(names)]), queue.close()))
    return queue


records = tf.TFRecordReader().read(queue_of('part-0.tfrecord', 'part-1.tfrecord'))
text_reader = tf.TextLineReader(skip_header_lines=1, name='text')
text = text_reader.read(queue_of('lines.csv', 'empty.csv', 'more.csv'), name='line')
plain_lines = tf.TextLineReader().read(queue_of('lines.csv'))
zlib = tf.TFRecordReader(options=tf.python_io.TFRecordOptions('ZLIB')).read(queue_of('packed.zlib'))
gzip = tf.TFRecordReader(options=tf.python_io.TFRecordOptions('GZIP')).read(queue_of('packed.gzip'))
whole = tf.WholeFileReader().read(queue_of('fixed.bin', 'more.csv'))
identity_reader = tf.IdentityReader()
identity = identity_reader.read(queue_of('x', 'y', 'z'))
fixed = tf.FixedLengthRecordReader(3, header_bytes=2, footer_bytes=2).read(queue_of('fixed.bin'))
hopping = tf.FixedLengthRecordReader(4, header_bytes=1, hop_bytes=2).read(queue_of('fixed.bin'))
far = tf.FixedLengthRecordReader(2, hop_bytes=5).read(queue_of('fixed.bin'))
bad = tf.TFRecordReader().read(queue_of('damaged.tfrecord'))
short = tf.TFRecordReader().read(queue_of('short.tfrecord'))
many_reader = tf.TFRecordReader()
many = many_reader.read_up_to(queue_of('part-0.tfrecord', 'part-1.tfrecord'), 3)
many_lines = tf.TextLineReader().read_up_to(queue_of('more.csv', 'lines.csv'), 10)
names_reader = tf.IdentityReader()
many_names = names_reader.read_up_to(queue_of('p', 'q', 'r'), 2)
one_name = names_reader.read(_queues[-1][0])
names_done = names_reader.num_work_units_completed()
absent = tf.TFRecordReader().read(queue_of('nowhere.tfrecord', 'part-1.tfrecord'))
numbers = tf.FIFOQueue(3, tf.int32, shapes=[[]])
wrong = tf.TFRecordReader().read(numbers)
fed = tf.placeholder(tf.string, [])
state = identity_reader.serialize_state()
restore = identity_reader.restore_state(fed)
counts = [text_reader.num_records_produced(), text_reader.num_work_units_completed()]
many_counts = [many_reader.num_records_produced(), many_reader.num_work_units_completed()]
reset = many_reader.reset()
no_state = text_reader.serialize_state()
print(records.key.shape, records.value.dtype, many.keys.shape, many.values.shape, counts[0].dtype, text_reader.supports_serialize,
      identity_reader.supports_serialize, text_reader.reader_ref.name)

with tf.Session() as sess:
    for _, fill, close in _queues:
        sess.run(fill)
        sess.run(close)
    for pair in (records, text, plain_lines, zlib, gzip, whole, identity, fixed, hopping, far):
        try:
            while True:
                print(*sess.run(pair))
        except tf.errors.OutOfRangeError as error:
            print('end:', error.message.split('\n')[0].split("' ")[1].split(' [')[0])
    print(*sess.run(counts + [state, identity_reader.num_records_produced()]))
    for i in range(5):
        kind(lambda: sess.run(bad))
    for i in range(3):
        kind(lambda: sess.run(short.value))
    for i in range(3):
        print([list(part) for part in sess.run(many)], *sess.run(many_counts))
    sess.run(reset)
    print(*sess.run(many_counts))
    print([list(part) for part in sess.run(many_lines)])
    print([list(part) for part in sess.run(many_lines)])
    print(sess.run(one_name), sess.run(names_done), [list(part) for part in sess.run(many_names)], sess.run(names_done))
    kind(lambda: sess.run(absent))
    kind(lambda: sess.run(absent))
    sess.run(restore, {fed: b'\x08\x01\x10\x01\x18\x07'})
    print(sess.run(state))
    print(*sess.run([identity_reader.num_records_produced(), identity_reader.num_work_units_completed()]))
    told(lambda: sess.run(no_state))
    told(lambda: sess.run(restore, {fed: b'\x08\x03\x10\x02\x18\x02\x22\x01w'}))
    told(lambda: sess.run(restore, {fed: b'\xff'}))
    sess.run(numbers.enqueue([1]))
    told(lambda: sess.run(wrong))

# ---- whole files
with tf.Session() as sess:
    sess.run(tf.write_file('deep/er/note.txt', 'some text'))
    print(sess.run(tf.read_file('deep/er/note.txt')))
    kind(lambda: sess.run(tf.read_file('deep/nothing.txt')))
    print(list(sess.run(tf.matching_files('part-*.tfrecord'))), list(sess.run(tf.matching_files(['*.csv', 'p*zlib']))),
          list(sess.run(tf.matching_files('no*where'))), list(sess.run(tf.matching_files('deep/*/note.???'))))
    told(lambda: tf.read_file(['a', 'b']))
    told(lambda: sess.run(tf.matching_files([['a']])))

# ---- a pipeline
files = tf.train.match_filenames_once('part-*.tfrecord')
names = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
reader = tf.TFRecordReader()
_, value = reader.read(names)
value.set_shape([])
drawn = tf.train.shuffle_batch([value], batch_size=4, num_threads=1, capacity=30, min_after_dequeue=8, seed=5)
lines = tf.train.string_input_producer(['more.csv', 'few.csv'], num_epochs=1, shuffle=False)
_, line = tf.TextLineReader(skip_header_lines=1).read(lines)
number, word = tf.decode_csv(line, [[0], ['none']])
batch = tf.train.batch([number, word], 2, allow_smaller_final_batch=True)
print(files.name, files.dtype, drawn.shape, number.shape, batch[1].shape)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    print(sorted(sess.run(files)))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    got = []
    try:
        while not coord.should_stop():
            got.append(sess.run(drawn))
    except tf.errors.OutOfRangeError:
        print('drawn:', len(got), sorted(np.concatenate(got)) == sorted(2 * [b'record %d of %d' % (i, k) for i in range(4) for k in range(2)]))
    try:
        while not coord.should_stop():
            numbers_read, words_read = sess.run(batch)
            print(numbers_read, words_read)
    except tf.errors.OutOfRangeError:
        print('no more lines')
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=10)
