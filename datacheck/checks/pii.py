"""The check pii."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import polars as pl

from datacheck.check import (
    Check,
    Limit,
    Measured,
    Message,
    Metric,
    Need,
    Ratio,
    Value,
    View,
    around,
    for_review,
    placed,
    saying,
    total,
    word,
)
from datacheck.features.identifiers import Identifiers, every_text
from datacheck.i18n.message import ids
from datacheck.pii.analyzer import find
from datacheck.pii.canaries import canary
from datacheck.pii.excerpts import excerpt
from datacheck.pii.policy import CLASSES, SECRETS
from datacheck.pii.prefilter import candidates
from datacheck.pii.pseudonyms import KeyMissingError, fingerprint, key_id
from datacheck.pii.recognizers import RECOGNIZERS, REGIONS
from datacheck.pii.rules import Rules
from datacheck.text.proportions import missed_at_most

PLANTED_ROWS = 6  # per entity: some 390 plants, and a fifth of a second whatever the size of the data
HOST = 160  # code points of a text that a planted identifier follows
_PLANTED = ("EMAIL_ADDRESS", "CN_MOBILE")  # in the canaries
OWN = 3  # plants of each entity in sentences of ours
FEW = 4  # plants below which the words of the file say nothing about a recognizer
# Free text: no rule knows all of them, so what is planted would say nothing of the others.
UNSTRUCTURED = ("PERSON", "ADDRESS", "CREDENTIAL")
NOT_COVERED = Message(
    "not covered: names without a label and without an identifier near; nicknames; addresses without a door number; "
    "identifiers of other countries than CN, HK, MO, TW, US and those in `regions`; numbers that only context would "
    "explain; numbers given in parts by several speakers; images, audio, base64, JSON encoded more than once; whether "
    "a person is public, made up or real"
)
NAMES_MISSING = Message(
    "person: model needs the network of the package cutword 0.1.1: pip install 'datacheck-llm[names]', "
    "or take another value of person"
)
SHOWN = 200  # hits of each level whose neighbours are shown, as many as a report describes
# Characters on each side that are shown, and that are looked at to mask them: every hit is masked before, what is left
# to be recognised there is short.
_NEAR, _FAR = 24, 256
_WORDS = ids("block", "warn", "profile", "valid", "suspect", "specimen", "public")


class _Planted(NamedTuple):
    """Plants and those found by entity: in sentences of ours, and beside the words of the file."""

    own: pl.DataFrame
    hosted: pl.DataFrame

    def recall(self) -> Ratio:
        """Whether the recognizers fire: in sentences of ours, and at least on half of what stands in the file.

        One plant that the words beside it swallow says nothing about the recognizer; half of them do.
        """
        fires = (2 * self.hosted["found"] >= self.hosted["plants"]) | (self.hosted["plants"] < FEW)
        return Ratio(
            int(self.own["found"].sum()) + int(fires.sum()), int(self.own["plants"].sum()) + self.hosted.height
        )

    def notes(self) -> Iterator[Message]:
        """How many were found beside the words of the file, and how many of such could be missed all the same."""
        found, planted = int(self.hosted["found"].sum()), int(self.hosted["plants"].sum())
        if planted:
            yield Message(
                "{found:,} of {planted:,} planted identifiers in plain form were found: "
                "with 95 % confidence at most {missed:.2%} of such are missed",
                found=found,
                planted=planted,
                missed=missed_at_most(found, planted),
            )


class Pii(Check, Rules):
    r"""Personal data and secrets in any text of a row: messages, tool calls, metadata, keys.

    Chinese identifiers first: resident ID (GB 11643 check digit), mobile and landline, bank card (brand, length, Luhn),
    passports, permits, plates, door-level addresses, labelled names, beside e-mail, addresses of machines and keys of
    providers. Disguises are undone before matching: fullwidth and circled digits, zero-width characters, separators,
    runs of Chinese numerals.

    A hit is valid, suspect (a wrong check digit, an unusual form), a specimen (13800138000, example.com) or public (a
    hotline, info@, the address of a shop): the last two are found and named as such, and warn. Each entity blocks,
    warns or is only counted; the contract may say otherwise, and may set limits by class: `private`, `secret`, `public`
    and `specimen`.
    """

    metrics = {
        "blocking_hits": Metric(
            "identifiers that must not be trained on",
            "hits",
            None,
            Limit(max=0),
            why="a model trained on one key can say it",
        ),
        "warn_hits": Metric(
            "suspect values, specimens and milder kinds",
            "hits",
            None,
            Limit(warn_max=0),
            why="none of them proves a private value; somebody should look at each",
        ),
        "profile_hits": Metric("kinds that the contract only wants counted", "hits"),
        "class_hits": Metric(
            "identifiers, by class (private, secret, public, specimen)", "hits", unwaivable={"class": "secret"}
        ),
        "class_values": Metric("different values, by class", "values"),
        "class_rows": Metric("rows that hold one, by class", "share", "rows"),
        "planted_recall": Metric(
            "planted identifiers that are found", "share", "plants", Limit(min=1.0), self_test=True
        ),
    }

    check: Literal["pii"] = "pii"

    @classmethod
    def implied(cls, dataset: Mapping[str, Any]) -> Mapping[str, Any]:
        """The day of the run, for the allow-list."""
        return {"as_of": dataset.get("as_of")}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Measurements are kept by their settings: with another key they are others."""
        yield from super().__repr_args__()
        yield "names_missing", self.names_missing
        with suppress(KeyMissingError):
            secret = self.secret()
            yield "key_id", secret and key_id(secret)

    @property
    def feature(self) -> Identifiers:
        """The hits that this check judges."""
        return Identifiers(entities=self.looked_for, names=self.searched)

    def needs(self) -> tuple[Need, ...]:
        """The hits of every part."""
        return (Need(self.feature),)

    def measure(self, data: View) -> Measured:
        """Count by level; only blocking rows are rows to drop, and what is only counted is not listed."""
        try:
            self.secret()
        except KeyMissingError:
            variable = (self.key or "").removeprefix("env:")
            return self.not_measured(
                Message("the environment variable {variable} must hold a key of 16 bytes or more", variable=variable)
            )
        if self.names_missing:
            return self.not_measured(NAMES_MISSING)
        found = data[self.needs()[0]].collect()
        judged = self.judged(found.drop_nulls("entity"))
        hits = judged.with_columns(pl.Series("label", self._labels(judged["value"]), dtype=pl.String))
        counted = hits.filter(~pl.col("level").is_in(["off", "allowed"]))
        evidence = (
            _in_context(hits, data)  # also what is off or allowed is masked beside a hit
            .lazy()
            .select(
                "row",
                "level",
                pl.col("path").alias("where"),
                pl.col("entity").str.to_lowercase().alias("problem"),
                _described().alias("said"),
                "score",
            )
        )
        blocking = placed(evidence.filter(pl.col("level") == "block"), data.rows)
        others = for_review(evidence.filter(pl.col("level") == "warn"), data.rows)
        planted = self._planted(data, analyzed=not found.is_empty())
        recall = planted.recall()
        values = [
            *self._counts("blocking_hits", "block", hits, data),
            *self._counts("warn_hits", "warn", hits, data),
            *self._counts("profile_hits", "profile", hits, data),
            *_by_class(counted, total(data.rows)),
            Value("planted_recall", recall if recall.of else None),
        ]
        figures = {"entities": _by_kind(hits), "planted": planted.hosted, **self._by_label(counted, data)}
        return Measured(
            tuple(values),
            pl.concat([blocking, others]).drop("level"),
            {name: table for name, table in figures.items() if table.height},
            (*planted.notes(), *self._of_the_allow_list(hits), NOT_COVERED),
        )

    def seen(self, canaries: View, plants: pl.DataFrame, data: View) -> list[bool | None]:
        """More identifiers are found in a row than in the same row without the plant.

        Where no text of the data reached the analyzer, candidates are enough: it would be loaded for nothing.
        """
        analyzed = not data[Need(self.feature)].head(1).collect().is_empty()
        feature = self.feature.model_copy(update={"analyzed": analyzed})
        planted = [entity for entity in _PLANTED if entity in self.looked_for]
        hit = pl.col("entity").is_in(planted) | pl.lit(not analyzed)
        found = canaries[Need(feature)].filter(hit).select("row").collect()
        hits = dict(found["row"].value_counts().iter_rows())
        rows = plants.select("row", "base").iter_rows()
        return [hits.get(row, 0) > hits.get(base, 0) if planted else None for row, base in rows]

    def _labels(self, values: pl.Series) -> list[str]:
        """A name per value: its fingerprint, or its number by first appearance."""
        secret = self.secret()
        known: dict[str, str] = {}
        for value in values:
            if value not in known:
                known[value] = fingerprint(secret, value) if secret else f"v{len(known) + 1}"
        return [known[value] for value in values]

    def _of_the_allow_list(self, hits: pl.DataFrame) -> Iterator[Message]:
        """What was let through, and what no longer is."""
        counts = dict(hits.drop_nulls("allowed")["allowed"].value_counts().iter_rows())
        expired = dict(self.expired())
        for number, entry in enumerate(self.allow, start=1):
            if number in expired:
                yield Message(
                    "allow-list entry {number} (owner {owner}) expired on {day} and does not apply",
                    number=number,
                    owner=entry.owner,
                    day=f"{entry.expires:%Y/%m/%d}",
                )
            elif number in counts:
                yield Message.plural(
                    "allow-list entry {number} (owner {owner}) let {n:,} hit pass",
                    "allow-list entry {number} (owner {owner}) let {n:,} hits pass",
                    counts[number],
                    number=number,
                    owner=entry.owner,
                )

    def _counts(self, metric: str, level: str, hits: pl.DataFrame, data: View) -> list[Value]:
        own = hits.filter(pl.col("level") == level)
        if self.by is None:
            return [Value(metric, own.height)]
        sliced = (
            self._slices(data)
            .join(own.group_by("row").len("hits"), on="row", how="left")
            .group_by(self.by)
            .agg(pl.col("hits").sum())
        )
        return [
            Value(metric, own.height),
            *(Value(metric, int(n), {self.by: k}) for k, n in sliced.sort(self.by).iter_rows()),
        ]

    def _slices(self, data: View) -> pl.DataFrame:
        return data.rows.select("row", pl.col(self.by or "").fill_null("(none)")).collect()

    def _by_label(self, hits: pl.DataFrame, data: View) -> dict[str, pl.DataFrame]:
        """Hits by entity and slice."""
        if self.by is None:
            return {}
        labelled = hits.join(self._slices(data), on="row", how="left")
        return {"by": labelled.group_by(self.by, "entity", "level").len("hits").sort(self.by, "entity", "level")}

    def _planted(self, data: View, *, analyzed: bool) -> _Planted:
        """Plant made-up identifiers into sentences of ours, and into copies of the user's own texts.

        Where no text of the data reached the analyzer, only the prefilter decided, and only it is tried.
        """
        texts = every_text(data).filter(pl.col("text") != "").head(PLANTED_ROWS)
        hosts = texts.collect()["text"].str.slice(0, HOST).to_list()
        own = [""] * OWN if total(data.rows) else []
        planted = tuple(entity for entity in self.looked_for if entity not in UNSTRUCTURED)
        # The marks keep apart what would change the meaning of a number: "x = 138…" is no telephone; and the line
        # feed parts a plant from a host that is itself a number: "0.00187；30.51…" would be a place.
        lines = [
            (entity, host == "", f"{host}；\n{plant}；\n{host[:40]}", len(host) + 2, len(host) + 2 + len(plant))
            for entity in planted
            for seed, host in enumerate([*hosts, *own])
            for plant in (canary(entity, seed),)
        ]
        schema = {"entity": pl.String, "own": pl.Boolean, "text": pl.String, "at": pl.UInt32, "until": pl.UInt32}
        table = pl.DataFrame(lines, schema=schema, orient="row").with_row_index("index")
        if analyzed:
            hits = _found_as(find(table["text"], planted), table)
        else:
            flags = candidates(table["text"], planted).with_row_index("index")
            hits = flags.unpivot(index="index", variable_name="entity", value_name="hit").filter("hit").drop("hit")
        table = table.join(hits.with_columns(found=True), on=["index", "entity"], how="left")
        counts = table.group_by("entity", "own", maintain_order=True).agg(
            plants=pl.len(), found=pl.col("found").sum().cast(pl.UInt32)
        )
        return _Planted(counts.filter("own"), counts.filter(~pl.col("own")).drop("own"))


