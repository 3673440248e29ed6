"""A cluster of MariaDB nodes on this machine: started, killed, started again, and ended."""

import contextlib
import ctypes
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymysql
from pymysql.connections import Connection

from tests import memory
from tests.system.servers import PATIENCE, until

HERE = "127.0.0.1"
SCHEMA = "calendar"
LOGIN, PASSWORD = "calendar", "of the tests"
PROVIDERS = (
    "/usr/lib/galera/libgalera_smm.so",
    "/usr/lib64/galera-4/libgalera_smm.so",
    "/usr/lib/libgalera_smm.so",
)
PROGRAMS = ("mariadbd", "mariadb-install-db", "rsync", "socat")

#: A killed node is missed after three seconds; the rest keeps three nodes small and quick. What is committed
#: survives the kill of a process without being flushed to the disk, which only a power cut would need.
SETTINGS = """\
[mariadbd]
datadir={data}
socket=mariadb.sock
pid-file=mariadb.pid
bind-address={here}
port={port}
skip-name-resolve
character-set-server=utf8mb4
binlog_format=ROW
innodb_autoinc_lock_mode=2
innodb_buffer_pool_size=32M
innodb_flush_log_at_trx_commit=2
innodb_log_file_size=16M
wsrep_on=ON
wsrep_provider={provider}
wsrep_cluster_name={name}
wsrep_cluster_address=gcomm://{members}
wsrep_node_name=node{number}
wsrep_node_address={here}:{group}
wsrep_slave_threads=2
wsrep_sst_method=rsync
wsrep_sst_receive_address={here}:{whole}
wsrep_provider_options="{options}"
"""
OPTIONS = (
    "base_port={group}; gmcast.listen_addr=tcp://{here}:{group}; ist.recv_addr={here}:{missed}; "
    "evs.keepalive_period=PT0.5S; evs.suspect_timeout=PT2S; evs.inactive_timeout=PT5S; "
    "evs.install_timeout=PT2.5S; gcache.size=16M"
)


def lacking() -> str:
    """What this machine has to get before a cluster can be started; empty when there is nothing."""
    missing = [program for program in PROGRAMS if not _found(program)]
    if not any(Path(path).exists() for path in PROVIDERS):
        missing.append("galera-4")
    if not _scheduling_is_known() and not _found("gcc"):
        missing.append("gcc")
    return ", ".join(missing)


