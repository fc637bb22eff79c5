"""Ask again about versions that are published: a rule, a banned list, a red-line set or a waiver may have changed.

Every published version that the contract judged last is asked the question of today. Where the ledger has the answer
nothing runs. Where a version fails now it is revoked: the ledger says so, the pointer goes back to the last version
that stands, and the new verdict lies beside the data. Where nobody can say (an `error`), it stands, and you are told.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from datacheck.contract.load import load_contract
from datacheck.errors import LoadError, UsageError
from datacheck.gate.outcomes import fates
from datacheck.registry.publish import Execute, Hashed, Outcome, PublishRules, publish
from datacheck.registry.registry import Registry


def rescan(
    rules: PublishRules, registry: Registry, *, execute: Execute | None = None, hashed: Hashed | None = None
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
        found = fates(ledger.verified(registry.heads()))
    standing = [(scope, fate) for scope, fate in found.items() if fate.stands and scope.contract == contract]
    for scope, fate in sorted(standing, key=lambda item: item[1].entry.seq):
        if rules.channel not in (None, scope.channel):
            continue
        folder = registry.root / fate.place
        inside = (fate.published or fate.entry).facts.get("within", {})
        within = {name: str(folder / place) for name, place in inside.items() if place is not None}
        for name in within:
            if name in rules.data:
                raise UsageError(
                    "--data {name}=…: the versions are this dataset; name the other datasets only", name=name
                )
        own = replace(rules, data={**rules.data, **within}, channel=scope.channel)
        try:
            yield publish(_present(folder), own, registry, execute=execute, hashed=hashed)
        except LoadError as error:  # the guard refuses it; the others are asked all the same
            seq = fate.entry.seq
            yield Outcome("undecided", scope.version, folder, "error", scope.channel, False, seq, reason=str(error))


def _present(folder: Path) -> Path:
    if not folder.is_dir():
        raise LoadError("{name}: the ledger says that it is published, but it is gone; restore it", name=folder.name)
    return folder
