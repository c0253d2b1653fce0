"""`causalaug predict`."""

import json

import numpy as np
import pandas as pd
import pytest

import causalaug as ca
from causalaug.evaluation import named_learner
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


def words_of(folder, *options):
    words = [folder / "train.csv", folder / "new.csv", "--graph", folder / "graph.txt"]
    return ["predict", *words, "--target", "Y", "--out", folder / "p.csv", *options]


def test_the_mean_and_quantiles_of_a_number_are_those_of_the_graphs_own_model(files):
    folder, drawn = files
    printed = succeed(*words_of(folder, "--model", "graph")).stdout
    assert "The graph's own model predicts" in printed
    assert "Wrote 20 predictions of Y" in printed
    found = pd.read_csv(folder / "p.csv")
    assert list(found) == ["Y", "Y_q0.05", "Y_q0.5", "Y_q0.95"]
    rows, asked = drawn.frame[:60], pd.read_csv(folder / "new.csv")
    model = ca.GraphRegressor(drawn.graph, target="Y").fit(rows.drop(columns="Y"), rows["Y"])
    np.testing.assert_allclose(found["Y"], model.predict(asked))
    np.testing.assert_allclose(found["Y_q0.95"], model.predict_quantile(asked, [0.95])[:, 0])


def test_learners_see_columns_that_are_no_node_as_evaluate_lets_them(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "c", "outside"])
    frame["b"] = frame["a"] + 5.0 * frame["outside"]
    frame.to_csv(tmp_path / "rows.csv", index=False)
    words = ["predict", tmp_path / "rows.csv", tmp_path / "rows.csv", "--graph", "a -> b -> c"]
    words += ["--target", "b", "--out", tmp_path / "p.csv", "--estimator", "ridge"]
    result = succeed(*words, "--json")
    assert "Columns that are no node of the graph: ['outside']" in result.stderr
    assert json.loads(result.stdout)["plain_loss"] < 0.1 * frame["b"].var()
    found = pd.read_csv(tmp_path / "p.csv")["b"]
    assert np.corrcoef(found, frame["b"])[0, 1] > 0.9


def test_the_blend_that_evaluate_judges_predicts_unless_told_otherwise(files):
    folder, drawn = files
    words = words_of(folder, "--estimator", "ridge", "--quantiles", "0.1,0.9", "--seed", "3")
    document = json.loads(succeed(*words, "--json").stdout)
    found = pd.read_csv(folder / "p.csv")
    X, y = drawn.frame[:60].drop(columns="Y"), drawn.frame["Y"][:60]
    learner = named_learner("ridge", X, classification=False)
    blend = ca.AugmentedRegressor(learner, graph=drawn.graph, random_state=3).fit(X, y)
    asked = pd.read_csv(folder / "new.csv")
    np.testing.assert_allclose(found["Y"], blend.predict(asked), rtol=1e-9)
    low, high = blend.predict_interval(asked, 0.8).T
    np.testing.assert_allclose(found["Y_q0.1"], low, rtol=1e-9)
    np.testing.assert_allclose(found["Y_q0.9"], high, rtol=1e-9)
    assert document["model"] == "blend"
    assert document["estimator"] == "ridge"
    assert document["held_out_rows"] == 60
    assert document["held_out_loss"] == pytest.approx(blend.held_out_loss_)
    assert document["plain_loss"] == pytest.approx(blend.blend_["loss"][0])
    told = f"is {blend.held_out_loss_:.4g}, that of ridge alone {blend.blend_['loss'][0]:.4g}.\n"
    said = succeed(*words).stdout
    assert f"The blend around ridge predicts: its MSE on 60 held-out rows {told}" in said


def test_boosting_is_the_learner_unless_another_is_named(files):
    folder, _ = files
    document = json.loads(succeed(*words_of(folder), "--json").stdout)
    assert (document["model"], document["estimator"]) == ("blend", "boosting")
    assert succeed(*words_of(folder), "--quiet").stdout == ""


def test_the_blend_integrates_out_nodes_that_new_rows_lack(files):
    folder, drawn = files
    asked = pd.read_csv(folder / "new.csv")
    asked.iloc[:, 1:].to_csv(folder / "new.csv", index=False)
    told = succeed(*words_of(folder, "--estimator", "ridge")).stderr
    assert f"Integrated out, since NEW does not have them: {asked.columns[0]}" in told
    lacking = pd.read_csv(folder / "p.csv")
    asked.assign(**{asked.columns[0]: np.nan}).to_csv(folder / "new.csv", index=False)
    succeed(*words_of(folder, "--estimator", "ridge"))
    pd.testing.assert_frame_equal(lacking, pd.read_csv(folder / "p.csv"))


