"""tf.lookup: tables from keys to values."""
from headrace.tf1.framework.lookup import (  # noqa: F401
    KeyValueTensorInitializer, StaticHashTable, StaticVocabularyTable, TextFileIndex, TextFileInitializer)
from headrace.tf1.lookup import experimental  # noqa: F401
