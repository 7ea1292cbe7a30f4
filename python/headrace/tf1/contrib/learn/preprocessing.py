"""tf.contrib.learn.preprocessing: documents as rows of numbers of words, or of bytes."""
import collections
import pickle
import re

import numpy as np

from headrace.tf1 import gfile

# A word: capitals by themselves, a capitalised part before the next capital (CamelCase), or letters, digits, "'", "-" and "_".
_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+")


def tokenizer(iterator):
    """The words of each text."""
    for value in iterator:
        yield _WORD.findall(value)


class CategoricalVocabulary(object):
    """Numbers of words in the order in which they come; 0 is for unknown ones."""

    def __init__(self, unknown_token='<UNK>', support_reverse=True):
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._mapping, self._reverse_mapping = {unknown_token: 0}, [unknown_token]
        self._freq, self._freeze = collections.defaultdict(int), False

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True):
        """From now on new words are unknown."""
        self._freeze = freeze

    def get(self, category):
        """The number of a word: a new one for a new word."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category, count=1):
        """Counts a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency, max_frequency=-1):
        """Keeps the words that came more than min_frequency (and less than max_frequency) times, the most frequent first."""
        counted = sorted(self._freq.items(), key=lambda item: (-item[1], isinstance(item[0], str), item[0]))
        kept = [(category, count) for category, count in counted
                if count > min_frequency and not 0 < max_frequency <= count]
        self._reverse_mapping = [self._unknown_token] + [category for category, _ in kept]
        self._mapping = {category: i for i, category in enumerate(self._reverse_mapping)}
        self._freq = dict(kept)

    def reverse(self, class_id):
        """The word with a number. ValueError for a vocabulary without support_reverse."""
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


class VocabularyProcessor(object):
    """Documents as rows of max_document_length numbers of words, padded with 0.

    min_frequency: words that come no more often are unknown. tokenizer_fn: gives the words of each document.
    """

    def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None):
        """Learns the words, and no more words from then on. Returns the object."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None):
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents):
        """The row of each document: arrays of int64, one by one."""
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for i, token in zip(range(self.max_document_length), tokens):
                row[i] = self.vocabulary_.get(token)
            yield row

    def reverse(self, documents):
        """The text of each row."""
        for row in documents:
            yield ' '.join(self.vocabulary_.reverse(class_id) for class_id in row)

    def save(self, filename):
        """Writes it to a file, as a pickle."""
        with gfile.GFile(filename, 'wb') as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename):
        """Reads what `save` has written."""
        with gfile.GFile(filename, 'rb') as file:
            return pickle.loads(file.read())


class ByteProcessor(object):
    """Documents as rows of max_document_length bytes of UTF-8, padded with 0."""

    def __init__(self, max_document_length):
        self.max_document_length = max_document_length

    def fit(self, x):
        """Nothing is learned."""

    def fit_transform(self, x):
        return self.transform(x)

    def transform(self, x):
        """The row of each document: arrays of uint8, one by one."""
        for document in x:
            document = document.encode('utf-8') if isinstance(document, str) else document
            row = np.frombuffer(bytes(document)[:self.max_document_length], dtype=np.uint8)
            yield np.pad(row, (0, self.max_document_length - len(row)), 'constant')

    def reverse(self, x):
        """The text of each row; '' for one that is no UTF-8."""
        for row in x:
            try:
                yield np.trim_zeros(row.astype(np.uint8), trim='b').tobytes().decode('utf-8')
            except UnicodeDecodeError:
                yield ''