def _found_as(hits: pl.DataFrame, plants: pl.DataFrame) -> pl.DataFrame:
    """Which planted entity (columns index, entity) is found: by its own recognizer, or as one that shares its form.

    A Slovak birth number is a Czech one, and of overlapping hits one is kept. So the number of a country that the
    contract asked for beside the usual ones may be found, at its place, as that of another, if that counts as much.
    """
    asked = [(entity, spec.policy.valid) for entity, spec in RECOGNIZERS.items() if spec.region not in ("", *REGIONS)]
    levels = pl.DataFrame(asked, schema={"hit": pl.String, "level": pl.String}, orient="row")
    known = levels.rename({"hit": "entity", "level": "expected"})
    found = hits.select("index", "start", "end", hit="entity").join(levels, on="hit", how="left")
    found = plants.join(known, on="entity", how="left").join(found, on="index")
    at_its_place = (pl.col("end") > pl.col("at")) & (pl.col("start") < pl.col("until"))
    as_much = (pl.col("level") == "block") | (pl.col("level") == pl.col("expected"))
    shared = pl.col("expected").is_not_null() & at_its_place & as_much
    return found.filter((pl.col("hit") == pl.col("entity")) | shared).select("index", "entity").unique()


def _by_kind(hits: pl.DataFrame) -> pl.DataFrame:
    """Hits, different values and rows of every kind in every state."""
    counts = (
        pl.len().alias("hits"),
        pl.col("value").n_unique().alias("values"),
        pl.col("row").n_unique().alias("rows"),
    )
    return hits.group_by("entity", "state", "level").agg(*counts).sort("entity", "state", "level")


