"""Chess: published perft counts, games in step with pyffish and OpenSpiel, FEN, SAN, and ends of games.

Counts of the six positions: chessprogramming.org, "Perft Results". pyffish has the rules of Fairy-Stockfish.
"""

import random
import re

import pytest

import branchwise as bw
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.games.chess import (
    CHECKMATE,
    DEAD_POSITION,
    FIFTY_MOVES,
    PLAYING,
    REPETITION,
    STALEMATE,
    START,
    Chess,
)
from branchwise.games.chess_tables import (
    ALL,
    BIT,
    DIAGONALS,
    KNIGHT_ATTACKS,
    MOVES,
    SQUARES,
    STRAIGHTS,
    diagonal_attacks,
    slider_attacks,
    straight_attacks,
)
from branchwise.testing import divide, perft

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PERFT = {
    START: (20, 400, 8902, 197_281, 4_865_609),
    KIWIPETE: (48, 2039, 97_862, 4_085_603, 193_690_690),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (14, 191, 2812, 43_238, 674_624),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (6, 264, 9467, 422_333, 15_833_292),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1486, 62_379, 2_103_487, 89_941_194),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (
        46,
        2079,
        89_890,
        3_894_594,
        164_075_551,
    ),
}


@pytest.mark.parametrize("fen", PERFT)
def test_perft_of_the_standard_positions_to_depth_4_matches_published_counts(fen):
    state = Chess.from_fen(fen)
    assert tuple(perft(state, depth, compiled=True) for depth in range(1, 5)) == PERFT[fen][:4]


@pytest.mark.slow
@pytest.mark.parametrize("fen", PERFT)
def test_perft_of_the_standard_positions_at_depth_5_matches_published_counts(fen):
    assert perft(Chess.from_fen(fen), 5, compiled=True) == PERFT[fen][4]


@pytest.mark.parametrize("fen", PERFT)
def test_perft_in_plain_python_matches_published_counts(fen):
    assert perft(Chess.from_fen(fen), 2, compiled=False) == PERFT[fen][1]


def test_divide_gives_the_published_count_of_each_first_move():
    counts = divide(Chess(), 3)
    assert (counts["a2a3"], counts["e2e4"], counts["g1f3"]) == (380, 600, 440)


# --- in step with other programs --------------------------------------------------------------------------


