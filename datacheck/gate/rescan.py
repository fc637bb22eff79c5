"""Ask again about versions that are published: a rule, a banned list, a red-line set or a waiver may have changed.

Every published version that the contract judged last is asked the question of today. Where the ledger has the answer
nothing runs. Where a version fails now it is revoked: the ledger says so, the pointer goes back to the last version
that stands, and the new verdict lies beside the data. Where nobody can say (an `error`), it stands, and you are told.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from datacheck.contract import load_contract
from datacheck.errors import LoadError, UsageError
from datacheck.gate.publish import Execute, Hashed, Outcome, Rules, publish
from datacheck.gate.registry import Registry


def rescan(
    rules: Rules, registry: Registry, *, execute: Execute | None = None, hashed: Hashed | None = None
) -> Iterator[Outcome]:
    """Yield what became of every published version of this contract, oldest first.

    Args:
        rules: the contract and the keys; `data` names datasets outside the versions only; `channel` only that one.
        registry: whose versions.
        execute: as for `publish`.
        hashed: as for `publish`.

    Raises:
        UsageError: `data` names the dataset that the versions are. Else as `publish`, when it is a version's turn; one
            that was changed is `undecided`, with the reason.

    """
    contract = load_contract(rules.contract, run=rules.options.run, located=False).name
    with registry.ledger() as ledger:
        registry.recover(ledger)
        ledger.verify_chain(registry.heads())
        fates = {entry.version: entry for entry in ledger.entries(kinds=("publish", "revoke"))}
    for number, entry in sorted(fates.items(), key=lambda item: item[1].seq):
        facts = entry.facts
        if entry.kind == "revoke" or entry.contract != contract or rules.channel not in (None, facts["channel"]):
            continue
        folder = registry.place(number)
        within = {name: str(folder / place) for name, place in facts["within"].items() if place is not None}
        for name in within:
            if name in rules.data:
                raise UsageError(f"--data {name}=…: the versions are this dataset; name the other datasets only")
        own = replace(rules, data={**rules.data, **within}, channel=str(facts["channel"]))
        try:
            yield publish(_present(folder), own, registry, execute=execute, hashed=hashed)
        except LoadError as error:  # the guard refuses it; the others are asked all the same
            channel = str(facts["channel"])
            yield Outcome("undecided", number, folder, "error", channel, False, entry.seq, reason=str(error))


def _present(folder: Path) -> Path:
    if not folder.is_dir():
        raise LoadError(f"{folder.name}: the ledger says that it is published, but it is gone; restore it")
    return folder
