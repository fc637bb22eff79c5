"""Questions that say nothing of the task: many rows ask them, each behind a system prompt of its own."""

import polars as pl

from datacheck.check import Feature, Need, Summary, View
from datacheck.features.texts import PARTS, asked_besides, row_texts, system_prompts
from datacheck.text.sketches import text_hashes

SYSTEMS = 10  # different system prompts of one question from which they are the task
OTHERS = 10  # questions of one system prompt from which it belongs to none of them: a pool, or a persona


class SystemQuestions(Feature):
    """`asked`, `system` (hashes), `others`: a question that stands behind several system prompts of the part.

    A line per pair of them; `others`: how many different questions the system prompt has in the part. A part whose
    rows share one system prompt, or have none, has no line. What rows of other parts alone ask again is not seen.
    """

    columns = {"asked": pl.UInt64, "system": pl.UInt64, "others": pl.UInt32}

    def compute(self, part: View) -> pl.DataFrame:
        """Told apart by 64-bit hashes."""
        return _behind_several(part.turns)


class SystemTasks(Summary):
    """`asked`, sorted: hashes of the questions whose task stands in the system prompt (`asked_besides`).

    Ten system prompts or more, each of which has fewer than ten questions: "What should the agent do next?" behind one
    mailbox each. What says so is no pool of system prompts that are put before any question.
    """

    def needs(self) -> tuple[Need, ...]:
        """Every part's questions behind several system prompts."""
        return (Need(SystemQuestions()),)

    def compute(self, data: View) -> pl.DataFrame:
        """`asked` u64."""
        return _tasks(data[self.needs()[0]])


def tasks_first(turns: pl.LazyFrame) -> pl.LazyFrame:
    """The turns of a whole dataset; a system prompt that holds the task of its row is said by the user, and all.

    For what looks for a question elsewhere: one that all rows ask finds nothing, or everything.
    """
    tasks = _tasks(_behind_several(turns).lazy())["asked"]
    if tasks.is_empty():
        return turns
    rows = asked_besides(turns).filter(pl.col("asked").is_in(tasks.implode()))["row"]
    told, system = pl.col("row").is_in(rows.implode()), pl.col("role").eq_missing("system")
    said = turns.filter(~told | system | ~pl.col("part").is_in(PARTS["prompt"]))
    return said.with_columns(role=pl.when(told & system).then(pl.lit("user")).otherwise("role"))


def _behind_several(turns: pl.LazyFrame) -> pl.DataFrame:
    if turns.filter(pl.col("role") == "system").select("row").head(1).collect().is_empty():  # no text is read
        return pl.DataFrame(schema=SystemQuestions.columns)
    systems = system_prompts(turns).with_columns(system=pl.col("text").hash()).collect()
    if systems["system"].n_unique() <= 1:
        return pl.DataFrame(schema=SystemQuestions.columns)
    asked = row_texts(turns, "prompt").select("row", asked=pl.col("text").hash()).collect()
    every = systems.select("row", "system").join(asked, on="row", how="left").with_columns(pl.col("asked").fill_null(0))
    pairs = every.group_by("asked", "system").agg(pl.col("row").min())
    pairs = pairs.with_columns(others=pl.len().over("system").cast(pl.UInt32), n=pl.len().over("asked"))
    found = pairs.filter(pl.col("n") > 1).sort("row").select("row", "others")
    if found.is_empty():
        return pl.DataFrame(schema=SystemQuestions.columns)
    named = found.join(asked_besides(turns), on="row", maintain_order="left").join(
        systems.select("row", system=pl.Series(text_hashes(systems["text"]))), on="row", maintain_order="left"
    )
    return named.select("asked", "system", "others")


def _tasks(pairs: pl.LazyFrame) -> pl.DataFrame:
    pairs = pairs.group_by("asked", "system").agg(pl.col("others").max())
    own = pairs.filter(pl.col("others").max().over("system") < OTHERS)
    told = own.group_by("asked").len().filter(pl.col("len") >= SYSTEMS)
    return told.select("asked").sort("asked").collect()
