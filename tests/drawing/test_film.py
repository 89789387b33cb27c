"""Moving pictures: which states they show, for how long, and what they leave out."""

import re
from xml.etree import ElementTree

import pytest

import branchwise as bw
from branchwise.drawing.animation import film
from branchwise.problems.cart_pole import CartPole
from branchwise.problems.frozen_lake import FrozenLake

GROUP = "{http://www.w3.org/2000/svg}g"


def frames(moving):
    root = ElementTree.fromstring(moving)
    return [child for child in root if child.get("class", "").split()[:1] == ["film"]]


def states_of_a_push():
    states = [CartPole(x=0.0, speed=0.5 * step, angle=0.05, spin=0.0) for step in range(3)]
    return [state.to_svg() for state in states]


def test_pictures_come_one_after_another_and_the_last_one_stays_longer():
    shown = frames(film(states_of_a_push(), [1, 0], pace=0.25))
    assert [frame.get("style") for frame in shown] == [
        "animation-delay:0s",
        "animation-delay:0.25s",
        "animation-delay:0.5s",
    ]
    assert [frame.get("class") for frame in shown] == ["film", "film", "film film-last"]
    rules = film(states_of_a_push(), pace=0.25)
    assert "animation:film 1.5s step-end infinite" in rules
    assert re.search(r"@keyframes film\{0%\{visibility:visible\}16\.6667%", rules)
    assert re.search(r"@keyframes film-last\{0%\{visibility:visible\}66\.6667%", rules)


def test_what_all_pictures_have_in_front_is_drawn_once():
    pictures = states_of_a_push()
    moving = film(pictures)
    shared = ElementTree.fromstring(pictures[0])[0]
    assert ElementTree.fromstring(moving)[1].attrib == shared.attrib
    assert len(moving) < sum(map(len, pictures))


def test_the_actions_taken_are_framed_and_nothing_can_be_clicked():
    moving = film(states_of_a_push(), [1, 0])
    chosen = [
        ["".join(group.itertext()) for group in frame.iter(GROUP) if group.get("class") == "film-chosen"]
        for frame in frames(moving)
    ]
    assert chosen == [["right"], ["left"], []]
    assert not re.search("data-action|tabindex|cursor", moving)


def test_a_film_is_as_large_as_its_largest_picture():
    sizes = [(30, 20), (10, 50)]
    one, two = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}"/>'
        for w, h in sizes
    )
    root = ElementTree.fromstring(film([one, two]))
    assert (root.get("viewBox"), root.get("width"), root.get("height")) == ("0 0 30 50", "30", "50")


def test_one_picture_is_a_film_and_none_is_not():
    assert len(frames(film([FrozenLake().to_svg()]))) == 1
    with pytest.raises(bw.SettingsError, match="at least one picture"):
        film([])
    with pytest.raises(bw.SettingsError, match="pace"):
        film([FrozenLake().to_svg()], pace=0.0)
