import threading
from uuid import uuid4

import pytest

from labelling.pseudonyms import is_pseudonym, pseudonym
from labelling.tables import InputError, named_people
from labelling.tables.people import alias, forget, people_file, remember


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("GATES_DATA", str(tmp_path))
    return tmp_path


def test_an_account_s_name_stands_in_one_private_file(data):
    user = str(uuid4())
    assert remember({user: "Anna Ö"}) == {user: pseudonym(user)}
    assert named_people() == {pseudonym(user): "Anna Ö"}
    assert people_file().stat().st_mode & 0o777 == 0o600
    assert people_file().parent.stat().st_mode & 0o777 == 0o700


def test_a_renamed_account_keeps_its_pseudonym_and_a_removed_one_has_no_name():
    user = str(uuid4())
    remember({user: "anna"})
    remember({user: "ann"})
    assert named_people() == {pseudonym(user): "ann"}
    assert forget("ann") == [pseudonym(user)]
    remember({user: pseudonym(user)})  # what the account is called now
    assert named_people() == {}


def test_somebody_without_an_account_is_the_same_person_every_time():
    first = alias("Sam")
    assert is_pseudonym(first)
    assert alias("Sam") == first != alias("Ann")
    assert alias(first) == first
    assert named_people()[first] == "Sam"
    assert first != pseudonym(uuid4())


def test_an_account_s_name_is_found_by_its_alias():
    user = str(uuid4())
    remember({user: "anna"})
    assert alias("anna") == pseudonym(user)


def test_many_at_once_lose_nobody():
    threads = [threading.Thread(target=alias, args=[f"p{i}"]) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(named_people().values()) == sorted(f"p{i}" for i in range(20))


@pytest.mark.parametrize("content", ["{", "[]", '"x"'])
def test_a_damaged_file_is_one_sentence(content):
    people_file().parent.mkdir()
    people_file().write_text(content)
    with pytest.raises(InputError, match=r"pseudonyms.json is not what .*; expected .*; move it"):
        alias("anna")
