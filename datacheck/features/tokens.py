"""How many tokens each training example has for the run's tokenizer, which of them are trained, and what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl
from pydantic import Field

from datacheck.check import Artifact, Check, Feature, Message, Model, Need, Subject, View
from datacheck.errors import LoadError
from datacheck.features.outcomes import RunOf, parsed, seen_of
from datacheck.pii.excerpts import hidden
from datacheck.trainers.base import UNSEEN, Mode, Seen, TokenizerChange
from datacheck.trainers.settings import Settings, SettingsError

# `tokenizers` and jinja2 are imported where a tokenizer is named, and not with every contract.
if TYPE_CHECKING:
    from datacheck.chat.child import Renderer
    from datacheck.chat.conversations import Conversation
    from datacheck.chat.sample import Sample, SampleRun
    from datacheck.chat.tokenizer import Tokenizer

Truncation = Literal["right", "left"]
_STRIPS = 3  # rows of a part that are kept as strips, and as many with a fault
_SHOWN = 3  # strips in a report


class TokenRun(Model):
    """How a run makes tokens of rows: what a contract's `run:` and `source.roles` say.

    tokenizer: its folder; template: the name of one of several; max_length: tokens that are kept of a row, cut on the
    side `truncation`; trainer: the run's trainer, whose own rules on what is read and cut then count.
    """

    tokenizer: Artifact | None = None
    template: str | None = None
    max_length: int | None = Field(default=None, ge=1)
    truncation: Truncation = "right"
    roles: dict[str, str] = {}
    trainer: RunOf | None = None

    def cut_at(self) -> int | None:
        """Tokens that are kept of a row: by the trainer's settings, else `max_length`; None: nothing is cut."""
        if self.trainer is None:
            return self.max_length
        mode, settings = _trainer(self.trainer)
        return mode.cut(settings).limit


class RunModel(NamedTuple):
    """A tokenizer's folder, read: `sources` are its chat templates by name."""

    tokenizer: Tokenizer
    sources: Mapping[str, str]


@lru_cache(maxsize=2)
def load_model(artifact: Artifact) -> RunModel:
    """Read a tokenizer's folder. Raises LoadError where it cannot be used."""
    from datacheck.chat.template import TemplateFault, chat_templates
    from datacheck.chat.tokenizer import load_tokenizer

    files = {name: artifact.read(name) for name, _ in artifact.files}
    try:
        return RunModel(load_tokenizer(files), chat_templates(files))
    except TemplateFault as fault:
        raise LoadError("{named}: {reason}", named=artifact.named, reason=fault.message) from None


def renderer(model: RunModel, template: str | None, trainer: RunOf | None = None) -> Renderer | None:
    """What renders for a run; None where its tokenizer has no template. Raises LoadError for an unknown name.

    trainer: it may train with another template than the tokenizer's; where it has one of its own, nothing is rendered.
    """
    if trainer is not None and change_of(trainer) is not None:
        return None
    from datacheck.chat.child import Renderer

    wanted = template or "default"
    if model.sources and wanted not in model.sources:
        raise LoadError(
            "no chat template is called '{wanted}'; there are: {known}",
            wanted=wanted,
            known=", ".join(sorted(model.sources)),
        )
    sources, special = model.sources, model.tokenizer.special
    if trainer is None:
        return Renderer(sources, special, template) if sources else None
    mode, settings = _trainer(trainer)
    own, handed = sources.get(wanted, ""), mode.handed(settings)
    trained = mode.rendered_with(settings, own)
    if not trained:
        return None
    if trained != own:
        return Renderer({"default": trained}, special, handed=handed)
    return Renderer(sources, special, template, handed=handed)


def reader(run: TokenRun, seen: Seen) -> Callable[[Any], list[Conversation]]:
    """How a record becomes training examples: by the twin of the named trainer, or by its keys.

    Raises LoadError where the trainer is not known or its settings cannot be read.
    """
    from datacheck.chat.conversations import conversations, trained_as

    if run.trainer is None:
        return lambda record: conversations(record, run.roles)
    mode, settings = _trainer(run.trainer)

    def read(record: Any) -> list[Conversation]:
        try:
            trained = mode.read(record, settings, seen).trained
        except Exception:  # noqa: BLE001 - a fault of a twin: trainer_drops tells it
            return []
        return trained_as(trained) if trained is not None else []

    return read


