import pytest


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """Two worker processes on this machine, on ports that are free."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        local_directory=str(tmp_path_factory.mktemp("dask")),
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client whose two workers are alive."""
    with cluster.get_client() as client:
        client.wait_for_workers(2, timeout=60)
        yield client
