"""slim's data sets: readers in parallel, decoders of examples, providers, prefetching."""
import os
import tempfile

import tensorflow as tf

slim = tf.contrib.slim
os.chdir(tempfile.mkdtemp())


def told(function):
    try:
        print(function())
    except (ValueError, TypeError) as error:
        print(type(error).__name__, str(error).split('\n')[0].replace('(\'', '').split(': ')[0])


def ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


for part in range(2):
    with tf.python_io.TFRecordWriter('part-%d.tfrecord' % part) as writer:
        for i in range(3):
            number = 3 * part + i
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                'label': ints(number), 'matrix': floats(*[number + 0.5 * k for k in range(4)]), 'rows': ints(2), 'columns': ints(2),
                'box/ymin': floats(0.1, number), 'box/xmin': floats(0.2, 0), 'box/ymax': floats(0.3, 0), 'box/xmax': floats(0.4, 1),
                'indices': ints(1, 3), 'values': floats(5., number), 'name': tf.train.Feature(
                    bytes_list=tf.train.BytesList(value=[b'a' if number % 2 else b'q'])),
                'few': ints(*range(number % 2))})).SerializeToString(deterministic=True))

table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(['a', 'b'], [0, 1], tf.string, tf.int64), -1)
decoder = slim.tfexample_decoder.TFExampleDecoder(
    keys_to_features={
        'label': tf.FixedLenFeature([1], tf.int64), 'matrix': tf.VarLenFeature(tf.float32), 'rows': tf.FixedLenFeature([], tf.int64),
        'columns': tf.FixedLenFeature([], tf.int64), 'indices': tf.VarLenFeature(tf.int64), 'values': tf.VarLenFeature(tf.float32),
        'name': tf.FixedLenFeature([], tf.string), 'few': tf.VarLenFeature(tf.int64), 'box/ymin': tf.VarLenFeature(tf.float32),
        'box/xmin': tf.VarLenFeature(tf.float32), 'box/ymax': tf.VarLenFeature(tf.float32), 'box/xmax': tf.VarLenFeature(tf.float32)},
    items_to_handlers={
        'label': slim.tfexample_decoder.Tensor('label', shape=[]),
        'matrix': slim.tfexample_decoder.Tensor('matrix', shape_keys=['rows', 'columns']),
        'boxes': slim.tfexample_decoder.BoundingBox(prefix='box/'),
        'sparse': slim.tfexample_decoder.SparseTensor(shape=[5], densify=True),
        'id': slim.tfexample_decoder.LookupTensor('name', table),
        'twice': slim.tfexample_decoder.ItemHandlerCallback(['label'], lambda tensors: tensors['label'] * 2),
        'few': slim.tfexample_decoder.BackupHandler(slim.tfexample_decoder.Tensor('few'), slim.tfexample_decoder.Tensor('label'))})
dataset = slim.dataset.Dataset(['part-0.tfrecord', 'part-1.tfrecord'], tf.TFRecordReader, decoder, 6, {'label': 'a number'}, num_classes=6)
print(dataset.num_classes, dataset.num_samples, sorted(decoder.list_items()))
provider = slim.dataset_data_provider.DatasetDataProvider(dataset, shuffle=False, num_epochs=1, common_queue_capacity=20, common_queue_min=2)
print(sorted(provider.list_items()), provider.num_samples())
items = ['label', 'matrix', 'boxes', 'sparse', 'id', 'twice', 'few', 'record_key']
element = provider.get(items)
shuffled = slim.dataset_data_provider.DatasetDataProvider(dataset, num_readers=2, seed=3, scope='shuffled').get(['label'])
single = slim.parallel_reader.single_pass_read(['part-1.tfrecord'], tf.TFRecordReader)
queue = slim.prefetch_queue.prefetch_queue([element[0], element[5]], capacity=4)
named = slim.prefetch_queue.prefetch_queue({'x': tf.constant(1), 'a': tf.constant([2.])}, num_threads=2, dynamic_pad=True, name='named')
print(queue.name, named.name, named.names, [t.shape for t in queue.dequeue()], single.key.name)
told(lambda: provider.get('label'))
told(lambda: slim.parallel_reader.get_data_files('no*'))
print(sorted(os.path.basename(name) for name in slim.parallel_reader.get_data_files(['part-*', 'other'])))
told(lambda: slim.parallel_reader.ParallelReader(tf.TFRecordReader, tf.FIFOQueue(1, tf.int32)))
told(lambda: slim.tfexample_decoder.BoundingBox(['a']))
told(lambda: slim.tfexample_decoder.Tensor('a', shape_keys=['b'], shape=[1]))
told(lambda: slim.dataset_data_provider.DatasetDataProvider(dataset, record_key='label'))

with tf.Session() as sess:
    sess.run([tf.local_variables_initializer(), tf.tables_initializer()])
    coord = tf.train.Coordinator()
    runners = [runner for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
               if runner.name.startswith(('parallel_read/', 'single_pass_read/'))]
    threads = [thread for runner in runners for thread in runner.create_threads(sess, coord=coord, daemon=True, start=True)]
    try:
        while True:
            print([value.tolist() if hasattr(value, 'tolist') else value for value in sess.run(element)])
    except tf.errors.OutOfRangeError:
        print('end')
    print(sess.run(single.key))
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=5)
