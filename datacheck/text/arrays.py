"""Arrays of one type, by short names: what kernels take and give."""

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
UInt32s = NDArray[np.uint32]
UInt64s = NDArray[np.uint64]
Bools = NDArray[np.bool_]
Float64s = NDArray[np.float64]
Int32s = NDArray[np.int32]
UInt8s = NDArray[np.uint8]
Float16s = NDArray[np.float16]
Float32s = NDArray[np.float32]
