"""A registry: a folder in which versions of data are taken in, put aside or published. Standard library only.

    incoming/            drops, each a folder whose _MANIFEST.json is written last (a drop may lie elsewhere, too)
    staged/<id>.<n>/     a drop while it is validated (n: the attempt), its files copied; what a crash leaves here, the
                         next call mends
    versions/<id>/       published: data, _MANIFEST.json, verdict.dsse.json, _report/, _LEDGER_HEAD.json; read-only
    versions/<id>.<n>/   the same data with the verdict of another contract or channel
    quarantine/<id>/     the same for what failed
    published/<channel>  a link to the version that is in force
    ledger.sqlite        the truth; everything above can be told from it
    ledger.postgres.json instead: where the truth is, if several hosts publish (postgres.py)
    head.json            the ledger's head
    checkpoint.dsse.json what the ledger says, signed for some hours, for machines that cannot read the ledger

Folders are moved while the ledger's write lock is held, and always after the ledger has recorded why. So a call that
dies leaves a folder in `staged/` which `recover` moves on (if the ledger knows where to) or back to where it came from.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from datacheck.errors import LoadError, RefusedError, UsageError, reason_of
from datacheck.files import versions
from datacheck.files.versions import LEDGER_HEAD, MANIFEST, REPORT, VERDICT, WAIVERS, shown, sync
from datacheck.gate import dsse
from datacheck.gate.checkpoint import CHECKPOINT, Checkpoint, signed_checkpoint, write_checkpoint
from datacheck.gate.keys import PrivateKey
from datacheck.gate.ledger import Entry, Head, Ledger, LedgerError, LedgerStore, read_head, write_head
from datacheck.gate.outcomes import MOVES, erased, fates, in_force, place_of
from datacheck.gate.standing import DATABASE, LEDGER, _around, anchors_of, hexed, in_database
from datacheck.gate.trust import Trust
from datacheck.gate.verify import verdict_id
from datacheck.registry import claims
from datacheck.registry.claims import Claim

_CLONE = 0x40049409  # FICLONE of linux/fs.h
_PIECE = 16 * 1024**2  # bytes that are copied at once
_FOLDERS = ("incoming", "staged", "versions", "quarantine", "published")
_MODE = 0o775  # of these, whatever the umask: who may write there chooses which ledger is asked
_MIGRATING = ".migrate."
_CHANNEL = re.compile(r"[\w][\w.-]{0,99}")
_ERASED = ".erased"  # how the name of what is being removed ends


class Registry:
    """The folders of a registry and their ledger.

    Args:
        root: the registry's folder; `ledger()` makes what is missing in it.
        anchors: further files that hold the ledger's head, best on another disk; else $DATACHECK_ANCHOR.

    """

    def __init__(self, root: Path, anchors: Sequence[Path] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        self.anchors = anchors_of(self.root, anchors)

    def __repr__(self) -> str:
        return f"Registry({str(self.root)!r})"

    def ledger(self, *, readonly: bool = False) -> Ledger:
        """Open the ledger; the registry is made if it is not there, unless `readonly`. Raises LedgerError."""
        shared = in_database(self.root)
        if not readonly:
            with LedgerError.instead(
                OSError,
                "{root}: cannot be written ({reason}); expected a folder where you may write",
                root=shown(self.root),
            ):
                self.root.mkdir(_MODE, parents=True, exist_ok=True)
                for name in _FOLDERS:
                    (self.root / name).mkdir(_MODE, exist_ok=True)
            self.require_own_ledger()
        if shared:
            from datacheck.registry.postgres import PostgresStore

            store = PostgresStore(self.root / DATABASE, readonly=readonly)
            return Ledger(store, self.anchors, readonly=readonly)
        return Ledger(self.root / LEDGER, self.anchors, readonly=readonly)

    def require_own_ledger(self) -> None:
        """Two registries on one ledger would each take the other's versions for lost; SQLite's log knows one name."""
        for place in (self.root / LEDGER, self.root / DATABASE):
            if place.is_symlink() or (place.exists() and place.stat().st_nlink > 1):
                raise LedgerError(
                    "{place}: has a second name (a link); a ledger belongs to one registry: make it a file of its own",
                    place=shown(place),
                )

    def places(self, number: str) -> list[Path]:
        """Where a version lies: published, perhaps by several contracts, or in quarantine."""
        versions = self.root / "versions"
        found = [versions / hexed(number), *sorted(versions.glob(f"{hexed(number)}.*")), self.quarantine(number)]
        return [path for path in found if path.exists()]

    def quarantine(self, number: str) -> Path:
        """Where a version that failed lies, or would."""
        return self.root / "quarantine" / hexed(number)

    def is_published(self, folder: Path) -> bool:
        """Whether a folder is one of versions/."""
        return folder.parent == self.root / "versions"

    def published(self) -> list[Path]:
        """The folders of versions/."""
        return sorted((self.root / "versions").iterdir())

    def sweep(self) -> None:
        """Remove the half of a copy that a killed call of `own` has left."""
        for left in self.root.glob(f"{_MIGRATING}*"):
            left.unlink(missing_ok=True)

    def own(self, folder: Path) -> None:
        """Make the files of a published version copies that nobody else has open or knows by another name.

        Raises LoadError where one is not what the manifest says; it is left as it is.
        """
        manifest = versions.read_manifest(folder)
        copy = self.root / f"{_MIGRATING}{secrets.token_hex(8)}"
        _writable(folder)
        for listed in manifest.files if manifest else ():
            with LoadError.instead(OSError, "{folder}: cannot be copied ({reason})", folder=shown(folder)):
                _copy(folder / listed.path, copy)
                if sha256_of(copy) != listed.sha256:
                    raise LoadError(
                        "{folder}: {name} was changed; restore it as it was validated, and run again",
                        folder=shown(folder),
                        name=shown(listed.path),
                    )
                copy.replace(folder / listed.path)
        sync_tree(folder)
        _read_only(folder)

    def drops(self, channel: str | None = None) -> list[Path]:
        """The complete drops in incoming/, or in a channel's folder there; one without a manifest is being written."""
        return [path for path in self._complete(channel) if not path.is_symlink()]

    def linked(self, channel: str | None = None) -> list[Path]:
        """Links to complete drops, where drops are expected: who can change the link would change what is read."""
        return [path for path in self._complete(channel) if path.is_symlink()]

    def _complete(self, channel: str | None) -> list[Path]:
        incoming = self.root / "incoming" / (channel or "")
        found = sorted(incoming.iterdir()) if incoming.is_dir() and not incoming.is_symlink() else []
        return [path for path in found if (path / MANIFEST).is_file()]

    def heads(self) -> list[tuple[Path, Head]]:
        """The heads of the ledger that lie in the folders of versions."""
        found = [*self.root.glob(f"versions/*/{LEDGER_HEAD}"), *self.root.glob(f"quarantine/*/{LEDGER_HEAD}")]
        return [(file, head) for file in sorted(found) if (head := read_head(file)) is not None]

    # --- moving; all of it inside `ledger.writing()` ---

    def stage(self, ledger: Ledger, held: Claim, drop: Path, manifest: versions.Version) -> Path:
        """Take a drop: move it to staged/, or copy it from another file system. Returns its folder there.

        Its files are copies in either case: who brought it may hold the first ones open, or other names of them, and
        write there after they were validated. What is copied is hashed with the version, before and after the run.
        Raises LoadError where it cannot be read or is not what its manifest says, UsageError where it is not there.
        """
        box = self.box(held)
        box.mkdir(_MODE)
        if self._moved(ledger, held, drop, box):
            with LoadError.instead(OSError, "{drop}: cannot be copied into the registry ({reason})", drop=shown(drop)):
                _own_files(box / "drop", box / "copy", all_of_them=True)
            return box / "drop"
        (box / "origin").unlink(missing_ok=True)
        if not drop.exists():
            raise UsageError("{drop}: was taken away meanwhile; expected a folder that nobody moves", drop=shown(drop))
        copy_drop(drop, box / "drop", manifest)
        return box / "drop"

    def _moved(self, ledger: Ledger, held: Claim, drop: Path, box: Path) -> bool:
        with contextlib.suppress(OSError):  # another file system
            if drop.stat().st_dev == box.stat().st_dev and _ours(drop):
                (box / "origin").write_text(str(drop), encoding="utf-8", errors="surrogateescape")
                sync(box / "origin", os.O_NOFOLLOW)
                with ledger.writing() as store:
                    claims.still_held(store, held)
                    drop.rename(box / "drop")
                return True
        return False

    def stage_again(self, held: Claim, folder: Path, *, waivers: bool = True) -> Path:
        """Take a published version for another look: links to its files, so that nothing in it changes yet."""
        box = self.box(held)
        left_out = {REPORT} if waivers else {REPORT, WAIVERS}
        for inner, _, files in os.walk(folder):
            within = Path(inner).relative_to(folder)
            if within.parts[:1] and within.parts[0] in left_out:
                continue
            (box / "drop" / within).mkdir(parents=True, mode=0o755)
            for name in files:
                if name not in (VERDICT, LEDGER_HEAD) or within.parts:
                    _link(Path(inner) / name, box / "drop" / within / name)
        return box / "drop"

    def box(self, held: Claim) -> Path:
        """The folder of one attempt on a version in staged/."""
        return self.root / "staged" / f"{hexed(held.version)}.{held.attempt}"

    def settle(self, ledger: Ledger, box: Path, entry: Entry) -> Path:
        """Move a version to where the ledger says it is, with its verdict and report; can be done again and again."""
        place = place_of(entry)
        failed = place.startswith("quarantine/")
        target = self.root / place
        drop = box / "drop"
        if drop.exists():
            _give(box / REPORT, drop / REPORT)
            _sweep(drop)
            if failed:
                _own_files(drop, box / f"copy.{secrets.token_hex(4)}")
            write_head(drop / LEDGER_HEAD, ledger.head())
            sync_tree(drop)
            ledger.require_lock()  # copies take long, and a server may have given it to another host
            if failed and target.exists():
                target.rename(box / "old")  # the same data by its id, with an older verdict
            if not target.exists():  # complete before anybody sees it
                _read_only(drop, keep=failed)
                drop.rename(target)
            else:  # published before: its data stays where it is
                _writable(target)
                for name in (REPORT, LEDGER_HEAD, VERDICT):
                    _give(drop / name, target / name)
                sync(target)
        if not failed:
            _read_only(target)
        sync(target.parent)
        _remove(box)
        return target

    def put_back(self, ledger: Ledger, box: Path, *, report: bool = False) -> Path | None:
        """Move a drop back to where it came from, or beside it if something else is there now.

        A verdict that the ledger does not know goes; `report`: the report of the attempt comes with the drop.
        """
        drop, back = box / "drop", None
        if drop.exists() and (box / "origin").exists():
            _sweep(drop)
            if (drop / VERDICT).exists() and not _recorded(ledger, box, verdict_id(drop / VERDICT)):
                (drop / VERDICT).unlink()
            if report:
                _give(box / REPORT, drop / REPORT)
            origin = Path((box / "origin").read_text(encoding="utf-8", errors="surrogateescape"))
            back = origin
            while os.path.lexists(back):
                back = origin.with_name(f"{origin.name}.{secrets.token_hex(4)}")
            back.parent.mkdir(parents=True, exist_ok=True)
            ledger.require_lock()
            drop.rename(back)
            sync(back.parent)
        _remove(box)
        return back

    def recover(self, ledger: Ledger) -> list[Path]:
        """Finish or take back what calls that died have left; returns where the folders went. Safe at any time."""
        moved = []
        with self.moving(ledger) as store:
            for half in self.root.glob(".head.json.*"):  # whoever writes one holds this lock
                half.unlink(missing_ok=True)
            for box in sorted((self.root / "staged").iterdir()):
                attempt = box.name.rpartition(".")[2]
                if not attempt.isdigit() or claims.holds(store, f"publish:{version_of(box)}", int(attempt)):
                    continue
                moved.append(self.finish(ledger, box))
            self._take_away(ledger)
            self.point(ledger)
        return [path for path in moved if path is not None]

    def finish(self, ledger: Ledger, box: Path) -> Path | None:
        """Move what an attempt has left to where the ledger says, or back; returns where it is now."""
        entry = ledger.last(version_of(box), MOVES)
        if entry is not None and entry.facts.get("staged") == box.name:
            return self.settle(ledger, box, entry)
        return self.put_back(ledger, box)

    def _take_away(self, ledger: Ledger) -> None:
        """Remove the folders that the ledger calls erased, each out of reach at once.

        What cannot be removed stays in staged/, and every later call tries again.
        """
        staged = self.root / "staged"
        for place in sorted(erased(ledger.verified())):
            folder, box = self.root / place, staged / f"{place.replace('/', '.')}{_ERASED}"
            if folder.exists():
                _remove(box)
                _writable(folder)
                folder.rename(box)
                sync(folder.parent)
        for box in staged.glob(f"*{_ERASED}"):
            _remove(box)
        sync(staged)

    def remains(self) -> list[Path]:
        """What was erased and could not be removed."""
        return sorted((self.root / "staged").glob(f"*{_ERASED}"))

    def left(self, number: str) -> bool:
        """Whether an attempt on a version has left something that `recover` moves."""
        return any((self.root / "staged").glob(f"{hexed(number)}.*"))

    @contextlib.contextmanager
    def moving(self, ledger: Ledger) -> Iterator[LedgerStore]:
        """Hold the ledger's write lock while folders are moved; nobody else moves any meanwhile."""
        try:
            with ledger.writing() as store:
                yield store
        except OSError as error:
            where = shown(self.root)
            raise LedgerError(
                "{where}: a version could not be moved ({reason}); "
                "free space, mend rights, and run again: what the ledger says is done then",
                where=where,
                reason=reason_of(error),
            ) from None

    def point(self, ledger: Ledger) -> None:
        """Make the links in published/ say what the ledger says. Each is replaced atomically."""
        folder = self.root / "published"
        newest = in_force(fates(ledger.verified()))
        wanted = {channel: fate.place for channel, (_, fate) in newest.items()}
        for link in sorted(folder.iterdir()):
            if link.is_symlink() and link.name not in wanted:
                link.unlink()
        for channel, place in wanted.items():
            link, target = folder / channel, f"../{place}"
            if link.is_symlink() and str(link.readlink()) == target:
                continue
            temporary = folder / f".{channel}.{secrets.token_hex(4)}"
            temporary.symlink_to(target)
            temporary.replace(link)
        sync(folder)

    def write_checkpoint(self, ledger: Ledger, hours: int, keys: Sequence[PrivateKey]) -> Checkpoint:
        """Write what the ledger says as a checkpoint beside the data, signed, good for so many hours."""
        with self.moving(ledger), LedgerError.instead(UsageError):
            return write_checkpoint(self.root / CHECKPOINT, ledger.verified(self.heads()), hours, keys)

    def renew_checkpoint(self, ledger: Ledger, keys: Sequence[PrivateKey], trust: Trust) -> None:
        """Write the checkpoint anew, for as long as the last one, where there is one that enough validators signed."""
        if (self.root / CHECKPOINT).exists():
            with contextlib.suppress(RefusedError):
                self.write_checkpoint(ledger, signed_checkpoint(self.root / CHECKPOINT, trust).hours, keys)


