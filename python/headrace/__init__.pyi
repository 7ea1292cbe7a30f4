from contextlib import AbstractContextManager
from types import ModuleType, TracebackType
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Type, TypedDict, Union

__version__: str
__all__: List[str]

tf1: ModuleType
run: ModuleType

class Device(TypedDict):
    name: str  # "/job:localhost/replica:0/task:0/device:GPU:0"
    device_type: str  # "CPU", "GPU"
    memory_limit_bytes: int  # 0: the machine's
    description: str
    used: bool
    reason: str  # why it is not used

def devices() -> List[Device]:
    """Devices of this machine. Opens nothing."""

class SessionDevice(NamedTuple):
    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

class Session:
    """Runs parts of a graph of headrace.tf1: owns devices, placement, compiled steps and variables. Also headrace.tf1.Session."""

    # `graph`: a headrace.tf1.Graph, the default one if None; `config`: a headrace.tf1.ConfigProto.
    def __init__(self, target: Union[str, bytes] = "", graph: Optional[Any] = None, config: Optional[Any] = None) -> None: ...
    def __enter__(self) -> Session: ...
    def __exit__(self, exc_type: Optional[Type[BaseException]], exc_value: Optional[BaseException], exc_tb: Optional[TracebackType]) -> bool: ...
    def close(self) -> None:
        """Ends what runs and frees variables."""
    def run(
        self, fetches: Any, feed_dict: Optional[Mapping[Any, Any]] = None, options: Optional[Any] = None, run_metadata: Optional[Any] = None
    ) -> Any:
        """Values of the fetches (tensors, operations, names, or nested lists, tuples and dicts of these), in their structure."""
    def make_callable(self, fetches: Any, feed_list: Optional[Sequence[Any]] = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function of the values of `feed_list` that runs the fetches: faster than run, as all is resolved once."""
    def list_devices(self) -> List[SessionDevice]:
        """Devices of this session."""
    def placement(self, op: Any) -> str:
        """Full name of the device where an operation runs in this session."""
    def placement_report(self) -> str:
        """A table: node, op, requested device, assigned device, reason."""
    def as_default(self) -> AbstractContextManager[Session]: ...
    @property
    def graph(self) -> Any: ...
    @property
    def graph_def(self) -> Any: ...
    @property
    def sess_str(self) -> bytes: ...
    @staticmethod
    def reset(target: str, containers: Optional[Sequence[str]] = None, config: Optional[Any] = None) -> None:
        """Frees the variables and queues of a server (a headrace.tf1.train.Server), and closes its sessions."""