def _found(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def _scheduling_is_known() -> bool:
    """Whether the kernel says how a thread is scheduled, without which Galera does not start."""
    answers: list[int] = []

    def ask() -> None:
        policy, parameters = ctypes.c_int(), ctypes.create_string_buffer(64)
        thread = ctypes.c_ulong(threading.get_ident())
        answers.append(ctypes.CDLL(None).pthread_getschedparam(thread, ctypes.byref(policy), parameters))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return answers == [0]


def _preloaded(folder: Path) -> dict[str, str]:
    """What the environment of a node needs on a kernel that does not say how a thread is scheduled."""
    if _scheduling_is_known():
        return {}
    library = folder / "scheduling.so"
    source = Path(__file__).with_name("scheduling.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library)}


def free_ports(count: int) -> list[int]:
    """Free ports that no outgoing connection will take while a killed node does not listen on its own."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    found: list[int] = []
    for port in random.sample(range(10_000, lowest), lowest - 10_000):
        with contextlib.suppress(OSError), socket.create_server((HERE, port)):
            found.append(port)
        if len(found) == count:
            return found
    raise AssertionError("no free ports")


@dataclass
class Node:
    """One node: its folder and its ports, for SQL, for the group, and for whole and missed records."""

    number: int
    folder: Path
    port: int
    group: int
    whole: int
    missed: int
    extra: dict[str, str]
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def start(self, *, new_cluster: bool = False) -> None:
        """Start it and wait until it has all records and takes writes."""
        assert self.process is None, f"node {self.number} is running"
        command = [_found("mariadbd") or "", f"--defaults-file={self.folder / 'settings'}", *_as_whom()]
        if new_cluster:
            command.append("--wsrep-new-cluster")
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                command, env=os.environ | self.extra, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
        until(self.synced, self.process, self.said)

    def kill(self) -> None:
        """End it and whatever it has started as `kill -9` does: at once and without a word to the others."""
        assert self.process is not None, f"node {self.number} is not running"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=PATIENCE)
        self.process = None

    def said(self) -> str:
        return f"node {self.number}:\n" + "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-30:])

    @contextlib.contextmanager
    def connected(self, schema: str | None = SCHEMA, **more: Any) -> Iterator["Connection[Any]"]:
        """A connection of the root user, past any service."""
        options = {"charset": "utf8mb4", "autocommit": True, "read_timeout": PATIENCE, "ssl_disabled": True}
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.folder / "data" / "mariadb.sock"))
            connection = Connection(user="root", database=schema, defer_connect=True, **options | more)
            connection.connect(line)
            with contextlib.closing(connection):
                yield connection

    def query(self, sql: str, *values: Any, schema: str | None = SCHEMA) -> list[tuple[Any, ...]]:
        """The rows of one statement; it sees everything that any node has committed before."""
        with self.connected(schema) as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION wsrep_sync_wait = 7")
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())

    def status(self) -> dict[str, str]:
        """What the node says about itself and the cluster, by the names after `wsrep_`."""
        with self.connected(None) as connection, connection.cursor() as cursor:
            cursor.execute("SHOW STATUS LIKE 'wsrep%'")
            return {name.removeprefix("wsrep_"): value for name, value in cursor.fetchall()}

    def synced(self) -> bool:
        """Whether it has all records and takes writes."""
        try:
            found = self.status()
        except (OSError, pymysql.MySQLError):
            return False
        return (found["ready"], found["local_state_comment"]) == ("ON", "Synced")

    def in_quorum(self) -> bool:
        return self.status()["cluster_status"] == "Primary"


def _as_whom() -> list[str]:
    """Root hands over to the user that came with the server, because rsync would not write as root either."""
    return ["--user=mysql"] if os.geteuid() == 0 else []


@dataclass
class Cluster:
    """Three nodes; `nodes[0]` is node 1."""

    nodes: list[Node]

    def url(self, *order: int) -> str:
        """The setting of a service that prefers the nodes of these numbers in this order."""
        hosts = ",".join(f"{HERE}:{self.nodes[number - 1].port}" for number in order)
        return f"mysql://{LOGIN}:{PASSWORD.replace(' ', '%20')}@{hosts}/{SCHEMA}"

    def alive(self) -> list[Node]:
        return [node for node in self.nodes if node.process is not None]

    def wait(self, size: int) -> None:
        """Until every node that runs sees a cluster of this size and has its records."""
        for node in self.alive():
            assert node.process is not None
            until(
                lambda node=node: node.synced() and node.status()["cluster_size"] == str(size),
                node.process,
                node.said,
            )

    def empty(self) -> None:
        """Drop and create the schema of the service, without records."""
        self.nodes[0].query(f"DROP DATABASE IF EXISTS {SCHEMA}", schema=None)
        self.nodes[0].query(f"CREATE DATABASE {SCHEMA}", schema=None)

    def bootstrap(self, node: Node) -> None:
        """Tell a node that has lost the quorum that it is the cluster now, as an operator does."""
        node.query("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'", schema=None)

    def end(self) -> None:
        for node in self.alive():
            node.kill()


@contextlib.contextmanager
def started(count: int = 3) -> Iterator[Cluster]:
    """A cluster with an empty schema and an account for the service; nothing of it is left afterwards."""
    assert not lacking(), f"a cluster cannot be started here, this is missing: {lacking()}"
    with memory.folder("cluster") as folder:
        folder.chmod(0o711)  # the servers may be another user's
        cluster = _made(folder, count)
        try:
            cluster.nodes[0].start(new_cluster=True)
            account = f"{LOGIN}@'{HERE}'"
            cluster.nodes[0].query(f"CREATE USER {account} IDENTIFIED BY '{PASSWORD}'", schema=None)
            cluster.nodes[0].query(f"GRANT ALL ON {SCHEMA}.* TO {account}", schema=None)
            cluster.empty()
            for node in cluster.nodes[1:]:
                node.start()
            cluster.wait(count)
            yield cluster
        finally:
            cluster.end()


def _made(folder: Path, count: int) -> Cluster:
    extra = _preloaded(folder)
    cluster = Cluster([
        Node(number, folder / f"node{number}", *free_ports(4), extra=extra) for number in range(1, count + 1)
    ])  # fmt: skip
    members = ",".join(f"{HERE}:{node.group}" for node in cluster.nodes)
    provider = next(path for path in PROVIDERS if Path(path).exists())
    for node in cluster.nodes:
        _prepare(node, name=folder.name, members=members, provider=provider)
    return cluster


def _prepare(node: Node, **settings: str) -> None:
    """Its settings, and for the first one the server's own tables; the others get theirs from the first."""
    data = node.folder / "data"
    data.mkdir(parents=True)
    if os.geteuid() == 0:
        shutil.chown(data, "mysql")
    ports = {name: getattr(node, name) for name in ("port", "group", "whole", "missed")}
    places = {"here": HERE, **ports}
    options = OPTIONS.format(**places)
    (node.folder / "settings").write_text(
        SETTINGS.format(**places, **settings, data=data, number=node.number, options=options), "utf-8"
    )
    if node.number == 1:
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", f"--datadir={data}", *_as_whom(), "--skip-test-db",
             "--auth-root-authentication-method=normal"],
            check=True, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
