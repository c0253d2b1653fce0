"""A data set is what was written, or an error that says so: no bit of it changes unseen."""

import hashlib
import json
import random
import shutil

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import causalaug as ca
from causalaug.engine import as_dask_frame, augment_to_parquet, read_augmented
from causalaug.engine._folder import fingerprint_of
from causalaug.exceptions import CausalAugError, OutputError, StoreError
from engine.jobs import content, job


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a complete data set; not to be changed."""
    return augment_to_parquet(path=tmp_path_factory.mktemp("set") / "whole", **job()).path


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "set")


def flip(path, place):
    changed = bytearray(path.read_bytes())
    changed[place // 8] ^= 1 << place % 8
    path.write_bytes(changed)


def rewrite(path, change):
    """Change a file of JSON, and its checksum with it, as one who knows how might do."""
    document = json.loads(path.read_text())
    document.pop("checksum", None)
    document = change(document) or document
    path.write_text(json.dumps({**document, "checksum": fingerprint_of(document)}))


def test_the_manifest_has_what_sha256sum_says(whole):
    done = read_augmented(whole)
    assert list(done.checksums) == [
        hashlib.sha256(path.read_bytes()).hexdigest() for path in done.files
    ]
    listed = json.loads((whole / "manifest.json").read_text())["parts"]
    assert [part["sha256"] for part in listed] == list(done.checksums)


def flip_at_random(whole, folder, rng):
    """Flip one bit of a copy; return whether reading finds it, and if not, whether all is equal."""
    files = sorted(whole.iterdir())
    path = rng.choices(files, [each.stat().st_size for each in files])[0]
    place = rng.randrange(8 * path.stat().st_size)
    copy = folder / path.name
    flip(copy, place)
    expected = read_augmented(whole)
    try:
        found = read_augmented(folder)
        pd.testing.assert_frame_equal(found.frame(), expected.frame())
        assert (found.columns, found.seed, found.mass) == (
            expected.columns,
            expected.seed,
            expected.mass,
        )
        seen = False
    except StoreError:
        seen = True
    before = content(folder)
    try:
        augment_to_parquet(path=folder, **job())
        assert content(folder) == content(whole), f"bit {place} of {path.name}"
    except StoreError:
        assert content(folder) == before
        assert path.suffix == ".json"
    shutil.copy(path, copy)
    return path.suffix, seen


def flips(whole, folder, number):
    """Return how many flips of each kind of file were found by reading, and how many were not."""
    rng, counts = random.Random(7), {}
    for _ in range(number):
        seen = flip_at_random(whole, folder, rng)
        counts[seen] = counts.get(seen, 0) + 1
    return counts


def test_a_flipped_bit_is_found_or_harmless(whole, folder):
    counts = flips(whole, folder, 60)
    # Of a data set, reading looks at all but the job.
    assert counts[".parquet", True] > 30
    assert (".parquet", False) not in counts


@pytest.mark.slow
def test_a_thousand_flipped_bits_are_found_or_harmless(whole, folder):
    counts = flips(whole, folder, 1000)
    print("flips:", counts)
    assert (".parquet", False) not in counts


@pytest.mark.parametrize("name", ["job.json", "manifest.json"])
def test_every_bit_of_the_small_files_counts(whole, folder, name):
    size = 8 * (whole / name).stat().st_size
    for place in random.Random(1).sample(range(size), 60):
        flip(folder / name, place)
        try:
            if name == "manifest.json":
                assert read_augmented(folder).frame().equals(read_augmented(whole).frame())
            augment_to_parquet(path=folder, **job(random_state=None))
        except StoreError as error:
            message = str(error)
        else:
            message = "harmless"
        assert len(message) < 1000
        shutil.copy(whole / name, folder / name)
        assert content(folder) == content(whole), f"bit {place} was not harmless"


def test_every_way_to_read_looks_at_the_checksum(folder):
    done = read_augmented(folder)
    flip(done.files[3], 8 * 400)
    message = "another checksum than its manifest says"
    with pytest.raises(StoreError, match=message):
        done.frame()
    with pytest.raises(StoreError, match=message):
        done.read(3)
    batches = done.batches()
    for _ in range(3):
        next(batches)
    with pytest.raises(StoreError, match=message):
        next(batches)
    assert len(done.read(2)) > 50
    pytest.importorskip("dask.dataframe")
    with pytest.raises(StoreError, match=message):
        as_dask_frame(done).compute(scheduler="synchronous")


def test_a_damaged_part_is_written_again_and_the_others_are_not(whole, folder):
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    flip(folder / "part-00003.parquet", 8 * 400)
    augment_to_parquet(path=folder, **job())
    after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"part-00003.parquet", "manifest.json"}
    assert content(folder) == content(whole)


def stop_after(n_blocks):
    def callback(done, total):
        if done == n_blocks:
            raise KeyboardInterrupt

    return callback


@pytest.mark.parametrize("victim", ["part-00001.parquet", "part-00001.parquet.sha256"])
def test_a_part_that_was_damaged_before_a_job_goes_on_is_written_again(whole, tmp_path, victim):
    folder = tmp_path / "set"
    with pytest.raises(KeyboardInterrupt):
        augment_to_parquet(path=folder, callback=stop_after(4), **job())
    flip(folder / victim, 8 * 20)
    steps = []
    augment_to_parquet(path=folder, callback=lambda *step: steps.append(step), **job())
    assert steps[0] == (3, 8)
    assert content(folder) == content(whole)


def test_a_repair_that_is_stopped_does_not_lose_the_other_parts(whole, folder):
    flip(folder / "part-00000.parquet", 800)
    flip(folder / "part-00005.parquet", 800)
    with pytest.raises(KeyboardInterrupt):
        augment_to_parquet(path=folder, callback=stop_after(7), **job())
    with pytest.raises(StoreError, match="must have a manifest"):
        read_augmented(folder)
    steps = []
    augment_to_parquet(path=folder, callback=lambda *step: steps.append(step), **job())
    assert steps == [(7, 8), (8, 8)]
    assert content(folder) == content(whole)


def test_checksums_that_were_left_over_are_removed(whole, folder):
    """As if the process had been killed right after it wrote the manifest."""
    (folder / "part-00000.parquet.sha256").write_text("anything")
    augment_to_parquet(path=folder, **job())
    assert content(folder) == content(whole)


@pytest.mark.parametrize(
    "name", ["/etc/hostname", "../other.parquet", "sub/x.parquet", "C:\\x", ""]
)
def test_a_manifest_may_not_name_a_file_elsewhere(folder, name):
    def change(manifest):
        manifest["parts"][2]["file"] = name

    rewrite(folder / "manifest.json", change)
    with pytest.raises(StoreError, match="must name the files of its own folder"):
        read_augmented(folder)
    with pytest.raises(StoreError, match="must name the files of its own folder"):
        augment_to_parquet(path=folder, **job())


@pytest.mark.parametrize("name", ["part-00002.parquet", "manifest.json", "job.json"])
def test_a_link_out_of_the_folder_is_refused(folder, tmp_path, name):
    outside = (folder / name).rename(tmp_path / "outside")
    (folder / name).symlink_to(outside)
    before = outside.read_bytes()
    with pytest.raises(StoreError, match=f"Found that '{name}' in .* is a link that leads out"):
        augment_to_parquet(path=folder, **job())
    if name.startswith("part"):
        with pytest.raises(StoreError, match="is a link that leads out"):
            read_augmented(folder)
    assert outside.read_bytes() == before


def test_a_folder_may_be_reached_by_a_link(whole, folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    found = augment_to_parquet(path=tmp_path / "link", **job())
    pd.testing.assert_frame_equal(found.frame(), read_augmented(whole).frame())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@settings(max_examples=25)
@given(st.data())
def test_whatever_a_manifest_says_it_is_a_table_or_our_error(whole, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("crafted") / "set"
    shutil.copytree(whole, folder)

    def change(manifest):
        name = data.draw(st.sampled_from(sorted(set(manifest) - {"format"})))
        if data.draw(st.booleans()):
            del manifest[name]
        elif isinstance(manifest[name], list) and data.draw(st.booleans()):
            manifest[name][0] = data.draw(VALUES)
        else:
            manifest[name] = data.draw(VALUES)

    rewrite(folder / "manifest.json", change)
    try:
        read_augmented(folder).frame()
        list(read_augmented(folder).batches())
    except CausalAugError as error:
        message = str(error)
    else:
        message = ""
    assert len(message) < 1500
    try:
        augment_to_parquet(path=folder, **job(random_state=None))
    except CausalAugError as error:
        message = str(error)
    assert len(message) < 1500
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"format": ' + "9" * 5000 + "}", "{", "\x00", '{"format": 1}', '"2"']
)
@pytest.mark.parametrize("name", ["job.json", "manifest.json"])
def test_files_of_json_that_are_none_of_ours_are_told(folder, name, text):
    (folder / name).write_text(text)
    with pytest.raises(StoreError, match=rf"{name}' must") as caught:
        augment_to_parquet(path=folder, **job())
    assert len(str(caught.value)) < 1000
    if name == "manifest.json":
        with pytest.raises(StoreError, match=rf"{name}' must"):
            read_augmented(folder)


def test_a_job_without_a_seed_is_told(folder):
    rewrite(folder / "job.json", lambda job: {**job, "seed": None})
    with pytest.raises(StoreError, match="must say the seed"):
        augment_to_parquet(path=folder, **job(random_state=None))


def test_the_manifest_of_another_job_is_told(folder, tmp_path):
    other = augment_to_parquet(path=tmp_path / "other", **job(random_state=6)).path
    shutil.copy(other / "manifest.json", folder / "manifest.json")
    with pytest.raises(StoreError, match="must be that of the job beside it"):
        augment_to_parquet(path=folder, **job())
    with pytest.raises(StoreError, match="another checksum"):
        read_augmented(folder).frame()


def test_a_part_with_other_columns_is_told(folder):
    """The checksums fit, but not what the manifest says of the columns."""

    def change(manifest):
        manifest["columns"] = ["age"]

    rewrite(folder / "manifest.json", change)
    with pytest.raises(StoreError, match="with the columns that its manifest names"):
        read_augmented(folder).read(0)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "n" * 5000], ids=len)
def test_a_path_that_no_system_holds_is_told(tmp_path, name):
    with pytest.raises(OutputError, match="needs a folder that can be written") as caught:
        augment_to_parquet(path=tmp_path / name, **job())
    assert len(str(caught.value)) < 1000
    with pytest.raises(StoreError, match="must have a manifest") as caught:
        read_augmented(tmp_path / name)
    assert len(str(caught.value)) < 1000


def test_a_path_that_is_no_unicode_can_be_written_and_read(tmp_path):
    done = augment_to_parquet(path=tmp_path / "odd\udcff", **job())
    expected = ca.augment(**job())
    pd.testing.assert_frame_equal(done.frame()[list(done.columns)], expected.frame)
