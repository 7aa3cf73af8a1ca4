"""A dataset as the bytes of a netCDF file, made in memory: the HDF5 library does not survive a disk that fills up."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from multibody.errors import ModelError

if TYPE_CHECKING:
    import xarray


def netcdf(data: xarray.Dataset) -> bytes:
    """Return a dataset as netCDF 4, by h5netcdf.

    Parameters
    ----------
    data : xarray.Dataset

    Raises
    ------
    ModelError
        If h5netcdf or h5py is not installed.
    """
    try:
        import h5netcdf
        from xarray.backends import H5NetCDFStore
    except ImportError as error:
        raise ModelError(f"netCDF needs a further package ({error})", hint="pip install multibody[netcdf]") from None
    memory = io.BytesIO()
    with h5netcdf.File(memory, "w") as file:
        store: Any = H5NetCDFStore(file)
        data.dump_to_store(store)
        store.sync()
    return memory.getvalue()
