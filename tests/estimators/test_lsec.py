"""Members of LSEC are shared out over landmark sets."""

from lsec.estimators.lsec import share_out


def test_members_are_shared_out_over_landmark_sets():
    assert share_out(20, (2, 3, 4, 5, 6), True) == [[2, 3, 4, 5, 6]] * 4
    assert share_out(7, (2, 3, 4), True) == [[2, 3, 4], [2, 3, 4], [4]]
    assert share_out(3, (5,), False) == [[5], [5], [5]]
