"""Serve the flows: one process that publishes drops on a schedule and on an event, and runs what the UI asks for."""

import argparse
from collections.abc import Sequence
from datetime import timedelta
from typing import cast

from prefect import serve
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.deployments.runner import RunnerDeployment
from prefect.events import DeploymentEventTrigger
from prefect.types.entrypoint import EntrypointType

from datacheck.gate.registry import Registry

from .announce import EVENT, RESOURCE
from .publish import Rulebook, publish
from .validate import validate
from .watch import rules_of, rules_parser, watch


def deployments(rules: Rulebook, interval: float) -> list[RunnerDeployment]:
    """The three flows as deployments: `watch` every `interval` seconds and at each EVENT, the others on request."""
    module = EntrypointType.MODULE_PATH  # a file path would not do in an empty folder beside an installed wheel
    one = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.CANCEL_NEW)
    looking = watch.to_deployment(
        "registry",
        interval=timedelta(seconds=interval),
        triggers=[DeploymentEventTrigger(expect={EVENT}, match={"prefect.resource.id": RESOURCE}, name="drop ready")],
        parameters={"rules": rules.model_dump(mode="json")},
        concurrency_limit=one,  # a look during a look would find nothing but claims
        entrypoint_type=module,
        description="Publish the complete drops in incoming/.",
    )
    by_hand = [flow.to_deployment("by-hand", entrypoint_type=module) for flow in (validate, publish)]
    return cast("list[RunnerDeployment]", [looking, *by_hand])  # typed for async callers, too


def main(arguments: Sequence[str] | None = None) -> int:
    """`datacheck serve REGISTRY …`: serve until stopped."""
    parser: argparse.ArgumentParser = rules_parser("Serve the flows: schedule, events, requests from the UI.")
    parser.prog = "datacheck serve"
    parser.add_argument("--limit", type=int, default=2, help="Runs at the same time (2).")
    given = parser.parse_args(arguments)
    rules = rules_of(given)
    with Registry(rules.registry).ledger():
        pass  # the registry is there, and its ledger is whole, before anything is scheduled
    serve(*deployments(rules, given.interval), limit=given.limit)
    return 0