def limits_of(run: TokenRun, tokenizer: Tokenizer) -> SampleRun:
    """What is done to long rows: by the rule of the named trainer, or on one side. Raises LoadError as `reader`."""
    from datacheck.chat.sample import SampleRun

    if run.trainer is None:
        return SampleRun(tokenizer, run.max_length, run.truncation)
    mode, settings = _trainer(run.trainer)
    change = change_of(run.trainer)
    tokenizer = tokenizer if change is None else tokenizer.changed(*change)
    cut = mode.cut(settings)
    if cut.how in ("keep_start", "keep_end"):  # of prompts alone where answers are sampled: these are the whole row
        side: Truncation = "right" if cut.how == "keep_start" else "left"
        return SampleRun(
            tokenizer,
            cut.limit,
            side,
            boundary=mode.boundary,
            pieces=mode.pieces,
            spare=cut.spare,
            least=cut.least,
            as_text=cut.as_text,
        )
    more: dict[str, Any] = {
        "boundary": mode.boundary,
        "pieces": mode.pieces,
        "last_first": cut.last_first,
        "least": cut.least,
    }
    return SampleRun(tokenizer, cut.limit, keep=cut.kept, **more)


def change_of(run: RunOf) -> TokenizerChange | None:
    """What the trainer changes of the tokenizer; None where it uses the tokenizer's own template."""
    mode, settings = _trainer(run)
    return mode.tokenizer(settings)


def _trainer(run: RunOf) -> tuple[Mode, Settings]:
    try:
        return run.mode, run.settings_read()
    except KeyError:
        raise LoadError("{trainer}: not a trainer that datacheck knows", trainer=run.trainer) from None
    except SettingsError as error:
        raise LoadError(error.message) from None


class Tokens(Feature):
    """One line per training example (a pair has two).

    part: the key that it comes from; total: tokens; trained: those with a label; kept, kept_trained: the same after
    truncation; turns: tokens that are skipped, trained, skipped, … (an even number); by: how the mask was found;
    faults: [[problem, where, said], …] as JSON; error: the limit that was hit, so that nothing is known; strip: the
    example as labelled pieces of text (JSON), for the first rows of a part and the first that have a fault, with
    personal data masked.
    """

    columns = {
        "row": pl.UInt32, "part": pl.String, "total": pl.UInt32, "trained": pl.UInt32, "kept": pl.UInt32,
        "kept_trained": pl.UInt32, "turns": pl.List(pl.UInt32),
        "by": pl.String, "faults": pl.String,
        "error": pl.String, "strip": pl.String,
    }  # fmt: skip

    run: TokenRun

    def needs(self) -> tuple[Need, ...]:
        """The records; for a trainer also what its loader looks at before."""
        return (Need("records"), Need(self.run.trainer.seen_before)) if self.run.trainer else (Need("records"),)

    def compute(self, part: View) -> pl.DataFrame:
        """Render in a child, tokenize here, row after row."""
        from datacheck.chat.samples import samples

        assert self.run.tokenizer is not None
        model = load_model(self.run.tokenizer)
        records = part.records.select("row", "json").collect()
        seen = seen_of(part[Need(self.run.trainer.seen_before)]) if self.run.trainer else UNSEEN
        read = reader(self.run, seen)
        rows: list[int] = []

        def examples() -> Iterator[Conversation]:
            for row, record in parsed(records):
                for conversation in read(record):
                    rows.append(row)
                    yield conversation

        child = renderer(model, self.run.template, self.run.trainer)
        try:
            lines = _lines(samples(examples(), limits_of(self.run, model.tokenizer), child), rows)
        finally:
            if child is not None:
                child.close()
        return pl.DataFrame(lines, schema=dict(self.columns), orient="row")


