"""Step statistics as a trace for chrome://tracing (tensorflow.python.client.timeline)."""
import json


class Timeline(object):
    """The trace of a step's StepStats."""

    def __init__(self, step_stats, graph=None):
        self._step_stats, self._graph = step_stats, graph

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False):
        """The trace as JSON text: one process for each device, its threads as lanes."""
        events = []
        for pid, device in enumerate(self._step_stats.dev_stats):
            events.append({'name': 'process_name', 'ph': 'M', 'pid': pid, 'args': {'name': device.device + ' Compute'}})
            for node in device.node_stats:
                # A label reads "name = Op(inputs)".
                label = node.timeline_label or node.node_name
                name, _, rest = label.partition(' = ')
                op, _, inputs = rest.partition('(')
                args = {'name': node.node_name, 'op': op or node.node_name}
                for i, source in enumerate(s for s in inputs.rstrip(')').split(', ') if s):
                    args['input%d' % i] = source
                events.append({'name': op or name, 'cat': 'Op', 'ph': 'X', 'pid': pid, 'tid': int(node.thread_id),
                               'ts': int(node.all_start_micros), 'dur': max(int(node.all_end_rel_micros), 1), 'args': args})
        return json.dumps({'traceEvents': events}, indent=4)
