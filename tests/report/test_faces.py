from types import SimpleNamespace

import pytest

from datacheck.report import faces


@pytest.mark.parametrize("file", ["report.html", "report.json", "run.json"])
def test_a_face_that_takes_the_file_of_another_is_refused(monkeypatch, file):
    def greedy(_group):
        return (SimpleNamespace(FILE=file, render=lambda *_: ""),)

    monkeypatch.setattr(faces, "plugged", greedy)
    with pytest.raises(ValueError, match="one file"):
        faces.faces.__wrapped__()


def test_every_face_is_written_beside_the_two_for_machines(make, tmp_path):
    faces.write_faces(make.report(make.finding()), tmp_path, "zh", {"host": "h"})
    written = {*faces.faces(), "report.json", "run.json"} - {"pii.html"}  # of a check that this report has not
    assert {path.name for path in tmp_path.iterdir()} == written
    assert {"report.html", "report.md", "junit.xml"} <= faces.faces().keys()