def is_channel(name: str) -> bool:
    """Whether a channel can be called so."""
    return _CHANNEL.fullmatch(name) is not None


def check_channel(name: str) -> str:
    """The name of a channel if it can be one. Raises UsageError."""
    if not is_channel(name):
        raise UsageError("--channel {name}: expected letters, digits, _ . and - (at most 100)", name=shown(name))
    return name


def find(what: str | None, root: Path | None) -> tuple[Path, str]:
    """The registry, and the (start of the) id of the version, that a user means; "" is every version.

    Args:
        what: a folder of a version, an id or the start of one (8 digits or more), or None.
        root: the registry, if the user named it.

    """
    path = Path(what) if what else Path()
    around = root or _around(path if path.exists() else Path())
    if around is None:
        raise UsageError("--registry: which one? expected the folder that holds ledger.sqlite or ledger.postgres.json")
    if what is None or (path.exists() and Path(os.path.realpath(path)) == Path(os.path.realpath(around))):
        return around, ""
    if path.is_dir():
        manifest = versions.read_manifest(path)
        if manifest is None:
            raise UsageError(
                "{what}: has no {manifest}; expected the folder of a version, or an id",
                what=shown(what),
                manifest=MANIFEST,
            )
        return around, manifest.id
    number = what.removeprefix("sha256:").lower()
    if not re.fullmatch("[0-9a-f]{8,64}", number):
        raise UsageError("{what}: no folder, and no id of a version (8 to 64 hexadecimal digits)", what=shown(what))
    return around, f"sha256:{number}"


