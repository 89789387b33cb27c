// Runs the search of a checkout of PetterS/monte-carlo-tree-search on its own Connect Four, and random games of it.
// cpp_template.py compiles it with the checkout on the include path, and reads what it prints:
// seconds of processor time, simulations or games, and the first player's mean return, -1 to 1.
//
//     cpp_template search 1000000 1
//     cpp_template games 1000000 1

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>

#include "games/connect_four.h"

static double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int count, char** words) {
    if (count != 4) return 2;
    const std::string what = words[1];
    const int amount = std::atoi(words[2]);
    const unsigned long seed = std::strtoul(words[3], nullptr, 10);
    const ConnectFourState start;
    double wins = 0.0;
    long done = 0;
    const double began = processor_seconds();
    if (what == "search") {
        MCTS::ComputeOptions options;
        options.number_of_threads = 1;
        options.max_iterations = amount;
        const auto root = MCTS::compute_tree(start, options, seed);
        done = root->visits;
        for (const auto child : root->children) wins += child->wins;  // of the player who moved into the child
    } else {
        std::mt19937_64 random(seed);
        ConnectFourState state;
        for (; done < amount; ++done) {
            state = start;
            while (state.has_moves()) state.do_random_move(&random);
            wins += state.get_result(2);  // 1 if the player who is not 2 has won
        }
    }
    std::printf("%.9f %ld %.6f\n", processor_seconds() - began, done, 2.0 * wins / done - 1.0);
}
