"""What a contract says of identifiers: how much each one matters, which ones are allowed, and until when."""

import datetime as dt
import re
from typing import Annotated, Any, Literal, Self

import polars as pl
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, field_validator, model_validator

from datacheck.pii.excerpts import mask
from datacheck.pii.free_names import model
from datacheck.pii.normalise import as_read, fold
from datacheck.pii.prefilter import Names
from datacheck.pii.pseudonyms import ENV, fingerprint, identity, read_key
from datacheck.pii.recognizers import ALL_REGIONS, RECOGNIZERS, REGIONS, of_regions

Level = Literal["block", "warn", "profile", "off"]
Person = Literal["labelled", "near", "full", "model"]
# Reports write days with slashes: a date with hyphens would be masked as a number.
Day = Annotated[
    dt.date,
    BeforeValidator(lambda given: given.replace("/", "-") if isinstance(given, str) else given),
    PlainSerializer(lambda day: f"{day:%Y/%m/%d}", str),
]

_ORDER: tuple[Level, ...] = ("off", "profile", "warn", "block")
_DOMAIN = re.compile(r"(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}")


def today() -> dt.date:
    """The day of this machine's clock and time zone."""
    return dt.datetime.now().astimezone().date()


class RuleError(ValueError):
    """A rule that cannot be; `said` is its sentence as an id with named holes, and what fills them."""

    def __init__(self, sentence: str, /, **params: str) -> None:
        self.said = sentence, params
        super().__init__(sentence.format(**params) if params else sentence)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


class Allowed(_Model):
    """A value that may stay, who answers for it, and until when (that day included).

    One of `value` (as written; reports show it masked), `fingerprint` (as a report shows it; needs the key) and
    `domain` (of e-mail addresses, its subdomains included).
    """

    entity: str | None = Field(default=None, description="Kind of identifier, as a report names it; else any kind.")
    value: str | None = Field(default=None, description="The value as it is written.")
    fingerprint: str | None = Field(
        default=None, pattern="^[0-9a-fx]{8}$", description="The value as a report shows it."
    )
    domain: str | None = Field(default=None, description="Domain of e-mail addresses, its subdomains included.")
    owner: str = Field(min_length=1, description="Who answers for it.")
    reason: str = Field(min_length=1, description="Why it may stay.")
    expires: Day = Field(description="The last day on which it may.")

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in ("value", "fingerprint", "domain") if getattr(self, name) is not None]
        if len(given) != 1:
            raise RuleError("an entry of the allow-list names one of value, fingerprint and domain")
        if self.entity is not None and self.entity not in RECOGNIZERS:
            raise RuleError("unknown entity; known: {known}", known=", ".join(RECOGNIZERS))
        if self.value is not None and self.entity is None:
            raise RuleError("a value needs its entity beside it")
        if self.domain is not None and not _DOMAIN.fullmatch(self.domain):
            raise RuleError("a domain is written as in example.com, in small letters")
        return self

    def matches(self, key: bytes | None) -> pl.Expr:
        """Which of the hits (columns entity, value, domain) this entry speaks of."""
        if self.value is not None and self.entity is not None:
            return pl.col("value") == identity(self.entity, self.value)
        if self.domain is not None:
            own = (pl.col("domain") == self.domain) | pl.col("domain").str.ends_with(f".{self.domain}")
            return own.fill_null(value=False) & (pl.col("entity") == "EMAIL_ADDRESS")
        names = pl.col("value").map_elements(lambda v: fingerprint(key or b"", v), return_dtype=pl.String)
        same = names == self.fingerprint
        return same if self.entity is None else same & (pl.col("entity") == self.entity)

    def shown(self) -> dict[str, Any]:
        """The entry as a report may show it."""
        entry = self.model_dump(mode="json", exclude_none=True, exclude={"value"})
        if self.value is not None and self.entity is not None:
            entry["value"] = mask(self.entity, self.value)
        return entry


AllowList = Annotated[tuple[Allowed, ...], PlainSerializer(lambda entries: [entry.shown() for entry in entries])]


