from uuid import uuid4

import pytest

from labelling.pseudonyms import is_pseudonym, pseudonym


def test_an_account_has_one_pseudonym_and_accounts_have_different_ones():
    ids = [uuid4() for _ in range(1000)]
    found = [pseudonym(one) for one in ids]
    assert found == [pseudonym(str(one)) for one in ids] == [pseudonym(one.hex) for one in ids]
    assert len(set(found)) == len(ids)
    assert all(map(is_pseudonym, found))


@pytest.mark.parametrize("name", ["anna", "annotator_a", "a1b2c3d", "a1b2c3d456", "A1b2c3d4", ""])
def test_a_name_is_none(name):
    assert not is_pseudonym(name)
