"""Waiting for the checkpoints that another process writes."""
import time

from headrace.tf1 import logging
from headrace.tf1.train import checkpoint_management


def wait_for_new_checkpoint(checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1, timeout=None):
    """The path of the folder's newest checkpoint, once it is another one than `last_checkpoint`; None after `timeout` seconds."""
    logging.info('Waiting for new checkpoint at %s', checkpoint_dir)
    stop = None if timeout is None else time.time() + timeout
    while True:
        path = checkpoint_management.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            logging.info('Found new checkpoint at %s', path)
            return path
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """The paths of a folder's checkpoints as they come; ends after `timeout` seconds without one, if `timeout_fn` agrees."""
    path = None
    while True:
        new = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if new is None:
            if timeout_fn is None:
                logging.info('Timed-out waiting for a checkpoint.')
                return
            if timeout_fn():
                return
            continue
        start, path = time.time(), new
        yield path
        time.sleep(max(0, start + min_interval_secs - time.time()))
