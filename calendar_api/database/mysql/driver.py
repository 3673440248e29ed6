"""PyMySQL's connection, which parses results in one pass: PyMySQL takes three times as long.

A result consists of packets: the number of columns, each column, an end, each row, an end. A packet has its
length in three bytes, its number in one, and its content; a value in a row has its length before it.
"""

from collections.abc import Callable
from functools import lru_cache
from struct import Struct
from typing import NoReturn, TypeAlias

import pymysql
from pymysql.connections import TEXT_TYPES, MySQLResult
from pymysql.constants import CR
from pymysql.converters import decoders
from pymysql.protocol import FieldDescriptorPacket, MysqlPacket

Decode: TypeAlias = Callable[[bytes], object]
Row: TypeAlias = tuple[object, ...]

_CHUNK = 2**17  # bytes to receive at once, at most
_HEADER = 4  # bytes before the content of a packet
_LENGTH = 2**24 - 1  # the bits of its length in them; all are set if the content continues in the next packet
_NULL, _TWO_BYTES, _THREE_BYTES = 0xFB, 0xFC, 0xFD  # first byte of a value that is not its length
_END, _ERROR = 0xFE, 0xFF  # first byte of a packet
_END_LENGTH = 5  # of the content; a row that begins with the same byte is longer
_BINARY = 63  # character set of bytes

_uint16, _uint32 = Struct("<H").unpack_from, Struct("<I").unpack_from


class RowConnection(pymysql.connections.Connection):
    """A connection for statements with one result."""

    def _read_query_result(self, unbuffered: bool = False) -> int:
        self._result = None
        result = _Result(self)
        result.read()
        del result.connection  # else a cycle of references
        self._result = result
        if result.server_status is not None:
            self.server_status = result.server_status
        return result.affected_rows

    def escape(self, obj: object, mapping: object = None) -> str:
        """Lists have many ids, which need none of PyMySQL's tests of types."""
        return str(obj) if type(obj) is int else super().escape(obj, mapping)

    def receive(self) -> bytes:
        """Return what the server has sent, at least one byte."""
        try:
            data: bytes = self._rfile.read1(_CHUNK)
        except OSError as error:
            self.lose(CR.CR_SERVER_LOST, f"Lost connection to MySQL server during query ({error})")
        except BaseException:
            self._force_close()
            raise
        if not data:
            self.lose(CR.CR_SERVER_LOST, "Lost connection to MySQL server during query")
        return data

    def lose(self, code: int, text: str) -> NoReturn:
        """Close the connection, and raise OperationalError."""
        self._force_close()
        raise pymysql.err.OperationalError(code, text)


class _Result(MySQLResult):
    connection: RowConnection
    affected_rows: int

    def read(self) -> None:
        connection, receive = self.connection, self.connection.receive
        data, at = _after(b"", 0, receive)
        first = MysqlPacket(data[_HEADER:at], connection.encoding)
        if data[_HEADER - 1] != 1 or first.is_load_local_packet():  # numbered 0: the server shuts down
            connection.lose(CR.CR_COMMANDS_OUT_OF_SYNC, "Unexpected packet from MySQL server")
        first.check_error()
        if first.is_ok_packet():
            self._read_ok_packet(first)
            return
        start, self.field_count = at, first.read_length_encoded_integer()
        for _ in range(self.field_count):
            data, at = _after(data, at, receive)
        self.description, decode = _columns(data[start:at])
        data, at = _after(data, at, receive)
        self.rows, end = _rows(data, at, decode, receive)
        self.affected_rows = len(self.rows)
        if end[_HEADER] == _ERROR and len(end) > _HEADER + _END_LENGTH:
            MysqlPacket(end[_HEADER:], connection.encoding).raise_for_error()
        if end[_HEADER] != _END or len(end) != _HEADER + _END_LENGTH:
            connection.lose(CR.CR_COMMANDS_OUT_OF_SYNC, "Unexpected packets from MySQL server")


def _after(data: bytes, at: int, receive: Callable[[], bytes]) -> tuple[bytes, int]:
    """Receive the rest of the packet at `at`; return `data` with it, and where the packet ends."""
    while len(data) < at + _HEADER:
        data += receive()
    end = at + _HEADER + (_uint32(data, at)[0] & _LENGTH)
    while len(data) < end:
        data += receive()
    return data, end


def _rows(
    data: bytes, at: int, columns: list[Decode | None], receive: Callable[[], bytes]
) -> tuple[tuple[Row, ...], bytes]:
    """Return the rows from `at` on, and what follows them: one packet, unless the server fails."""
    rows: list[Row] = []
    while True:
        content = at + _HEADER
        if len(data) <= content or len(data) < (end := content + (_uint32(data, at)[0] & _LENGTH)):
            data, at = data[at:] + receive(), 0
            continue
        first = data[content]
        if first >= _END and (first == _ERROR or end - content == _END_LENGTH):
            return tuple(rows), data[at:]
        row: list[object] = []
        at = content
        for decode in columns:
            size = data[at]
            at += 1
            if size >= _NULL:
                if size == _NULL:
                    row.append(None)
                    continue
                if size == _TWO_BYTES:
                    size, at = _uint16(data, at)[0], at + 2
                elif size == _THREE_BYTES:
                    size, at = _uint32(data, at)[0] & _LENGTH, at + 3
            value = data[at : at + size]
            at += size
            row.append(value if decode is None else decode(value))
        if at != end:
            return tuple(rows), data[at:]
        rows.append(tuple(row))


@lru_cache(maxsize=512)
def _columns(packets: bytes) -> tuple[tuple[Row, ...], list[Decode | None]]:
    """Return the description of columns as a cursor has it, and how to decode their values."""
    description, decode, at = [], [], 0
    while at < len(packets):
        packets, end = _after(packets, at, bytes)
        column = FieldDescriptorPacket(packets[at + _HEADER : end], "utf-8")
        description.append(column.description())
        decode.append(_decoder(column.type_code, column.charsetnr))
        at = end
    return tuple(description), decode


def _decoder(type_code: int, charset: int) -> Decode | None:
    """The same values as PyMySQL returns; None for bytes."""
    if type_code in TEXT_TYPES:
        return None if charset == _BINARY else bytes.decode
    convert = decoders.get(type_code, str)
    return convert if convert in (int, float) else lambda value: convert(value.decode())
