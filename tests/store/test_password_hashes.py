"""Digests of passwords."""

import hashlib
import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.store import password_hashes, users

PASSWORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=255)


@given(password=PASSWORDS, other=PASSWORDS)
def test_digest_opens_with_its_own_password_only(password: str, other: str) -> None:
    with pytest.MonkeyPatch.context() as cheap:
        cheap.setattr(password_hashes, "_SCRYPT_N", 2)
        digest = password_hashes.event_digest(password)

        assert password_hashes.opens(password, digest)
        assert password_hashes.opens(other, digest) is (normalize("NFC", other) == normalize("NFC", password))


def test_letters_in_any_form_open() -> None:
    assert password_hashes.opens("zu\u0308rich", password_hashes.event_digest("z\u00fcrich"))


@pytest.mark.parametrize(("password", "digest"), [(None, "x"), ("", "x"), ("key", ""), (None, ""), ("", "")])
def test_missing_password_opens_nothing(password: str | None, digest: str) -> None:
    stored = password_hashes.event_digest("key" if digest else "")

    assert bool(stored) is bool(digest)
    assert not password_hashes.opens(password, stored)


FORMAT = r"scrypt\$16384\$[0-9a-f]{32}\$[0-9a-f]{32}\$[0-9a-f]{64}"


def test_equal_passwords_have_different_digests() -> None:
    first = password_hashes.event_digest("key")
    alone, sharing = password_hashes.event_digest("key"), password_hashes.event_digest("key", first)

    assert len({first, alone, sharing}) == 3
    assert all(re.fullmatch(FORMAT, digest) for digest in (first, alone, sharing))
    assert all(len(digest) <= 200 for digest in (first, alone, sharing))
    salt, other, shared = (digest.split("$")[2] for digest in (first, alone, sharing))
    assert other != salt == shared


#: As it was made before 2026-11, with N = 1024.
OLD = "scrypt$" + "07" * 16 + "$" + hashlib.scrypt(b"key", salt=b"\7" * 16, n=1024, r=8, p=1).hex()


def test_older_digests_are_accepted_and_give_no_salt_to_new_ones() -> None:
    assert password_hashes.opens("key", OLD)
    assert not password_hashes.opens("kex", OLD)
    assert re.fullmatch(FORMAT, password_hashes.event_digest("key", OLD))
    assert "07" * 16 not in password_hashes.event_digest("key", OLD)


def test_one_key_derivation_serves_all_digests_of_one_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = [password_hashes.event_digest("0")]
    digests += [password_hashes.event_digest(str(number), digests[0]) for number in range(1, 10)]
    costs: list[int] = []
    scrypt = hashlib.scrypt
    monkeypatch.setattr(hashlib, "scrypt", lambda *a, **k: (costs.append(k["n"]), scrypt(*a, **k))[1])

    made = password_hashes.event_digests("7", digests)

    assert [digest for digest in digests if made[digest] == digest] == [digests[7]]
    assert costs == [16384]


def test_half_a_surrogate_pair_opens_nothing_and_breaks_nothing() -> None:
    assert not password_hashes.opens("\ud800", password_hashes.event_digest("key"))


def test_application_password_is_long_and_never_the_same() -> None:
    made = {users.new_application_password() for _ in range(50)}

    assert len(made) == 50
    assert all(
        re.fullmatch(r"[A-HJ-NP-Za-km-z2-9]{4}(?: [A-HJ-NP-Za-km-z2-9]{4}){5}", secret) for secret in made
    )