def copy_drop(drop: Path, target: Path, manifest: versions.Version) -> None:
    """Copy the listed files and the gate's own of a drop to another file system; the result is verified by its hash."""
    own = [name for name in (MANIFEST,) if (drop / name).is_file()]
    waivers = [f"{WAIVERS}/{entry.name}" for entry in (drop / WAIVERS).glob("*.dsse.json")]
    with LoadError.instead(OSError, "{drop}: cannot be copied into the registry ({reason})", drop=shown(drop)):
        for name in [*(file.path for file in manifest.files), *waivers, *own]:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(drop / name, target / name, follow_symlinks=False)
        sync_tree(target)
    if versions.scan(target) != manifest:
        raise LoadError("{drop}: changed while it was copied; run again when nobody writes there", drop=shown(drop))


def carry_waivers(old: Path, drop: Path) -> None:
    """Copy the waivers of an earlier attempt on the same version, so that they count for this one."""
    for waiver in sorted((old / WAIVERS).glob("*.dsse.json")):
        target = drop / WAIVERS / waiver.name
        data = versions.read_small(waiver, dsse.LIMIT) if versions.is_own(f"{WAIVERS}/{waiver.name}") else None
        if data is not None and not target.exists():
            target.parent.mkdir(exist_ok=True)
            versions.write_atomic(target, data)


