"""tf.strings: text and bytes, element by element."""
from headrace.tf1.framework.strings import (
    as_string, reduce_join, regex_full_match, regex_replace, split, string_format as format, string_join as join,
    string_length as length, string_lower as lower, string_strip as strip, string_to_hash_bucket as to_hash_bucket,
    string_to_hash_bucket_fast as to_hash_bucket_fast, string_to_hash_bucket_strong as to_hash_bucket_strong,
    string_to_number as to_number, string_upper as upper, substr, unicode_script, unicode_transcode, unsorted_segment_join)
