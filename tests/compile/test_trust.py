"""Code is loaded only from the user's own folders and files, because it could do anything."""

import os
from pathlib import Path

import pytest

from branchwise.compile.code import cache
from branchwise.compile.code.cache import CACHE_VARIABLE, writable

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the system knows no owners of files")


def kept_in(folder: Path) -> Path:
    """Write a file of code and return it."""
    file = folder / "kernel.bin"
    cache.write(file, b"code")
    return file


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_folder_that_others_may_write_to_is_refused_in_a_sentence(tmp_path, mode, caplog):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    assert not any(writable(folder) for _ in range(2))
    (record,) = caplog.records
    assert "other users may write to it" in record.getMessage()
    assert CACHE_VARIABLE in record.getMessage()
    assert record.getMessage().endswith(f"chmod go-w {folder}")


def test_folder_of_another_user_is_refused(tmp_path, monkeypatch, caplog):
    real = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **how: owned_by(os.geteuid() + 1, real(path, **how)))
    assert not writable(tmp_path)
    assert f"not kept in {tmp_path}, because another user owns it" in caplog.text


def test_what_the_system_owns_is_trusted():
    status = os.stat("/")
    assert cache._stranger(owned_by(0, status)) == cache._stranger(owned_by(os.geteuid(), status))


def owned_by(user: int, status: os.stat_result) -> os.stat_result:
    return os.stat_result((*status[:4], user, *status[5:]))


def test_folder_is_made_for_its_user_alone(tmp_path):
    before = os.umask(0o002)
    try:
        assert writable(tmp_path / "new" / "cache")
    finally:
        os.umask(before)
    assert (tmp_path / "new" / "cache").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_file_that_others_may_write_to_is_not_loaded(tmp_path, mode, caplog):
    file = kept_in(tmp_path)
    assert cache.read(file) == b"code"
    file.chmod(mode)
    assert cache.read(file) is None
    assert f"{file} is not loaded, because other users may write to it" in caplog.text
    cache.write(file, b"code again")
    assert cache.read(file) == b"code again"


def test_file_of_another_user_is_not_loaded(tmp_path, monkeypatch, caplog):
    file = kept_in(tmp_path)
    monkeypatch.setattr(cache, "_stranger", lambda status: "another user owns it" if status.st_ino else "")
    assert cache.read(file) is None
    assert f"{file} is not loaded, because another user owns it" in caplog.text


def test_link_is_not_followed(tmp_path):
    file = kept_in(tmp_path)
    (tmp_path / "other.bin").symlink_to(file)
    assert cache.read(tmp_path / "other.bin") is None


def test_rules_are_vetted_again_where_the_mark_could_be_anyones(tmp_path, monkeypatch, caplog):
    from branchwise.games import Nim
    from branchwise.rules.checking import before_compiling

    played = []
    monkeypatch.setattr(before_compiling, "_play_games", played.append)
    monkeypatch.setattr(before_compiling, "_vetted", set())
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    before_compiling.vet(Nim)
    before_compiling._vetted.clear()
    before_compiling.vet(Nim)
    assert played == [Nim]
    tmp_path.chmod(0o777)
    writable.cache_clear()
    before_compiling._vetted.clear()
    before_compiling.vet(Nim)
    assert played == [Nim, Nim]
    writable.cache_clear()