def _by_class(hits: pl.DataFrame, rows: int) -> Iterator[Value]:
    """How many hits, different values and rows there are, of all and of each class."""
    secret, nobodys = pl.col("entity").is_in(SECRETS), pl.col("state").is_in(["public", "specimen"])
    kind = pl.when(nobodys).then("state").when(secret).then(pl.lit("secret")).otherwise(pl.lit("private"))
    classed = hits.with_columns(kind.alias("class"))
    parts = [({}, classed), *(({"class": name}, classed.filter(pl.col("class") == name)) for name in CLASSES)]
    for part, own in parts:
        yield Value("class_hits", own.height, part)
        yield Value("class_values", own["value"].n_unique(), part)
        yield Value("class_rows", Ratio(own["row"].n_unique(), rows) if rows else None, part)


def _in_context(hits: pl.DataFrame, data: View) -> pl.DataFrame:
    """Add `context`: the first hits between their neighbours, they and all others of the text masked; else null."""
    hits = hits.with_row_index("hit")
    first = pl.concat([hits.filter(pl.col("level") == level).sort("row").head(SHOWN) for level in ("block", "warn")])
    rows = first["row"].unique().to_list()
    place = ["row", "path"]
    texts = every_text(data).filter(pl.col("row").is_in(rows)).with_columns(pl.col("row").cast(pl.UInt32))
    texts = texts.join(first.lazy().select(place).unique(), on=place, how="semi")
    spans = hits.group_by(place).agg("hit", "start", "end", "masked")
    found = texts.collect().unique(place, keep="first").join(spans, on=place)
    shown = set(first["hit"])
    contexts = [
        (hit, _context(text, hit, sorted(zip(starts, ends, masks, each, strict=True))))
        for text, each, starts, ends, masks in found.select("text", "hit", "start", "end", "masked").iter_rows()
        for hit in each
        if hit in shown
    ]
    table = pl.DataFrame(contexts, schema={"hit": pl.UInt32, "context": pl.String}, orient="row")
    return hits.join(table, on="hit", how="left", maintain_order="left")


