"""Boxes in images: cut out, drawn, drawn by lot, and the best of those that overlap."""
import collections

from headrace.tf1.framework import dtypes, gen
from headrace.tf1.framework.array import extract_image_patches
from headrace.tf1.framework.convert import convert_to_tensor
from headrace.tf1.framework.graph import name_scope

_NO_SCORE = float('-inf')


def crop_and_resize(image, boxes, box_ind=None, crop_size=None, method='bilinear', extrapolation_value=0, name=None, box_indices=None):
    """Each box, [y1, x1, y2, x2] in [0, 1], of the image of that number, at crop_size."""
    if box_ind is not None and box_indices is not None:
        raise ValueError("Cannot specify both 'box_indices' and 'box_ind'")
    indices = box_ind if box_indices is None else box_indices
    return gen.function('CropAndResize')(image, boxes, indices, crop_size, method=method, extrapolation_value=extrapolation_value, name=name)


def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None):  # pylint: disable=redefined-builtin
    """A window around each row of offsets; noise where it reaches beyond the image."""
    return gen.function('ExtractGlimpse')(input, size, offsets, centered=centered, normalized=normalized, uniform_noise=uniform_noise, name=name)


def extract_patches(images, sizes, strides, rates, padding, name=None):
    return extract_image_patches(images, sizes, strides, rates, padding, name)


def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """Images with the borders of boxes, in ten colours or those given, in turn."""
    if colors is None:
        return gen.function('DrawBoundingBoxes')(images, boxes, name=name)
    return gen.function('DrawBoundingBoxesV2')(images, boxes, colors, name=name)


def sample_distorted_bounding_box(image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1, aspect_ratio_range=None,
                                  area_range=None, max_attempts=None, use_image_if_no_bounding_boxes=None, name=None):
    """(begin, size, box): a random box that covers enough of one of the boxes."""
    attrs = dict(seed=seed, seed2=seed2, aspect_ratio_range=aspect_ratio_range, area_range=area_range, max_attempts=max_attempts,
                 use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes)
    attrs = {key: value for key, value in attrs.items() if value is not None}
    with name_scope(name, 'sample_distorted_bounding_box'):
        return gen.function('SampleDistortedBoundingBoxV2')(image_size, bounding_boxes, min_object_covered, name=name, **attrs)


def _thresholds(dtype=None, **values):
    return [convert_to_tensor(value, dtype=dtype, name=name) for name, value in values.items()]


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=_NO_SCORE, name=None):
    """Indices of boxes, best first, without those that overlap a better one by iou_threshold."""
    with name_scope(name, 'non_max_suppression'):
        thresholds = _thresholds(iou_threshold=iou_threshold, score_threshold=score_threshold)
        return gen.function('NonMaxSuppressionV3')(boxes, scores, max_output_size, *thresholds)


def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=_NO_SCORE, soft_nms_sigma=0.0,
                                    name=None):
    """(indices, scores); with a sigma, boxes that overlap a better one lose score instead."""
    with name_scope(name, 'non_max_suppression_with_scores'):
        thresholds = _thresholds(iou_threshold=iou_threshold, score_threshold=score_threshold, soft_nms_sigma=soft_nms_sigma)
        indices, kept, _ = gen.function('NonMaxSuppressionV5')(boxes, scores, max_output_size, *thresholds, pad_to_max_output_size=False)
        return indices, kept


def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=_NO_SCORE, pad_to_max_output_size=False,
                               name=None):
    """(indices, their number): indices with zeros up to max_output_size, if wanted."""
    with name_scope(name, 'non_max_suppression_padded'):
        thresholds = _thresholds(iou_threshold=iou_threshold, score_threshold=score_threshold)
        return gen.function('NonMaxSuppressionV4')(boxes, scores, max_output_size, *thresholds, pad_to_max_output_size=pad_to_max_output_size)


def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=_NO_SCORE, name=None):
    """The same for a matrix of overlaps."""
    with name_scope(name, 'non_max_suppression_overlaps'):
        thresholds = _thresholds(overlap_threshold=overlap_threshold)
        return gen.function('NonMaxSuppressionWithOverlaps')(overlaps, scores, max_output_size, *thresholds, score_threshold)


CombinedNonMaxSuppression = collections.namedtuple('CombinedNonMaxSuppression', 'nmsed_boxes nmsed_scores nmsed_classes valid_detections')


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5, score_threshold=_NO_SCORE,
                                 pad_per_class=False, clip_boxes=True, name=None):
    """The best boxes of each class, and of those the best, image by image."""
    with name_scope(name, 'combined_non_max_suppression'):
        thresholds = _thresholds(dtypes.float32, iou_threshold=iou_threshold, score_threshold=score_threshold)
        return CombinedNonMaxSuppression(*gen.function('CombinedNonMaxSuppression')(
            boxes, scores, max_output_size_per_class, max_total_size, *thresholds, pad_per_class=pad_per_class, clip_boxes=clip_boxes))
