# Summaries, their files.
import glob
import os
import tempfile

import tensorflow as tf


def show(*values):
    """Numbers with six digits, whatever the version of NumPy."""
    def text(v):
        if hasattr(v, 'tolist'):
            v = v.tolist()
        if isinstance(v, (list, tuple)):
            return '[ ' + ' '.join(text(i) for i in v) + ' ]'
        return '%.6g' % v if isinstance(v, float) else str(v)
    print(*[text(v) for v in values])


folder = tempfile.mkdtemp()
x = tf.placeholder(tf.float32, [2], name='x')
one = tf.summary.scalar('one', x[0])
again = tf.summary.scalar('one', x[1], collections=['mine'])
with tf.name_scope('scope'):
    hist = tf.summary.histogram('values', x)
    family = tf.summary.scalar('loss', tf.reduce_sum(x), family='fam')
odd = tf.summary.scalar('odd name:1', x[0])
image = tf.summary.image('image', tf.ones([2, 3, 3, 1]) * 0.5, max_outputs=1)
text = tf.summary.text('text', tf.constant(['a', 'b']))
audio = tf.summary.audio('audio', tf.constant([[0.0, 0.5], [-1.0, 2.0], [0.25, -0.25]]), 8000, max_outputs=2)
stereo = tf.summary.audio('stereo', tf.constant([[[0.0, 0.5], [-1.0, 2.0]]]), tf.constant(44100.5), max_outputs=1)
merged = tf.summary.merge_all()
two = tf.summary.merge([one, hist], name='two')
print([t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)], merged.name, two.name, tf.summary.merge_all('none'),
      tf.summary.merge_all(scope='scope').name)
writer = tf.summary.FileWriter(folder, tf.get_default_graph(), filename_suffix='.mine')
with tf.Session() as sess:
    for step in range(2):
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        metadata = tf.RunMetadata()
        value = sess.run(merged, {x: [step, 0.5]}, options=options, run_metadata=metadata)
        writer.add_summary(value, step)
        writer.add_run_metadata(metadata, 'step%d' % step, step)
summary = tf.Summary(value=[tf.Summary.Value(tag='hand', simple_value=2.5)])
writer.add_summary(summary, 7)
writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 8)
writer.add_event(tf.Event(step=9, summary=summary))
try:
    writer.add_run_metadata(tf.RunMetadata(), 'step0')
except ValueError as e:
    print(e)
writer.flush()
writer.close()
writer.close()
for path in glob.glob(os.path.join(folder, '*')):
    print(path.endswith('.mine'), os.path.basename(path).startswith('events.out.tfevents.'))
    for event in tf.train.summary_iterator(path):
        kind = event.WhichOneof('what')
        print(event.step, kind, event.file_version)
        for value in event.summary.value:
            print(' ', value.tag, value.WhichOneof('value'), value.metadata.plugin_data.plugin_name)
            if value.HasField('histo'):
                show(value.histo.min, value.histo.max, value.histo.num, value.histo.sum, list(value.histo.bucket))
            if value.HasField('image'):
                print(' ', value.image.height, value.image.width, value.image.colorspace)
            if value.HasField('audio'):
                show(value.audio.sample_rate, value.audio.num_channels, value.audio.length_frames, value.audio.content_type,
                     list(bytearray(value.audio.encoded_audio_string)))
            if value.WhichOneof('value') == 'simple_value':
                show(value.simple_value)