@pytest.mark.parametrize("written", [str, lambda grade: f"grade {grade}", lambda grade: grade > 2])
@pytest.mark.parametrize("new", ["z\n10\n30\n", "k,z\n,10\n,30\n"])
def test_the_blend_integrates_out_whatever_a_lacking_column_would_hold(tmp_path, written, new):
    rng = np.random.default_rng(0)
    k, y = [written(grade) for grade in GRADES[:40]], 10 * GRADES[:40] + rng.normal(size=40)
    train = pd.DataFrame({"k": k, "y": y, "z": y + rng.normal(size=40)})
    train.to_csv(tmp_path / "train.csv", index=False)
    (tmp_path / "new.csv").write_text(new)
    words = [tmp_path / "train.csv", tmp_path / "new.csv", "--graph", "k -> y -> z", "-t", "y"]
    succeed("predict", *words, "--out", tmp_path / "p.csv", "--estimator", "ridge")
    assert pd.read_csv(tmp_path / "p.csv")["y"].tolist() == pytest.approx([10, 30], abs=4)


def test_a_learner_beside_the_graphs_own_model_is_refused(files):
    folder, _ = files
    told = fail(*words_of(folder, "--model", "graph", "--estimator", "ridge")).stderr
    assert "--estimator must go with --model blend" in told
    assert not (folder / "p.csv").exists()


def test_few_rows_are_predicted_by_the_graphs_own_model_unless_the_blend_is_asked_for(files):
    folder, drawn = files
    drawn.frame[:9].to_csv(folder / "train.csv", index=False)
    told = "Ten distinct rows at least must have a cell of 'Y', so that some can be held out"
    result = succeed(*words_of(folder, "--estimator", "ridge"))
    assert f"{told}. There are fewer: the graph's own model predicts.\n" in result.stderr
    assert "The graph's own model predicts." in result.stdout
    (folder / "p.csv").unlink()
    refused = fail(*words_of(folder, "--model", "blend"))
    assert f"error: {told}. Found fewer. Use --model graph" in refused.stderr
    assert not (folder / "p.csv").exists()


@pytest.fixture
def patients(tmp_path):
    rng = np.random.default_rng(0)
    ill = np.arange(40) % 2
    table = {"sick": np.where(ill, "yes", "no"), "fever": 37 + ill + 0.8 * rng.normal(size=40)}
    table |= {"cough": np.abs(4 * ill + 2 * rng.normal(size=40))}
    pd.DataFrame(table).to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


@pytest.mark.parametrize(
    "options", [["--model", "graph"], ["--estimator", "logistic"], ["--estimator", "xgboost"]]
)
def test_the_probabilities_of_classes_are_written(patients, tmp_path, options):
    (tmp_path / "new.csv").write_text("fever,cough\n40.0,9.0\n36.6,0.0\n")
    words = [patients, tmp_path / "new.csv", "--graph", "fever <- sick -> cough", "-t", "sick"]
    words += ["--out", tmp_path / "p.csv", "--json", *options]
    document = json.loads(succeed("predict", *words).stdout)
    kinds = {"sick": "nominal", "fever": "continuous", "cough": "continuous"}
    assert document["kinds"] == kinds
    assert document["out"] == str(tmp_path / "p.csv")
    assert (document["rows"], document["target"]) == (2, "sick")
    assert document["model"] == ("graph" if "graph" in options else "blend")
    assert document.get("loss", "log-loss") == "log-loss"
    found = pd.read_csv(tmp_path / "p.csv")
    assert list(found) == ["sick=no", "sick=yes"]
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found["sick=yes"][0] > 0.5 > found["sick=yes"][1]


def test_a_learner_of_one_task_decides_the_task(counted, tmp_path):
    assert "--task" not in counted("n", "--estimator", "logistic").stdout.replace(
        "--task regression predicts a number", ""
    )
    assert list(pd.read_csv(tmp_path / "p.csv")) == ["n=0", "n=1", "n=2"]
    refused = counted("n", "--estimator", "logistic", "--task", "regression")
    assert (
        "The learner 'logistic' must predict classes. Found the task regression" in refused.stderr
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "Z"], "must be a node of the graph. Found 'Z'"),
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
        # What is read and said is the same for both models, and this one is the faster.
        words += ["--out", tmp_path / "p.csv", "--target", "y", "--model", "graph"]
        return run("predict", *words, *options)

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
    ids=["numbers", "booleans", "dates", "commas", "a missing cell", "a mark", "superfluous zeros"]
    + ["names of digits", "spaces around numbers", "spaces around words"],
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
    words += ["--model", "graph"]
    assert succeed("predict", *words, "--out", tmp_path / "p.csv").stderr.splitlines() == [
        "Left out of NEW, since they are no node of the graph: Cough",
        "Integrated out, since NEW does not have them: cough",
    ]


