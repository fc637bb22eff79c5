"""Tell the server that a drop is ready; `watch` looks at once instead of at its next time.

The event carries no path: it only says "look", so that who may send events cannot make a worker read a place of theirs.
It is posted, and not given to Prefect's worker for events, which loses it where no server answers, and says nothing.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from prefect.client.orchestration import get_client
from prefect.events import Event, Resource
from prefect.settings import PREFECT_API_URL

from datacheck.errors import DatacheckError
from datacheck.i18n.command_line import Parser, chosen

from .lookout import unanswered

EVENT = "datacheck.drop.ready"
RESOURCE = "datacheck.registry"


def announce(registry: str) -> None:
    """Send the event. Raises DatacheckError unless the server has taken it."""
    resource = Resource({"prefect.resource.id": RESOURCE, "prefect.resource.name": registry})
    event = Event(event=EVENT, resource=resource)
    try:
        with get_client(sync_client=True) as client:
            client.request("POST", "/events", json=[event.model_dump(mode="json")])
    except Exception as error:  # noqa: BLE001 - whatever it is that the client of a dead server raises
        raise DatacheckError("{reason}", reason=unanswered(error)) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """`datacheck announce REGISTRY`, after the manifest was written."""
    words = sys.argv[1:] if arguments is None else arguments
    lang = chosen(words, os.environ)
    parser = Parser("datacheck announce", lang=lang, description="Say that a drop is ready in incoming/.")
    parser.add_argument("registry", type=Path, help="Folder of the registry; its name stands in the event.")
    given = parser.parse_args(words)
    if not PREFECT_API_URL.value():
        raise DatacheckError("PREFECT_API_URL: is not set; expected the address of a running Prefect server")
    announce(given.registry.name)
    return 0
