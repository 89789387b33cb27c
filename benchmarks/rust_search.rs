// Runs the search of a checkout of thomasmarsh/mcts on one of its own games, random games of it, or counts its moves.
// rust_search.py compiles it with the checkout's crates, and reads what it prints:
// seconds of processor time, simulations, games or sequences of moves, and the first player's mean return.
//
//     rust_search connect_four search 1000000 1
//     rust_search connect_four games 1000000 1
//     rust_search connect_four perft 6 0

use std::env::args;

use mcts::game::{Game, PlayerIndex};
use mcts::node::QInit;
use mcts::search::TreeStats;
use mcts::simulate::{SimulateStrategy, Uniform};
use mcts::strategies::Search;
use mcts::strategy::Ucb1;
use mcts::{SearchConfig, TreeSearch};
use rand::rngs::SmallRng;
use rand::SeedableRng;

extern "C" {
    fn clock() -> std::ffi::c_long; // processor time in microseconds
}

fn processor_seconds() -> f64 {
    unsafe { clock() as f64 / 1e6 }
}

/// Returns seconds, visits of the root, and the mean value of its children.
fn search<G: Game>(amount: usize, seed: u64) -> (f64, u64, f64) {
    let start = G::S::default();
    let config = SearchConfig::default()
        .q_init(QInit::Infinity) // each child is tried once before any is tried twice
        .max_iterations(amount)
        .seed(seed);
    let mut search: TreeSearch<G, Ucb1> = TreeSearch::default().config(config);
    let began = processor_seconds();
    search.choose_action(&start);
    let taken = processor_seconds() - began;
    let report = search.root_report(&start);
    let visits: u32 = report.actions.iter().map(|child| child.visits).sum();
    let total: f64 = report.actions.iter().map(|child| child.mean_value * child.visits as f64).sum();
    (taken, report.total_visits as u64, total / visits as f64)
}

fn games<G: Game>(amount: usize, seed: u64) -> (f64, u64, f64) {
    let (start, stats) = (G::S::default(), TreeStats::<G>::default());
    let first = G::player_to_move(&start).to_index();
    let mut random = SmallRng::seed_from_u64(seed);
    let mut total = 0.0;
    let began = processor_seconds();
    for _ in 0..amount {
        let trial = Uniform.playout(start.clone(), usize::MAX, &stats, None, &mut random);
        let utilities = trial.terminal.utilities(G::num_players());
        total += utilities.unwrap_or_else(|| G::compute_utilities(&trial.state))[first];
    }
    (processor_seconds() - began, amount as u64, total / amount as f64)
}

fn sequences<G: Game>(state: G::S, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    if G::is_terminal(&state) {
        return 0;
    }
    let mut actions = Vec::new();
    G::generate_actions(&state, &mut actions);
    actions.iter().map(|action| sequences::<G>(G::apply(state.clone(), action), depth - 1)).sum()
}

fn run<G: Game>(what: &str, amount: usize, seed: u64) {
    let (seconds, done, mean) = match what {
        "search" => search::<G>(amount, seed),
        "games" => games::<G>(amount, seed),
        "perft" => (0.0, sequences::<G>(G::S::default(), amount), 0.0),
        _ => panic!("search, games or perft"),
    };
    println!("{seconds:.6} {done} {mean:.6}");
}

fn main() {
    let words: Vec<String> = args().collect();
    let (what, amount, seed) = (words[2].as_str(), words[3].parse().unwrap(), words[4].parse().unwrap());
    match words[1].as_str() {
        "atari_go" => run::<game_atarigo::AtariGo>(what, amount, seed),
        "breakthrough" => run::<game_breakthrough::Breakthrough<8, 8>>(what, amount, seed),
        "connect_four" => run::<game_connect4::Standard>(what, amount, seed),
        "hex" => run::<game_hex_gen::Hex<11, 2>>(what, amount, seed),
        "knightthrough" => run::<game_knightthrough::Knightthrough<8, 8>>(what, amount, seed),
        "othello" => run::<game_othello::Othello>(what, amount, seed),
        "tic_tac_toe" => run::<game_ttt::TicTacToe>(what, amount, seed),
        other => panic!("no game {other}"),
    }
}
