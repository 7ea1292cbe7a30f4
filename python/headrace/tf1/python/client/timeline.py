"""tensorflow.python.client.timeline: the trace of a step as Chrome (chrome://tracing) and Perfetto show it.

    run_metadata = tf.RunMetadata()
    sess.run(op, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=run_metadata)
    with open('timeline.json', 'w') as f:
        f.write(timeline.Timeline(run_metadata.step_stats).generate_chrome_trace_format())
"""
import json
import re

# What nodes' labels look like: "add = Add(x, y)".
_LABEL = re.compile(r'^(?P<name>\S+) = (?P<op>[^(\s]+)\((?P<inputs>.*)\)$')


class Timeline(object):
    """A step's trace, made from StepStats."""

    def __init__(self, step_stats, graph=None):
        self._step_stats = step_stats
        self._graph = graph

    def _describe(self, node):
        """(op, names of the inputs) of a NodeExecStats."""
        found = _LABEL.match(node.timeline_label)
        if found is not None:
            return found.group('op'), [name for name in re.split(r',\s*', found.group('inputs')) if name]
        if self._graph is not None:
            try:
                op = self._graph.get_operation_by_name(node.node_name)
                return op.type, [tensor.op.name for tensor in op.inputs]
            except KeyError:
                pass
        return node.timeline_label or node.node_name, []

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False):
        """The trace as JSON. show_dataflow: arrows from a node to those that take its value; show_memory: a counter of bytes that each
        node's outputs take."""
        events, ends = [], {}
        for process, device in enumerate(self._step_stats.dev_stats):
            events.append({'ph': 'M', 'name': 'process_name', 'pid': process, 'args': {'name': device.device + ' Compute'}})
            for node in device.node_stats:
                ends[node.node_name] = (process, node)
        flows = 0
        for process, device in enumerate(self._step_stats.dev_stats):
            total = 0
            for node in sorted(device.node_stats, key=lambda node: node.all_start_micros):
                op, inputs = self._describe(node)
                arguments = {'name': node.node_name, 'op': op}
                arguments.update(('input%d' % i, name) for i, name in enumerate(inputs))
                events.append({'ph': 'X', 'cat': 'Op', 'name': op, 'pid': process, 'tid': node.thread_id, 'ts': node.all_start_micros,
                               'dur': node.all_end_rel_micros, 'args': arguments})
                if show_memory:
                    total += sum(output.tensor_description.allocation_description.allocated_bytes for output in node.output)
                    events.append({'ph': 'C', 'cat': 'Memory', 'name': 'bytes of outputs', 'pid': process, 'ts': node.all_start_micros,
                                   'args': {'bytes': total}})
                for name in inputs if show_dataflow else ():
                    source = ends.get(name.lstrip('^').split(':')[0])
                    if source is None:
                        continue
                    flows += 1
                    from_process, from_node = source
                    events.append({'ph': 's', 'cat': 'DataFlow', 'name': name, 'id': flows, 'pid': from_process,
                                   'tid': from_node.thread_id, 'ts': from_node.all_start_micros + from_node.all_end_rel_micros})
                    events.append({'ph': 't', 'cat': 'DataFlow', 'name': name, 'id': flows, 'pid': process, 'tid': node.thread_id,
                                   'ts': node.all_start_micros})
        return json.dumps({'traceEvents': events}, indent=4, separators=(',', ': '))