@pytest.mark.timeout(3600)  # pyffish takes milliseconds for each list of moves
@pytest.mark.parametrize("games", [2, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_agree_with_pyffish(games):
    """Legal moves, names of moves, the final position, and whether it is a draw or a mate."""
    pyffish = pytest.importorskip("pyffish")
    rng = random.Random(games)
    apply = written_rule(Chess.apply_action)
    for _ in range(games):
        state, moves = Chess(), []
        while not state.is_terminal():
            fen, legal = state.to_fen(), state.legal_actions()
            action = rng.choice(legal)
            if rng.random() < 0.2:
                theirs = pyffish.legal_moves("chess", fen, [])
                assert sorted(MOVES[action] for action in legal) == sorted(theirs)
                san = pyffish.get_san("chess", fen, MOVES[action])
                assert state.to_san(action) == san
                assert state.action_from_string(san) == action
            moves.append(MOVES[action])
            apply(state, action)
        assert state.to_fen() == pyffish.get_fen("chess", START, moves)
        if state.ending in (CHECKMATE, STALEMATE):
            assert pyffish.legal_moves("chess", START, moves) == []
            assert pyffish.gives_check("chess", START, moves) == (state.ending == CHECKMATE)
        elif state.ending == DEAD_POSITION:
            assert pyffish.has_insufficient_material("chess", START, moves) == (True, True)
        else:
            assert pyffish.is_optional_game_end("chess", START, moves) == (True, 0)
            assert pyffish.is_optional_game_end("chess", START, moves[:-1]) == (False, 0)


@pytest.mark.parametrize("games", [4, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_agree_with_openspiel(games):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("chess")
    rng = random.Random(games)
    apply = written_rule(Chess.apply_action)
    for _ in range(games):
        state, other = Chess(), theirs.new_initial_state()
        while not state.is_terminal():
            assert not other.is_terminal()
            assert other.current_player() == 1 - state.mover  # OpenSpiel's player 0 is Black
            legal, their_legal = state.legal_actions(), other.legal_actions()
            assert len(legal) == len(their_legal)
            names = {other.action_to_string(action): action for action in their_legal}
            action = rng.choice(legal)
            other.apply_action(names[state.to_san(action)])
            apply(state, action)
            assert without_en_passant(state.to_fen()) == without_en_passant(str(other))
        assert other.is_terminal()
        assert list(state.returns()) == other.returns()[::-1]


def without_en_passant(fen):
    """OpenSpiel names the square even if the pawn that could take is pinned."""
    fields = fen.split()
    return fields[:3] + fields[4:]


# --- attacks ----------------------------------------------------------------------------------------------


def walked(occupied, square, directions):
    """Return what a slider attacks, found step by step."""
    reached = 0
    for files, ranks in directions:
        file, rank = square % 8 + files, square // 8 + ranks
        while 0 <= file < 8 and 0 <= rank < 8:
            reached |= 1 << 8 * rank + file
            if occupied >> 8 * rank + file & 1:
                break
            file, rank = file + files, rank + ranks
    return reached


def test_sliders_attack_what_they_reach_step_by_step():
    rng = random.Random(1)
    diagonal, straight = [(1, 1), (1, -1), (-1, 1), (-1, -1)], [(0, 1), (0, -1), (1, 0), (-1, 0)]
    for _ in range(300):
        occupied, square = rng.getrandbits(64) & rng.getrandbits(64), rng.randrange(64)
        board = ALL & occupied
        assert diagonal_attacks(board, square) == walked(occupied, square, diagonal)
        assert straight_attacks(board, square) == walked(occupied, square, straight)
        empty = ALL & ~board
        assert slider_attacks(BIT[square], BIT[square], empty) == walked(
            occupied, square, diagonal + straight
        )


def test_every_action_is_a_move_of_a_queen_or_a_knight_and_every_such_move_an_action():
    pairs = sum(int(DIAGONALS[s] | STRAIGHTS[s] | KNIGHT_ATTACKS[s]).bit_count() for s in range(64))
    assert len(MOVES) == len(set(MOVES)) == pairs + 4 * 2 * 22 == 1968
    assert list(MOVES) == sorted(MOVES)


# --- what positions allow ---------------------------------------------------------------------------------


def names(fen):
    state = Chess.from_fen(fen)
    return {state.to_san(action).rstrip("+#") for action in state.legal_actions()}


@pytest.mark.parametrize(
    ("fen", "castles"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", {"O-O", "O-O-O"}),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", {"O-O", "O-O-O"}),
        ("r3k2r/8/8/8/8/8/8/R3K2R b Kkq - 0 1", {"O-O", "O-O-O"}),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", {"O-O-O"}),
        ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", set()),  # in check
        ("4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", {"O-O-O"}),  # f1 is attacked
        ("4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", {"O-O-O"}),  # g1 is attacked
        ("4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1", {"O-O", "O-O-O"}),  # b1 is attacked, where no king passes
        ("rn2k1nr/8/8/8/8/8/8/4K3 b kq - 0 1", set()),  # pieces between
    ],
)
def test_castling(fen, castles):
    assert {name for name in names(fen) if name.startswith("O")} == castles


def test_a_taken_rook_and_a_moved_one_end_the_right_to_castle():
    state = Chess.from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert state.copy().play("Rxa8") >= 0
    state.play("Rxa8+")
    assert state.to_fen().split()[2] == "Kk"
    state.play("Kd7")
    assert state.to_fen().split()[2] == "K"


@pytest.mark.parametrize(
    ("fen", "taken"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", True),
        ("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1", False),  # both pawns leave the fifth rank
        ("4k3/8/8/K1PpP2r/8/8/8/8 w - d6 0 1", True),  # another pawn stays there
        ("4k3/4r3/8/3pP3/8/8/8/4K3 w - d6 0 1", False),  # pinned on its file
        ("8/8/8/k2pP3/2K5/8/8/8 w - d6 0 1", True),  # takes the pawn that gives check
        ("4k3/8/8/3pP3/8/8/7b/2r1K3 w - d6 0 1", False),  # does not end the check
    ],
)
def test_en_passant_is_tried_out(fen, taken):
    assert ("exd6" in names(fen)) == taken
    assert (Chess.from_fen(fen).en_passant == SQUARES.index("d6")) == (taken or "cxd6" in names(fen))


def test_a_pawn_that_nobody_can_take_en_passant_leaves_no_trace():
    """By the rules, positions with the same moves are the same, whatever square a pawn has passed."""
    state = Chess.from_actions("e4")
    assert state.to_fen().split()[3] == "-"
    assert Chess.from_actions("e4 a6 e5 d5").to_fen().split()[3] == "d6"


# --- ends of games ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "ending"),
    [
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", STALEMATE),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", CHECKMATE),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", CHECKMATE),  # mate comes before the fifty moves
        ("7k/8/6K1/8/8/8/8/Q7 b - - 100 90", FIFTY_MOVES),
        ("7k/8/6K1/8/8/8/8/Q7 b - - 99 90", PLAYING),
        ("7k/8/6K1/8/8/8/8/8 w - - 0 1", DEAD_POSITION),
        ("7k/8/6K1/8/8/8/8/N7 w - - 0 1", DEAD_POSITION),
        ("7k/8/6K1/8/8/8/8/b7 w - - 0 1", DEAD_POSITION),
        ("7k/8/6K1/8/8/8/8/b1B5 w - - 0 1", DEAD_POSITION),  # bishops on squares of one colour
        ("7k/8/6K1/8/8/8/B7/b7 w - - 0 1", PLAYING),
        ("7k/8/6K1/8/8/8/N7/b7 w - - 0 1", PLAYING),
        ("7k/8/6K1/8/8/8/NN6/8 w - - 0 1", PLAYING),  # a mate exists, if nobody forces it
        ("7k/8/6K1/8/8/8/P7/8 w - - 0 1", PLAYING),
    ],
)
def test_ends_of_games(fen, ending):
    state = Chess.from_fen(fen)
    assert state.ending == ending
    assert state.is_terminal() == (ending != PLAYING)
    assert state.returns() == ((1.0, -1.0) if ending == CHECKMATE else (0.0, 0.0))


def test_the_third_occurrence_ends_the_game_and_others_do_not():
    state = Chess()
    for move in ["Nf3", "Nf6", "Ng1", "Ng8"] * 2:
        assert not state.is_terminal()
        state.play(move)
    assert state.ending == REPETITION
    assert str(state).endswith("draw: third repetition")


def test_positions_with_other_rights_to_castle_are_others():
    """After the king's first move and return its side cannot castle: positions count anew."""
    state = Chess.from_actions("e4 e5")
    played = 0
    while not state.is_terminal():
        state.play(["Ke2", "Ke7", "Ke1", "Ke8"][played % 4])
        played += 1
    assert (state.ending, played) == (REPETITION, 10)


def test_a_pawn_s_move_ends_what_is_known_of_earlier_positions():
    state = Chess.from_actions("Nf3 Nf6 Ng1 Ng8 e4")
    assert (state.clock, [int(key) for key in state.keys[:3]]) == (0, [state.key, 0, 0])
    assert state == Chess.from_fen(state.to_fen())


def test_the_key_of_a_position_does_not_depend_on_the_way_to_it():
    rng = random.Random(3)
    state = Chess()
    for _ in range(120):
        assert state.key == Chess.from_fen(state.to_fen()).key
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))


