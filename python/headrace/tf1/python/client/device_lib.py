"""tensorflow.python.client.device_lib: what devices there are."""


def list_local_devices(session_config=None):
    """A DeviceAttributes message for each device of this machine that a session would use. Opens nothing."""
    del session_config
    import headrace
    from headrace.tf1.framework import protos
    attributes = protos.message('DeviceAttributes')
    found = []
    for device in headrace.devices():
        if not device.get('used', True):
            continue
        name = device['name']
        found.append(attributes(name='/device:' + name.split('/device:')[-1], device_type=device['device_type'],
                                memory_limit=int(device.get('memory_limit_bytes') or 0),
                                physical_device_desc=device.get('description', '')))
    return found