def _context(text: str, hit: int, spans: list[tuple[int, int, str, int]]) -> str:
    """The neighbours of one of the hits `spans` (start, end, masked, number) of a text."""
    (own,) = (each for each in spans if each[3] == hit)
    left = _masked(text, max(0, own[0] - _FAR), own[0], spans)
    right = _masked(text, own[1], own[1] + _FAR, spans)
    return excerpt(left + own[2] + right, limit=2 * _NEAR + len(own[2]), start=max(0, len(left) - _NEAR))


def _masked(text: str, at: int, until: int, spans: list[tuple[int, int, str, int]]) -> str:
    """A stretch of a text with its hits masked, white space as one space."""
    pieces = []
    for start, end, masked, _ in spans:
        if at < end and start < until:
            pieces += [text[at:start], masked]
            at = end
    return re.sub(r"\s+", " ", "".join([*pieces, text[at:until]]))


def _described() -> pl.Expr:
    """Level, masked value, state, rule, offset and name of a hit, and its context where it is known.

    Thousands are parted: a run of digits is masked.
    """
    reversed_digits = pl.col("start").cast(pl.String).str.reverse()
    at = reversed_digits.str.replace_all(r"([0-9]{3})", "$1,").str.reverse().str.strip_prefix(",")
    alone = saying(
        "{level} {masked}, {state} ({rule}) at {at}, {label}",
        level=word("level"),
        masked="masked",
        state=word("state"),
        rule="rule",
        at=at,
        label="label",
    )
    quoted = around("{said}: “{text}”", said=alone, text=saying("{said}", said="context"))
    return pl.when(pl.col("context").is_null()).then(alone).otherwise(quoted)