def _lines(found: Iterator[Sample], rows: list[int]) -> list[tuple[Any, ...]]:
    from datacheck.chat.strip import strip

    lines = []
    plain = faulty = 0
    for number, sample in enumerate(found):
        left, labels = sample.kept, sample.labels
        wanted = faulty < _STRIPS if sample.faults else plain < _STRIPS
        shown = json.dumps(strip(sample, hidden), ensure_ascii=False) if wanted and sample.ids else None
        faulty += bool(shown and sample.faults)
        plain += bool(shown and not sample.faults)
        faults = [[f.problem, f.where, f.said and f.said.packed] for f in sample.faults]
        lines.append(
            (
                rows[number],
                sample.conversation.part,
                len(sample.ids),
                sum(labels),
                len(left),
                sum(labels[left.start : left.stop] if isinstance(left, range) else (labels[n] for n in left)),
                sample.turns,
                sample.by,
                json.dumps(faults, ensure_ascii=False) if faults else None,
                sample.error and sample.error.packed,
                shown,
            )
        )
    return lines


def token_run_of(dataset: Mapping[str, Any]) -> TokenRun:
    """What a contract's `run:` and `source.roles` say to every check that counts tokens."""
    run = dataset["run"]
    named = {name: run[name] for name in ("tokenizer", "template", "max_length", "truncation")}
    trainer = RunOf(**{name: run[name] for name in RunOf.model_fields}) if run["trainer"] else None
    return TokenRun(**named, roles=dict(dataset["roles"]), trainer=trainer)


class OfTokens(Check):
    """A check of the labelled tokens of a run."""

    run: TokenRun | None = Field(default=None, description="how the run makes tokens of rows; from `run:`")

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The run stands with the contract."""
        return {"run": token_run_of(dataset)}

    def subject(self) -> Subject | None:
        """The twin of a named trainer reads rows of any shape, texts in columns as well."""
        return "row" if self.run and self.run.trainer else self.reads

    def needs(self) -> tuple[Need, ...]:
        """The labelled tokens, where a tokenizer is named and its files are there."""
        named = self.run and self.run.tokenizer and self.run.tokenizer.files
        return (Need(Tokens(run=self.run)),) if self.run and named else ()


NO_TOKENIZER = Message(
    "no tokenizer: name its folder in the contract (run: {tokenizer: DIR}) or with --run tokenizer=DIR"
)


def faults(tokens: pl.LazyFrame) -> pl.LazyFrame:
    """`row`, `problem`, `where`, `said`: one line per fault of a row's examples."""
    each = pl.col("faults").str.json_decode(pl.List(pl.List(pl.String)))
    names = ("problem", "where", "said")
    lists = tokens.drop_nulls("faults").select("row", each=each).explode("each")
    return lists.select("row", *(pl.col("each").list.get(at).alias(name) for at, name in enumerate(names)))


def unknown(tokens: pl.LazyFrame) -> tuple[Message, ...]:
    """A sentence where a limit of ours was hit in rendering: then nothing may be measured."""
    hit = tokens.drop_nulls("error").select("row", "error").collect()
    if hit.is_empty():
        return ()
    count, first = hit["row"].n_unique(), Message.unpacked(hit["error"][0])
    return (
        Message.plural(
            "{n:,} row could not be rendered within the limits ({first})",
            "{n:,} rows could not be rendered within the limits ({first})",
            count,
            first=first,
        ),
    )


def strips(tokens: pl.LazyFrame, rows: pl.LazyFrame) -> pl.DataFrame:
    """A figure of kind strip: `place`, `text`, `label`, `tokens`; the first rows with a fault, then the first."""
    ranked = tokens.drop_nulls("strip").sort(pl.col("faults").is_null(), "row", maintain_order=True).head(_SHOWN)
    places = rows.select("row", "file", "line")
    placed = ranked.sort("row", maintain_order=True).join(places, on="row", how="left", maintain_order="left")
    lines = [
        (f"{file}:{line} {part}", text, label, tokens)
        for file, line, part, pieces in placed.select("file", "line", "part", "strip").collect().iter_rows()
        for text, label, tokens in json.loads(pieces)
    ]
    return pl.DataFrame(lines, schema=STRIP, orient="row")


STRIP = {"place": pl.String, "text": pl.String, "label": pl.String, "tokens": pl.UInt32}