# --- FEN and SAN ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fen", PERFT)
def test_a_fen_is_written_as_it_was_read(fen):
    assert Chess.from_fen(fen).to_fen() == fen
    assert bw.load_game(f"chess(fen={fen!r})")().to_fen() == fen


def test_the_counts_of_a_fen_may_be_left_out():
    assert Chess.from_fen("4k3/8/8/8/8/8/8/4K2R w K -").to_fen() == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


@pytest.mark.parametrize(
    ("fen", "problem"),
    [
        ("", "has 0 fields"),
        ("8/8/8/8/8/8/8 w - - 0 1", "has 7 ranks"),
        ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", 'has the rank "4K4"'),
        ("4k3/8/8/8/8/8/8/4X3 w - - 0 1", 'has the rank "4X3"'),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "has 0 pieces k"),
        ("4k3/8/8/8/8/8/8/4KK2 w - - 0 1", "has 2 pieces K"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "has a pawn on the first or last rank"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", 'has "x" as the player to move'),
        ("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1", "lets K castle without R on h1"),
        ("4k3/8/8/8/8/8/8/4K3 w HA - 0 1", "lets K castle without R on h1"),
        ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", 'has castling rights "F", as in Chess960'),
        ("4k3/8/8/8/8/8/8/1R3K1R w HBhb - 0 1", 'has castling rights "HBhb", as in Chess960'),
        ("4k3/8/8/8/8/8/8/4K2R w KH - 0 1", 'has castling rights "KH"'),
        ("4k3/8/8/8/8/8/8/4K2R w X - 0 1", 'has castling rights "X"'),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", 'has the en passant square "e6"'),
        ("4k3/8/8/8/8/8/8/4K3 w - z9 0 1", 'has the en passant square "z9"'),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", 'counts "x 1"'),
        ("4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1", "has a king that could be taken"),
    ],
)
def test_a_fen_that_is_no_position_is_refused(fen, problem):
    with pytest.raises(bw.GameError, match=re.escape(problem)) as caught:
        Chess.from_fen(fen)
    assert caught.value.mend
    if fen:  # without one, the game begins as usual
        with pytest.raises(bw.GameError, match=re.escape(problem)):
            bw.load_game(f"chess(fen={fen!r})")