def _ours(drop: Path) -> bool:
    """Whether this user can make everything in a drop read-only; what belongs to somebody else is copied instead."""
    user = os.geteuid()
    if user == 0:
        return True
    entries = (Path(inner, name) for inner, _, files in os.walk(drop) for name in (".", *files))
    return all(entry.lstat().st_uid == user for entry in entries)


def _give(made: Path, place: Path) -> None:
    """Put a file or folder in the place of an older one; nothing is done where it was given already."""
    if not made.exists():
        return
    if place.is_dir():
        _remove(place)
    made.replace(place)


def _sweep(folder: Path) -> None:
    """Remove the half of a file of ours that a killed call has left; it would count as data that nobody validated."""
    for place in (folder, folder / WAIVERS):
        if place.is_dir():
            versions.sweep(place)


def _remove(folder: Path) -> None:
    if folder.exists():
        _writable(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _link(file: Path, target: Path) -> None:
    try:
        os.link(file, target, follow_symlinks=False)
    except OSError:  # a file system or a rule that forbids links
        shutil.copyfile(file, target, follow_symlinks=False)


def _recorded(ledger: Ledger, box: Path, envelope: str | None) -> bool:
    return any(entry.fact("envelope") == envelope for entry in ledger.entries(version_of(box), ("verdict",)))


def version_of(folder: Path | str) -> str:
    """The version whose folder this is, in staged/, versions/ or quarantine/."""
    return "sha256:" + Path(folder).name.partition(".")[0]


def sync_tree(folder: Path) -> None:
    """Bring all files and names below a folder to the disk."""
    for inner, _, files in os.walk(folder):
        for name in files:
            sync(Path(inner) / name, os.O_NOFOLLOW)
        sync(Path(inner))


def _read_only(folder: Path, *, keep: bool = False) -> None:
    """Nobody writes here any more, but for the top folder, which has to be moved; with `keep` all is left as it is."""
    for inner, _, files in [] if keep else os.walk(folder, topdown=False):
        for place in (Path(inner), *(Path(inner) / name for name in files)) if os.geteuid() == 0 else ():
            os.chown(place, 0, -1, follow_symlinks=False)  # who delivered it could make it writable again
        for name in files:
            (Path(inner) / name).chmod(0o444)
        if Path(inner) != folder or folder.name != "drop":
            Path(inner).chmod(0o555)


def _own_files(folder: Path, copy: Path, *, all_of_them: bool = False) -> None:
    """Files that have other names, or all, become copies: nobody writes to them by those names, or they to others."""
    for inner, _, files in os.walk(folder):
        for file in (Path(inner) / name for name in files):
            about = file.lstat()
            if stat.S_ISREG(about.st_mode) and (all_of_them or about.st_nlink > 1):
                _copy(file, copy)
                if os.geteuid() == 0:
                    os.chown(copy, about.st_uid, about.st_gid)  # it may go back to whom it belongs
                shutil.copystat(file, copy)
                copy.replace(file)


def _copy(source: Path, target: Path) -> None:
    """Copy a file; where the file system can, its blocks are shared until one of the two is written to."""
    with source.open("rb") as old, target.open("wb") as new:
        try:
            fcntl.ioctl(new, _CLONE, old.fileno())
        except OSError:
            shutil.copyfileobj(old, new, _PIECE)


def _writable(folder: Path) -> None:
    """Let the owner change what is in a folder: its files are replaced, never written."""
    for inner, _, _ in os.walk(folder):
        Path(inner).chmod(0o755)


def sha256_of(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