def test_a_new_column_that_looks_like_a_node_is_refused_by_its_characters(graded, tmp_path):
    result = graded(str, "e\u0301,y\n1,10\n", k="\xe9")
    assert result.exit_code == 1
    assert r"'e\u0301' and '\xe9'" in result.stderr
    assert not (tmp_path / "p.csv").exists()


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
    said = (
        "Kinds: ordered: k; continuous: y (--kinds changes them).\nThe graph's own model predicts."
    )
    assert graded(str, "k\n1\n").stdout.startswith(f"{said}\nWrote 1 predictions of y to ")
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
        fast = [] if "--estimator" in options else ["--model", "graph"]
        words += ["--target", target, "--out", tmp_path / "p.csv", *fast]
        return run("predict", *words, *options)

    return predict


def test_a_count_is_a_number_and_can_be_classes(counted, tmp_path):
    told = "n has 3 whole values and is predicted as a number; --task classification predicts"
    assert told in counted("n").stdout
    assert list(pd.read_csv(tmp_path / "p.csv")) == ["n", "n_q0.05", "n_q0.5", "n_q0.95"]
    for words in (["--task", "classification"], ["--kinds", "n=ordered"]):
        said = counted("n", *words).stdout
        assert told not in said
        assert "'n' is predicted as classes. --task regression predicts a number." in said
        assert list(pd.read_csv(tmp_path / "p.csv")) == ["n=0", "n=1", "n=2"]
    assert "'word' is predicted as classes.\n" in counted("word").stdout


@pytest.mark.parametrize("number", [1, 1.0])
def test_two_whole_values_are_classes(number, tmp_path):
    table = pd.DataFrame({"n": [0 * number, number] * 20, "y": [0.5, 1.5] * 20})
    table.to_csv(tmp_path / "train.csv", index=False)
    (tmp_path / "new.csv").write_text("y\n1.5\n")
    words = [tmp_path / "train.csv", tmp_path / "new.csv", "--graph", "n -> y", "--target", "n"]
    words += ["--model", "graph"]
    printed = run("predict", *words, "--out", tmp_path / "p.csv").stdout
    assert "n has two values and is predicted as classes; --task regression predicts" in printed
    assert len(pd.read_csv(tmp_path / "p.csv").columns) == 2
    run("predict", *words, "--task", "regression", "--out", tmp_path / "q.csv")
    assert "n_q0.5" in pd.read_csv(tmp_path / "q.csv")


@pytest.mark.parametrize(
    ("target", "options", "advice"),
    [
        ("n", ["--task", "classification"], "out. --task regression predicts a number.\n"),
        ("word", [], "Leave --quantiles out.\n"),
    ],
)
def test_classes_have_no_quantiles(counted, tmp_path, target, options, advice):
    result = counted(target, "--quantiles", "0.5", *options)
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


def test_columns_may_be_dropped_from_both_tables(tmp_path):
    rows = pd.DataFrame({"id": ["07", "08", "x9", "10"] * 5, "load": range(20)})
    rows["wear"] = rows["load"] * 2.0 + 0.5
    rows.to_csv(tmp_path / "rows.csv", index=False)
    rows[["load"]].head(3).to_csv(tmp_path / "new.csv", index=False)
    words = ["predict", tmp_path / "rows.csv", tmp_path / "new.csv", "--graph", "load -> wear"]
    words += ["--target", "wear", "--out", tmp_path / "out.csv", "--estimator", "ridge"]
    assert "Left out, since NEW does not have them: id" in succeed(*words).stderr
    assert "id" not in succeed(*words, "--drop", "id").stderr
    rows.to_csv(tmp_path / "new.csv", index=False)
    assert "id" not in succeed(*words, "--drop", "id").stderr
    assert len(pd.read_csv(tmp_path / "out.csv")) == len(rows)
    assert "['ids']" in run(*words, "--drop", "ids").stderr
