// Runs the search of a checkout of PetterS/monte-carlo-tree-search on one of its own games, random games of it, or
// counts its moves. cpp_template.py compiles it with the checkout on the include path, and reads what it prints:
// seconds of processor time, simulations, games or sequences of moves, and the first player's mean return, -1 to 1.
//
//     cpp_template connect_four search 1000000 1
//     cpp_template connect_four games 1000000 1
//     cpp_template connect_four perft 6 0

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>

#include "games/connect_four.h"
#include "games/kalaha.h"
#include "games/nim.h"

static double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

template <typename State> void pass_if_forced(State&) {}

// In Kalaha the opponent passes where a player moves again.
static void pass_if_forced(KalahaState<6>& state) {
    if (state.player_must_pass) state.do_move(KalahaState<6>::pass_move);
}

template <typename State> long sequences(const State& state, int depth) {
    if (depth == 0) return 1;
    if (!state.has_moves()) return 0;
    long total = 0;
    for (const auto move : state.get_moves()) {
        State next = state;
        next.do_move(move);
        pass_if_forced(next);
        total += sequences(next, depth - 1);
    }
    return total;
}

template <typename State> int run(const std::string& what, int amount, unsigned long seed) {
    const State start;
    double wins = 0.0;
    long done = 0;
    double seconds = 0.0;
    const double began = processor_seconds();
    if (what == "search") {
        MCTS::ComputeOptions options;
        options.number_of_threads = 1;
        options.max_iterations = amount;
        const auto root = MCTS::compute_tree(start, options, seed);
        seconds = processor_seconds() - began;
        done = root->visits;
        for (const auto child : root->children) wins += child->wins;  // of the player who moved into the child
    } else if (what == "games") {
        std::mt19937_64 random(seed);
        State state;
        for (; done < amount; ++done) {
            state = start;
            while (state.has_moves()) state.do_random_move(&random);
            wins += state.get_result(2);  // 1 if the player who is not 2 has won
        }
        seconds = processor_seconds() - began;
    } else if (what == "perft") {
        done = sequences(start, amount);
    } else {
        return 2;
    }
    std::printf("%.9f %ld %.6f\n", seconds, done, 2.0 * wins / done - 1.0);
    return 0;
}

int main(int count, char** words) {
    if (count != 5) return 2;
    const std::string game = words[1], what = words[2];
    const int amount = std::atoi(words[3]);
    const unsigned long seed = std::strtoul(words[4], nullptr, 10);
    if (game == "connect_four") return run<ConnectFourState>(what, amount, seed);
    if (game == "kalaha") return run<KalahaState<6>>(what, amount, seed);
    if (game == "nim") return run<NimState>(what, amount, seed);
    return 2;
}
