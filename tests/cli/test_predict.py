"""`causalaug predict`."""

import json

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from command import run, succeed


def fail(*words):
    result = run(*words)
    assert result.exit_code != 0
    return result


@pytest.fixture
def files(tmp_path):
    drawn = ca.datasets.make_sem(80, "chain", n_variables=4, random_state=0)
    drawn.frame[:60].assign(id=range(60)).to_csv(tmp_path / "train.csv", index=False)
    asked = drawn.frame[60:].drop(columns="Y")
    asked.iloc[0, 0] = np.nan
    asked.to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "graph.txt").write_text(ca.write_graph(drawn.graph))
    return tmp_path, drawn


def test_the_mean_and_quantiles_of_a_number_are_written(files):
    folder, drawn = files
    words = [folder / "train.csv", folder / "new.csv", "--graph", folder / "graph.txt"]
    printed = succeed("predict", *words, "--target", "Y", "--out", folder / "p.csv").stdout
    assert "Wrote 20 predictions of Y" in printed
    found = pd.read_csv(folder / "p.csv")
    assert list(found) == ["Y", "Y_q0.05", "Y_q0.5", "Y_q0.95"]
    model = ca.fit_model(drawn.frame[:60], drawn.graph, "auto")
    expected = model.predict("Y", pd.read_csv(folder / "new.csv"))
    np.testing.assert_allclose(found["Y"], expected.mean)
    np.testing.assert_allclose(found["Y_q0.95"], expected.quantile(0.95))


def test_the_probabilities_of_classes_are_written(data, tmp_path):
    (tmp_path / "new.csv").write_text("fever,cough\n40.0,9.0\n36.6,0.0\n")
    words = [data, tmp_path / "new.csv", "--graph", "fever <- sick -> cough", "--target", "sick"]
    document = json.loads(succeed("predict", *words, "--out", tmp_path / "p.csv", "--json").stdout)
    kinds = {"sick": "nominal", "fever": "continuous", "cough": "continuous"}
    assert document.pop("kinds") == kinds
    assert document == {"out": str(tmp_path / "p.csv"), "rows": 2, "target": "sick"}
    found = pd.read_csv(tmp_path / "p.csv")
    assert list(found) == ["sick=no", "sick=yes"]
    assert found["sick=yes"][0] > 0.5 > found["sick=yes"][1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "Z"], "must be one of the columns"),
        (["--target", "Y", "--quantiles", "0.5,2"], "must be numbers between 0 and 1"),
        (["--target", "Y", "--quantiles", "half"], "must be numbers between 0 and 1"),
    ],
)
def test_what_cannot_be_predicted_is_refused(files, options, message):
    folder, _ = files
    words = [folder / "train.csv", folder / "new.csv", "--graph", folder / "graph.txt", *options]
    assert message in fail("predict", *words, "--out", folder / "p.csv").stderr
    assert not (folder / "p.csv").exists()


GRADES = np.arange(150) % 5 + 1


@pytest.fixture
def graded(tmp_path):
    """Return what predicts y = 10 k from new rows, given how the cells of k are written in DATA."""

    def predict(written, new, *options, k="k"):
        noise = np.random.default_rng(0).normal(size=len(GRADES))
        train = pd.DataFrame({k: [written(grade) for grade in GRADES], "y": 10 * GRADES + noise})
        train.to_csv(tmp_path / "train.csv", index=False)
        (tmp_path / "new.csv").write_text(new)
        words = [tmp_path / "train.csv", tmp_path / "new.csv", "--graph", f"{k} -> y"]
        return run("predict", *words, "--out", tmp_path / "p.csv", "--target", "y", *options)

    return predict