class Rules(_Model):
    """How identifiers count.

    A suspect value or a specimen never counts for more than a valid value of its entity; a name that only a tagger
    takes for one blocks only with `entities: {PERSON: block}` and `names: block` together.
    """

    entities: dict[str, Level] = Field(default={}, description="block, warn, profile or off per entity")
    regions: Literal["all"] | tuple[str, ...] = Field(
        default=(),
        description="countries whose identifiers are looked for besides CN, TW, HK, MO and US: DE, FR, …; or all",
    )
    specimens: Level | None = Field(default=None, description="what values known from documentation count as")
    public: Level | None = Field(default=None, description="what institutions' numbers, mailboxes and places count as")
    suspects: Level | None = Field(default=None, description="what values with a wrong check digit count as")
    person: Person = Field(
        default="near",
        description="names without a label: not at all (labelled), within 60 characters of a hard identifier (near), "
        "everywhere by a dictionary's tags (full: 0.1 MB/s, and a third of all rows has a false one) or by a small "
        "network and a list of given names (model: needs `datacheck-llm[names]`)",
    )
    names: Level | None = Field(
        default=None,
        description="what a name without a label counts as, at most as much as PERSON in `entities`; by default it is "
        "only counted (profile)",
    )
    allow: AllowList = Field(
        default=(), description="values that may stay: entity; value, fingerprint or domain; owner, reason, expires"
    )
    as_of: Day | None = Field(default=None, description="the day for `expires`; by default `--as-of`, else today")
    key: str | None = Field(default=None, description="env:NAME of the key for fingerprints; without: v1, v2, …")

    @model_validator(mode="before")
    @classmethod
    def _dated(cls, given: Any) -> Any:
        """Set the day that decides, so that it stands in the report; without an allow-list no day decides."""
        if not isinstance(given, dict):
            return given
        rest = {name: value for name, value in given.items() if name != "as_of"}
        return {**rest, "as_of": given.get("as_of") or today()} if given.get("allow") else rest

    @field_validator("entities")
    @classmethod
    def _known(cls, entities: dict[str, Level]) -> dict[str, Level]:
        unknown = sorted(set(entities) - set(RECOGNIZERS))
        if unknown:
            raise RuleError(
                "unknown entity {names}; known: {known}", names=", ".join(unknown), known=", ".join(RECOGNIZERS)
            )
        return entities

    @field_validator("regions")
    @classmethod
    def _countries(cls, regions: Literal["all"] | tuple[str, ...]) -> Literal["all"] | tuple[str, ...]:
        unknown = [] if regions == "all" else sorted(set(regions) - ALL_REGIONS)
        if unknown:
            raise RuleError(
                "unknown region {names}; known: {known}", names=", ".join(unknown), known=", ".join(sorted(ALL_REGIONS))
            )
        return regions

    @field_validator("key")
    @classmethod
    def _named(cls, key: str | None) -> str | None:
        if key is not None and not ENV.fullmatch(key):
            raise RuleError("a key is never written into a contract; expected env:NAME")
        return key

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if self.key is None and any(entry.fingerprint for entry in self.allow):
            raise RuleError("fingerprints are compared with a key; name one with key: env:NAME")
        return self

    @property
    def searched(self) -> Names:
        """Where unlabelled names are looked for; without what `model` needs as by default, see `names_missing`."""
        if self.person == "model" and not self.names_missing:
            return "model"
        return "full" if self.person == "full" else "linked"

    @property
    def names_missing(self) -> bool:
        """Whether names are to be found by a model that is not installed."""
        return self.person == "model" and model() is None

    @property
    def looked_for(self) -> tuple[str, ...]:
        """The entities to look for, in the order of priority: of the regions, and those that the contract names."""
        regional = of_regions(ALL_REGIONS if self.regions == "all" else {*REGIONS, *self.regions})
        chosen = {*regional, *self.entities} - {entity for entity, level in self.entities.items() if level == "off"}
        return tuple(entity for entity in RECOGNIZERS if entity in chosen)

    def secret(self) -> bytes | None:
        """The key, if one is named. Raises KeyMissingError."""
        return None if self.key is None else read_key(self.key)

    def expired(self) -> list[tuple[int, Allowed]]:
        """The entries that no longer apply, with their numbers from 1."""
        return [(n, entry) for n, entry in enumerate(self.allow, start=1) if not self._applies(entry)]

    def _applies(self, entry: Allowed) -> bool:
        return self.as_of is not None and self.as_of <= entry.expires

    def judged(self, hits: pl.DataFrame) -> pl.DataFrame:
        """Add `level` (block, warn, profile, off or allowed) and `allowed` (the number of the entry) to hits.

        Args:
            hits: with entity, state, linked, value (see `identity`), domain and rule.

        """
        secret = self.secret()
        allowed = pl.lit(None, pl.UInt32)
        for number, entry in reversed(list(enumerate(self.allow, start=1))):
            if self._applies(entry):
                allowed = pl.when(entry.matches(secret)).then(pl.lit(number, pl.UInt32)).otherwise(allowed)
        marked = hits.with_columns(allowed.alias("allowed"))
        if marked.is_empty():
            return marked.with_columns(level=pl.lit(None, pl.String))
        kinds = marked.select("entity", "state", "linked").unique()
        levels = [self.level(entity, state, linked=linked) for entity, state, linked in kinds.iter_rows()]
        levelled = marked.join(
            kinds.with_columns(level=pl.Series(levels, dtype=pl.String)),
            on=["entity", "state", "linked"],
            how="left",
            maintain_order="left",
        )
        return levelled.with_columns(
            level=pl.when(pl.col("allowed").is_not_null()).then(pl.lit("allowed")).otherwise("level")
        )

    def to_replace(self) -> pl.Expr:
        """Which judged hits a redacted copy does without: what blocks or warns; what is nobody's only if it blocks.

        And names beside an identifier that only a tagger takes for such, unless the contract says what a name counts
        as: one too many costs a word, one too few is somebody's.
        """
        level, nobodys = pl.col("level"), pl.col("state").is_in(["specimen", "public"])
        tagged = pl.lit("PERSON" not in self.entities) & (pl.col("entity") == "PERSON") & pl.col("linked")
        return (level == "block") | ((level == "warn") & ~nobodys) | ((level == "profile") & tagged & ~nobodys)

    def level(self, entity: str, state: str, *, linked: bool) -> Level:
        """How much a hit counts for: never more than a valid one of its entity."""
        policy = RECOGNIZERS[entity].policy
        usual: Level = policy.linked if linked and policy.linked else policy.valid
        most = self.entities.get(entity, usual)
        if state == "valid":
            return most
        if state == "specimen":
            own = self.specimens or policy.specimen
        elif state == "public":
            own = self.public or policy.public
        elif entity == "PERSON":  # a name that only a tagger takes for one: it blocks only if both settings say so
            own = "off" if self.person == "labelled" else self.names or policy.suspect
        else:
            own = self.suspects or policy.suspect
        return min(most, own, key=_ORDER.index)


def identified(hits: pl.DataFrame, texts: pl.Series) -> pl.DataFrame:
    """Add to hits in `texts` (columns index, entity, start, end; null entities allowed) what `judged` compares.

    value: see `identity`; domain: that of an e-mail address.
    """
    told: list[tuple[str | None, str | None]] = []
    at, text = -1, ""  # a text may be long and have many hits: it is taken out of the column once
    for index, entity, start, end in hits.select("index", "entity", "start", "end").iter_rows():
        if index != at:
            at, text = index, texts[index]
        told.append((None, None) if entity is None else _told(entity, as_read(text, start, end)))
    columns = pl.DataFrame(told, schema={"value": pl.String, "domain": pl.String}, orient="row")
    return pl.concat([hits, columns], how="horizontal")


def _told(entity: str, written: str) -> tuple[str, str | None]:
    domain = fold(written).text.rpartition("@")[2].lower() if entity == "EMAIL_ADDRESS" else None
    return identity(entity, written), domain
