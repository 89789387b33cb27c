// Nested rollout policy adaptation (Rosin, 2011) and nested search (Cazenave, 2009) for left moves and weak Schur
// numbers, as a compact program.
// It prints seconds of processor time, playouts, and the best score.
//
//     g++ -O3 -march=native -o nrpa_rival nrpa_rival.cpp
//     ./nrpa_rival left_move 60 3 100 200000 1
//
// With 0 iterations it is nested search.
//
// Weights are doubles in one array by code. Lines keep the codes of all legal actions, so that adapting plays
// nothing again.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

struct LeftMove {
    int moves, made = 0, lefts = 0;
    explicit LeftMove(int size) : moves(size) {}
    int codes() const { return 2 * moves; }
    bool over() const { return made == moves; }
    int legal(int* actions) const {
        actions[0] = 0;
        actions[1] = 1;
        return 2;
    }
    int code(int action) const { return 2 * made + action; }
    void play(int action) {
        ++made;
        lefts += action == 0;
    }
    double score() const { return lefts; }
};

template <int parts, int N>  // N numbers there is room for
struct WeakSchur {
    int next = 1, opened = 0;
    bool barred[parts][N + 1];
    bool in[parts][N + 1];
    explicit WeakSchur(int) {
        std::memset(barred, 0, sizeof barred);
        std::memset(in, 0, sizeof in);
    }
    int codes() const { return parts * (N + 1); }
    int legal(int* actions) const {
        if (next > N) return 0;
        int count = 0;
        for (int part = 0; part < parts && part <= opened; ++part)
            if (!barred[part][next]) actions[count++] = part;
        return count;
    }
    bool over() const {
        int actions[8];
        return legal(actions) == 0;
    }
    int code(int action) const { return next * parts + action; }
    void play(int action) {
        for (int other = 1; other < next && other + next <= N; ++other)
            if (in[action][other]) barred[action][other + next] = true;
        in[action][next++] = true;
        if (action == opened) ++opened;
    }
    double score() const { return next - 1; }
};

struct Line {
    double score = -1e300;
    std::vector<int> chosen, ends, codes;
};

template <class Problem>
struct Nrpa {
    Problem root;
    int iterations;
    long most, playouts = 0;
    double best = -1e300;
    uint64_t counter;
    std::vector<double> adapted;

    double draw() {
        uint64_t z = counter += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return ((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

    void play_out(const std::vector<double>& weights, Line& line) {
        Problem state = root;
        int actions[64];
        double shares[64];
        line.chosen.clear();
        line.ends.clear();
        line.codes.clear();
        while (!state.over()) {
            int count = state.legal(actions), first = (int)line.codes.size(), chosen = 0;
            double total = 0;
            for (int i = 0; i < count; ++i) {
                int code = state.code(actions[i]);
                line.codes.push_back(code);
                shares[i] = total += std::exp(weights[code]);
            }
            double drawn = draw() * total;
            while (chosen < count - 1 && shares[chosen] <= drawn) ++chosen;
            line.chosen.push_back(first + chosen);
            line.ends.push_back((int)line.codes.size());
            state.play(actions[chosen]);
        }
        line.score = state.score();
        ++playouts;
        if (line.score > best) best = line.score;
    }

    void adapt(std::vector<double>& weights, const Line& line) {
        adapted = weights;
        int first = 0;
        for (size_t step = 0; step < line.ends.size(); ++step) {
            double total = 0, odds[64];
            for (int i = first; i < line.ends[step]; ++i) total += odds[i - first] = std::exp(weights[line.codes[i]]);
            for (int i = first; i < line.ends[step]; ++i) adapted[line.codes[i]] -= odds[i - first] / total;
            adapted[line.codes[line.chosen[step]]] += 1.0;
            first = line.ends[step];
        }
        weights.swap(adapted);
    }

    Line search(int level, std::vector<double> weights) {
        Line line;
        if (level == 0) {
            play_out(weights, line);
            return line;
        }
        Line found;
        for (int i = 0; i < iterations && playouts < most; ++i) {
            if (level == 1)
                play_out(weights, found);
            else
                found = search(level - 1, weights);
            if (found.score >= line.score) std::swap(line, found);
            adapt(weights, line);
        }
        return line;
    }
};

struct Sequence {
    double score = -1e300;
    std::vector<int> actions;
};

template <class Problem>
struct Nested {
    Problem root;
    long most, playouts = 0;
    double best = -1e300;
    uint64_t counter;

    int draw_below(int bound) {
        uint64_t z = counter += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return (int)(((z ^ (z >> 31)) >> 32) * (uint64_t)bound >> 32);
    }

    void play_out(Problem& state, Sequence& line) {
        int actions[64];
        while (!state.over()) {
            int action = actions[draw_below(state.legal(actions))];
            line.actions.push_back(action);
            state.play(action);
        }
        line.score = state.score();
        ++playouts;
        if (line.score > best) best = line.score;
    }

    Sequence search(int level, Problem state, Sequence line) {
        Sequence known, tried;
        int actions[64];
        while (!state.over() && playouts < most) {
            int count = state.legal(actions);
            for (int i = 0; i < count; ++i) {
                Problem after = state;
                after.play(actions[i]);
                tried.actions = line.actions;
                tried.actions.push_back(actions[i]);
                if (level == 1 || after.over())
                    play_out(after, tried);
                else
                    tried = search(level - 1, after, tried);
                if (tried.score > known.score) std::swap(known, tried);
            }
            int action = known.actions[line.actions.size()];
            line.actions.push_back(action);
            state.play(action);
        }
        return known;
    }
};

template <class Problem>
int run_nested(char** given) {
    Nested<Problem> nested{Problem(std::atoi(given[2])), std::atol(given[5])};
    nested.counter = std::strtoull(given[6], nullptr, 10);
    clock_t before = clock();
    while (nested.playouts < nested.most) nested.search(std::atoi(given[3]), nested.root, Sequence());
    double seconds = (clock() - before) / (double)CLOCKS_PER_SEC;
    std::printf("%.6f %ld %g\n", seconds, nested.playouts, nested.best);
    return 0;
}

template <class Problem>
int run(char** given) {
    if (std::atoi(given[4]) == 0) return run_nested<Problem>(given);
    Problem root(std::atoi(given[2]));
    Nrpa<Problem> nrpa{root, std::atoi(given[4]), std::atol(given[5])};
    nrpa.counter = std::strtoull(given[6], nullptr, 10);
    clock_t before = clock();
    while (nrpa.playouts < nrpa.most) nrpa.search(std::atoi(given[3]), std::vector<double>(root.codes(), 0.0));
    double seconds = (clock() - before) / (double)CLOCKS_PER_SEC;
    std::printf("%.6f %ld %g\n", seconds, nrpa.playouts, nrpa.best);
    return 0;
}

int main(int count, char** given) {
    if (count != 7) {
        std::fprintf(stderr, "nrpa_rival PROBLEM SIZE LEVEL ITERATIONS PLAYOUTS SEED\n");
        return 2;
    }
    std::string problem = given[1];
    if (problem == "left_move") return run<LeftMove>(given);
    if (problem == "weak_schur" && std::atoi(given[2]) == 4) return run<WeakSchur<4, 90>>(given);
    if (problem == "weak_schur" && std::atoi(given[2]) == 5) return run<WeakSchur<5, 260>>(given);
    std::fprintf(stderr, "no problem %s %s\n", given[1], given[2]);
    return 2;
}