@pytest.mark.parametrize(
    ("written", "new"),
    [
        (lambda grade: "5+" if grade == 5 else str(grade), "k\n1\n3\n"),
        (lambda grade: {1: "True", 3: "False"}.get(grade, "unknown"), "k\nTrue\nFalse\n"),
        (
            lambda grade: {1: "2024-02-28", 3: "2024-02-29"}.get(grade, "later"),
            "k\n2024-02-28\n2024-02-29\n",
        ),
        (lambda grade: {1: "1,5", 3: "2,5"}.get(grade, "many"), 'k\n"1,5"\n"2,5"\n'),
        (str, "k\n1\n3\nNA\n"),
        (str, "k\n1 \n3\n?\n"),
        (str, "k\n01\n03\n05\n"),
        (lambda grade: f"{grade:03}", "k\n001\n003 \n-\n"),
        (lambda grade: f"{grade} ", "k\n 1\n3\n"),
        (lambda grade: f"{grade} a", "k\n1 a \n 3 a\n"),
    ],
    ids=[
        *[
            "numbers",
            "booleans",
            "dates",
            "commas",
            "a missing cell",
            "a mark",
            "superfluous zeros",
        ],
        *["names of digits", "spaces around numbers", "spaces around words"],
    ],
)
def test_new_cells_are_what_they_are_in_the_data(graded, tmp_path, written, new):
    assert graded(written, new).exit_code == 0
    assert pd.read_csv(tmp_path / "p.csv")["y"][:2].tolist() == pytest.approx([10, 30], abs=1.5)


@pytest.mark.parametrize(
    ("written", "new", "message"),
    [
        (str, "k\n1\n3\n5\n??\n", "must hold numbers, as in DATA. Found '??'. Write such cells"),
        (
            lambda grade: grade > 2,
            "k\nTrue\nunknown\n",
            "must hold booleans, as in DATA. Found 'unk",
        ),
        (lambda grade: f"2024-02-0{grade}", "k\n2024-02-01\n2024-02-30\n", "Found '2024-02-30'"),
        (
            lambda grade: grade + 0.5,
            "k\n1.5\nhigh\n",
            "must hold numbers, as in DATA. Found 'high'",
        ),
        (str, "k\n?\n1\nhigh\n", "must hold numbers, as in DATA. Found 'high'"),
    ],
    ids=["a number", "a boolean", "a date", "a quantity", "a number beside a mark"],
)
def test_a_new_cell_of_another_type_is_named(graded, tmp_path, written, new, message):
    result = graded(written, new, "--kinds", "k=nominal")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: Column 'k' of '{tmp_path / 'new.csv'}' must hold ")
    assert message in result.stderr
    assert not (tmp_path / "p.csv").exists()


def test_new_cells_of_a_typed_file_must_be_of_the_same_type(graded, tmp_path):
    graded(lambda grade: f"{grade}+", "k\n1+\n")
    pd.DataFrame({"k": [1, 3]}).to_parquet(tmp_path / "new.parquet")
    words = [tmp_path / "train.csv", tmp_path / "new.parquet", "--graph", "k -> y"]
    told = fail("predict", *words, "--target", "y", "--out", tmp_path / "p.csv").stderr
    assert "must hold text, as in DATA. Found 1. Write such cells as text" in told


def test_new_cells_of_the_target_may_be_anything(graded, tmp_path):
    assert graded(str, "y,k\n?,2\n").stderr == ""
    assert pd.read_csv(tmp_path / "p.csv")["y"].tolist() == pytest.approx([20], abs=1.5)


def test_columns_that_are_no_node_and_nodes_that_are_no_column_are_named(data, tmp_path):
    (tmp_path / "new.csv").write_text("fever,Cough\n40.0,9.0\n")
    words = [data, tmp_path / "new.csv", "--graph", "fever <- sick -> cough", "--target", "sick"]
    assert succeed("predict", *words, "--out", tmp_path / "p.csv").stderr.splitlines() == [
        "Left out of NEW, since they are no node of the graph: Cough",
        "Integrated out, since NEW does not have them: cough",
    ]


def test_new_rows_without_any_node_are_refused(graded, tmp_path):
    result = graded(str, "grades,y\n1,10\n", k="grade")
    assert result.exit_code == 1
    assert "NEW must have a column that is a node of the graph, beside the target 'y'" in (
        result.stderr
    )
    assert "A typing slip? 'grades' -> 'grade'" in result.stderr
    assert not (tmp_path / "p.csv").exists()


