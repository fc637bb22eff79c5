"""What breaks the promises of datacheck/files."""

from sabotage import Sabotage

SABOTAGES = (
    Sabotage(
        "links_lead_out",
        "paths stay inside",
        "datacheck.files.inventory._reason_to_skip",
        "if path.is_symlink() and",
        "if False and",
        "tests/files/test_inventory.py::test_data_files_in_name_order_and_the_rest_named",
    ),
    Sabotage(
        "a_closed_folder_is_skipped",
        "a folder that cannot be listed is an error",
        "datacheck.files.inventory._walk",
        "onerror=_unreadable",
        "onerror=None",
        "tests/files/test_inventory.py::test_a_folder_that_cannot_be_listed_is_not_forgotten",
    ),
    Sabotage(
        "foreign_folders_are_replaced",
        "nothing of others is replaced",
        "datacheck.files.output_folder.refuse_foreign",
        "if held is None or (held and not _is(out, kind)):",
        "if False:",
        "tests/cli/test_cli.py::test_a_foreign_folder_is_never_replaced",
    ),
    Sabotage(
        "write_without_fsync",
        "what is written is on the disk",
        "datacheck.files.versions.write_atomic",
        "os.fsync(descriptor)",
        "pass",
        "tests/files/test_versions.py::test_a_manifest_that_cannot_be_written_leaves_nothing",
    ),
    Sabotage(
        "write_in_place",
        "a file is whole or as it was",
        "datacheck.files.versions.write_atomic",
        'temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")',
        "temporary = path; path.unlink(missing_ok=True)",
        "tests/end_to_end/test_promises.py::test_a_file_that_cannot_be_written_stays_what_it_was",
    ),
    Sabotage(
        "hash_forgets_the_end",
        "every byte is hashed",
        "datacheck.files.versions._digest",
        "sha256.update(view[:read])",
        "sha256.update(view[: read - 1])",
        "tests/files/test_versions.py::test_hashes_are_those_of_sha256sum_and_every_file_counts",
    ),
    Sabotage(
        "changes_while_hashing_are_missed",
        "a file that changes while it is read is refused",
        "datacheck.files.versions._hash",
        "if size != before.st_size or",
        "if False and",
        "tests/files/test_versions.py::test_a_file_that_grows_while_it_is_hashed",
    ),
    Sabotage(
        "objects_may_change_while_they_are_fetched",
        "a remote drop that changes while it is fetched is an error",
        "datacheck.files.remote._fetch",
        "if _listed(url, source) != listed:",
        "if False:",
        "tests/files/test_remote.py::test_a_reader_that_is_cut_an_object_that_changes_and_a_listing_that_lags_are_errors[swapped]",
    ),
    Sabotage(
        "a_missing_path_has_no_line",
        "a path that the contract names and that is not there is told with the line of the contract",
        "datacheck.files.inventory._files",
        "if dataset.at is None:\n            raise",
        "raise",
        "tests/contract/test_wrong_contracts.py::test_a_line_for_each_fault",
    ),
)
