"""tf.contrib.learn: documents as numbers of words and of bytes; tables from CSV files."""
import os
import tempfile

import numpy as np
import tensorflow as tf

learn = tf.contrib.learn
texts = ["The cat's mat-like CamelCase HTMLFile", 'the cat and THE dog', 'cat cat dog', '', 'naive caf\u00e9 x_1 2nd']
folder = tempfile.mkdtemp()
for frequency in (0, 1):
    processor = learn.preprocessing.VocabularyProcessor(6, min_frequency=frequency)
    rows = np.array(list(processor.fit_transform(texts)))
    print(rows.dtype, rows.tolist(), len(processor.vocabulary_))
    print(list(processor.reverse(rows[:2])))
    path = os.path.join(folder, 'vocabulary')
    processor.save(path)
    again = learn.preprocessing.VocabularyProcessor.restore(path)
    print([row.tolist() for row in again.transform(['cat unknown dog'])], again.max_document_length)
own = learn.preprocessing.VocabularyProcessor(3, tokenizer_fn=lambda docs: (doc.split(',') for doc in docs))
print([row.tolist() for row in own.fit_transform(['a,b', 'b,c,d,e'])], own.vocabulary_.get('c'), own.vocabulary_.get('z'))
bytes_ = learn.preprocessing.ByteProcessor(7)
rows = list(bytes_.fit_transform(['abc', 'caf\u00e9 au lait', b'xy']))
print([row.tolist() for row in rows], rows[0].dtype, list(bytes_.reverse(rows)))

path = os.path.join(folder, 'table.csv')
with open(path, 'w') as f:
    f.write('3,2,a,b\n1.5,2,0\n3,4.5,1\n5,6,2\n')
table = learn.datasets.base.load_csv_with_header(path, target_dtype=np.int32, features_dtype=np.float32)
print(table.data.tolist(), table.target.tolist(), table.target.dtype)
with open(path, 'w') as f:
    f.write('0,1,2\n1,3,4\n')
table = learn.datasets.base.load_csv_without_header(path, np.int64, np.float64, target_column=0)
print(table.data.tolist(), table.target.tolist(), 'mnist' in learn.datasets.DATASETS)
try:
    learn.datasets.load_dataset('nothing')
except ValueError as e:
    print(e)