def test_classes_that_are_whole_numbers_are_written_so_although_one_is_missing(tmp_path):
    (tmp_path / "train.csv").write_text("kids,y\n0,1.5\n1,2.5\n,2.0\n0,1.0\n1,3.0\n")
    (tmp_path / "new.csv").write_text("y\n1.5\n")
    words = [tmp_path / "train.csv", tmp_path / "new.csv", "--graph", "kids -> y"]
    succeed("predict", *words, "--target", "kids", "--out", tmp_path / "p.csv")
    assert list(pd.read_csv(tmp_path / "p.csv")) == ["kids=0", "kids=1"]


def test_a_mark_in_new_rows_is_told_and_is_a_missing_cell(graded, tmp_path):
    result = graded(str, "k\n?\n2\n")
    assert result.stderr == (
        "NEW: 'k': 1 cell is taken as missing ('?'), since all others are numbers. "
        "Write a word if it is a value.\n"
    )
    marked = (tmp_path / "p.csv").read_text()
    assert graded(str, "k\nNA\n2\n").stderr == ""
    assert (tmp_path / "p.csv").read_text() == marked


def test_new_rows_may_have_nothing_but_marks_where_the_data_have_numbers(graded, tmp_path):
    assert graded(str, "k\n?\n").exit_code == 0
    assert pd.read_csv(tmp_path / "p.csv")["y"].tolist() == pytest.approx([30], abs=1.5)


def test_digits_are_numbers_in_both_files_if_the_user_says_so(graded, tmp_path):
    # 4.5 is no cell of the data: only a number lies between two others.
    result = graded(lambda grade: f"{grade:03}", "k\n4.5\n004\n", "--kinds", "k=continuous")
    assert result.stderr == ""
    assert "Kinds: continuous: k, y" in result.stdout
    assert pd.read_csv(tmp_path / "p.csv")["y"].tolist() == pytest.approx([45, 40], abs=2.5)


def test_the_kinds_are_said_unless_quiet(graded):
    said = "Kinds: ordered: k; continuous: y (--kinds changes them).\nWrote 1 predictions of y to "
    assert graded(str, "k\n1\n").stdout.startswith(said)
    assert graded(str, "k\n1\n", "--quiet").stdout == ""


@pytest.fixture
def counted(tmp_path):
    """Return what predicts a count, or a word, from y."""
    counts = np.arange(60) % 3
    table = pd.DataFrame({"n": counts, "word": np.array(list("abc"))[counts], "y": counts + 0.5})
    table.to_csv(tmp_path / "train.csv", index=False)
    (tmp_path / "new.csv").write_text("y\n1.5\n")

    def predict(target, *options):
        words = [tmp_path / "train.csv", tmp_path / "new.csv", "--graph", "n -> y; word -> y"]
        return run("predict", *words, "--target", target, "--out", tmp_path / "p.csv", *options)

    return predict


def test_a_count_that_is_predicted_as_classes_is_told_and_can_be_a_number(counted, tmp_path):
    told = "'n' is predicted as classes, since it is ordered. --kinds n=continuous predicts a"
    assert told in counted("n").stdout
    assert list(pd.read_csv(tmp_path / "p.csv")) == ["n=0", "n=1", "n=2"]
    assert "predicted as classes" not in counted("n", "--kinds", "n=continuous").stdout
    assert list(pd.read_csv(tmp_path / "p.csv")) == ["n", "n_q0.05", "n_q0.5", "n_q0.95"]
    assert "'word' is predicted as classes, since it is nominal.\n" in counted("word").stdout


@pytest.mark.parametrize(
    ("target", "advice"),
    [("n", "out. --kinds n=continuous predicts a number.\n"), ("word", "Leave --quantiles out.\n")],
)
def test_classes_have_no_quantiles(counted, tmp_path, target, advice):
    result = counted(target, "--quantiles", "0.5")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: --quantiles must be for a number. Found that ")
    assert result.stderr.endswith(advice)
    assert not (tmp_path / "p.csv").exists()


def test_an_output_that_is_read_is_refused(files):
    folder, _ = files
    words = [folder / "train.csv", folder / "new.csv", "--graph", folder / "graph.txt"]
    before = (folder / "new.csv").read_bytes()
    fail("predict", *words, "--target", "Y", "--out", folder / "new.csv")
    assert (folder / "new.csv").read_bytes() == before
