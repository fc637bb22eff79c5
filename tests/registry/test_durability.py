"""What is recorded is on the disk: a power cut leaves a version whole or not at all. By the calls that were made."""

import os
from pathlib import Path

import pytest

from datacheck.files import versions


@pytest.fixture
def synced(monkeypatch):
    """The files and folders that were brought to the disk, by inode."""
    whole, found = os.fsync, set()

    def fsync(descriptor):
        found.add(os.fstat(descriptor).st_ino)
        whole(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    return found


def test_all_of_a_published_version_is_on_the_disk(site, synced):
    found = site.publish(site.drop())
    below = [Path(inner) / name for inner, _, files in os.walk(found.path) for name in files]
    folders = [Path(inner) for inner, _, _ in os.walk(found.path)]
    assert len(below) > 3
    above = [site.reg / name for name in ("versions", "published", "staged")]
    assert [str(place) for place in (*below, *folders, *above) if place.stat().st_ino not in synced] == []


def test_all_of_a_version_in_quarantine_is_on_the_disk(site, synced):
    found = site.publish(site.bad())
    places = [found.path.parent, *(Path(inner) / name for inner, _, files in os.walk(found.path) for name in files)]
    assert [str(place) for place in places if place.stat().st_ino not in synced] == []


def test_a_file_is_on_the_disk_before_it_gets_its_name_and_its_name_after(tmp_path, monkeypatch):
    told, fsync, replace = [], os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda at: told.append(Path(f"/proc/self/fd/{at}").readlink()) or fsync(at))
    monkeypatch.setattr(Path, "replace", lambda self, to: told.append("named") or replace(self, to))
    versions.write_atomic(tmp_path / "a", b"data")
    assert (told[0].parent, told[1:]) == (tmp_path, ["named", tmp_path])