@pytest.mark.parametrize(
    ("fen", "move", "san"),
    [
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"),
        ("R3k3/8/8/8/8/8/4K3/R7 b - - 0 1", "e8d7", "Kd7"),
        ("8/8/8/R7/4k3/8/8/R3K3 w - - 0 1", "a1a3", "R1a3"),
        ("2k5/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("k7/8/8/1Q3Q2/8/8/8/KQ6 w - - 0 1", "b1d3", "Q1d3"),
        ("6k1/8/8/Q6Q/8/8/8/K6Q w - - 0 1", "h5d1", "Q5d1"),
        ("8/P6k/8/8/8/8/7K/8 w - - 0 1", "a7a8n", "a8=N"),
        ("1n5k/P7/8/8/8/8/7K/8 w - - 0 1", "a7b8q", "axb8=Q+"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", "Ra8#"),
        ("r3k3/8/8/8/8/8/8/3RK3 b q - 0 1", "e8c8", None),  # d8 is attacked
    ],
)
def test_moves_are_written_in_standard_algebraic_notation(fen, move, san):
    state = Chess.from_fen(fen)
    action = MOVES.index(move)
    if san is None:
        assert action not in state.legal_actions()
    else:
        assert state.to_san(action) == san
        for text in (san, san.rstrip("+#"), san.replace("=", ""), move, move.upper()):
            assert state.action_from_string(text) == action


def test_a_pawn_of_the_b_file_and_a_bishop_are_told_apart():
    state = Chess.from_fen("4k3/8/8/8/8/2p5/1P6/B3K3 w - - 0 1")
    assert [state.to_san(state.action_from_string(text)) for text in ("bxc3", "b4")] == ["bxc3", "b4"]
    with pytest.raises(bw.ActionError):
        state.action_from_string("Bxc3")


def test_a_move_that_fits_two_pieces_is_refused_with_both():
    state = Chess.from_fen("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    with pytest.raises(bw.ActionError, match='"Rd1" fits 2 moves') as caught:
        state.play("Rd1")
    assert caught.value.mend == "write one of a1d1 h1d1"


@pytest.mark.parametrize("text", ["e5", "Ke2", "O-O", "0-0-0", "e9", "", "e2e5", "Nf3Q", "a7a8q"])
def test_a_move_that_is_not_legal_is_refused(text):
    with pytest.raises(bw.ActionError, match="is not a legal move here"):
        Chess().play(text)


HOME = "r3k2r/8/8/8/8/8/8/R3K2R"


@pytest.mark.parametrize("shredder", ["HAha", "AHah", "HhAa"])
def test_rights_to_castle_may_be_named_by_the_files_of_the_rooks(shredder):
    assert Chess.from_fen(f"{HOME} w {shredder} - 0 1") == Chess.from_fen(f"{HOME} w KQkq - 0 1")
    assert Chess.from_fen(f"{HOME} w Aq - 0 1").to_fen() == f"{HOME} w Qq - 0 1"


@pytest.mark.parametrize(
    ("mover", "taken", "castled"),
    [("w", "e1h1", "e1g1"), ("w", "e1a1", "e1c1"), ("b", "e8h8", "e8g8"), ("b", "e8a8", "e8c8")],
)
def test_castling_may_be_written_as_the_king_taking_its_rook(mover, taken, castled):
    state = Chess.from_fen(f"{HOME} {mover} KQkq - 0 1")
    assert state.action_to_string(state.action_from_string(taken)) == castled
    with pytest.raises(bw.ActionError, match="is not a legal move"):
        Chess.from_fen(f"{HOME} {mover} - - 0 1").action_from_string(taken)


def test_a_rook_may_still_go_from_e1_to_h1_and_take_there():
    state = Chess.from_fen("6k1/8/8/8/8/8/8/K3R2r w - - 0 1")
    assert state.action_to_string(state.action_from_string("e1h1")) == "e1h1"


def test_only_draws_that_a_window_may_ask_beyond_can_go_on():
    drawn = Chess.from_actions("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8")
    assert drawn.is_terminal()
    with pytest.raises(bw.ActionError, match="it is White's turn"):
        drawn.go_on(1)
    drawn.go_on(0)
    assert (drawn.is_terminal(), drawn.turn()) == (False, "White to move")
    late = Chess.from_fen("7k/8/8/8/8/p7/R7/K7 w - - 140 80")
    late.go_on(0)
    late.play("Rxa3")
    assert (late.clock, late.is_terminal()) == (0, False)
    with pytest.raises(bw.ActionError, match="the game is over: stalemate"):
        Chess.from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").go_on(1)


def test_zeros_castle_too():
    state = Chess.from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert state.action_from_string("0-0-0") == state.action_from_string("O-O-O") == MOVES.index("e1c1")


def test_a_state_with_numbers_on_both_sides_of_2_to_63_survives_json_and_numbers_out_of_range_do_not():
    state = Chess.from_actions("e4 e5")
    assert Chess.from_json(state.to_json()) == state
    for wrong in (-1, 1 << 64, 1.5):
        text = state.to_json().replace(f'"men": [{state.men[0]}', f'"men": [{wrong}')
        assert text != state.to_json()
        with pytest.raises(bw.GameError, match="the field men of this chess state has a bad value"):
            Chess.from_json(text)


# --- knowledge and search ---------------------------------------------------------------------------------


def mirrored(fen):
    """Return the same position with colours exchanged."""
    board, mover, rights, passed, *counts = fen.split()
    board = "/".join(reversed(board.swapcase().split("/")))
    passed = passed.translate(str.maketrans("36", "63"))
    return " ".join([board, "wb"["bw".index(mover)], "".join(sorted(rights.swapcase())), passed, *counts])


def test_a_position_and_its_mirror_image_have_the_same_moves_value_and_priors():
    for fen in PERFT:
        state, mirror = Chess.from_fen(fen), Chess.from_fen(mirrored(fen))
        assert state.evaluate() == pytest.approx(mirror.evaluate()[::-1])
        weights = sorted(state.prior(action) for action in state.legal_actions())
        assert weights == pytest.approx(sorted(mirror.prior(action) for action in mirror.legal_actions()))


def test_the_best_capture_counts_for_the_player_to_move():
    hanging = "4k3/8/8/3q4/8/2N5/8/4K3 {} - - 0 1"
    assert Chess.from_fen(hanging.format("w")).best_capture() == 900
    defended = Chess.from_fen("4k3/8/4p3/3q4/8/2N5/8/4K3 w - - 0 1")
    assert defended.best_capture() == 580
    assert Chess().best_capture() == 0


@pytest.mark.parametrize(
    "settings", [{"compiled": False, "cutoff": 0}, pytest.param({}, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "Ra8#"),
        ("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1", "Ra1#"),
    ],
)
def test_a_mate_in_one_is_proven_for_either_colour(fen, mate, settings):
    state = Chess.from_fen(fen)
    result = bw.MCTS(seed=1, **settings).search(state, simulations=200)
    assert state.to_san(result.best_action) == mate
    assert result.value == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(2))
def test_more_simulations_win_from_either_side(first):
    """Searches with the estimate and the prior; the larger budget plays White, then Black."""
    planners = [bw.MCTS(seed=seed, selection="puct", cutoff=0) for seed in (1, 2)]
    state = Chess()
    while not state.is_terminal():
        larger = state.mover == first
        result = planners[state.mover].search(state, simulations=4000 if larger else 100)
        state.apply_action(result.best_action)
    assert state.returns()[first] == 1.0
