"""Searches and random games against the Rust search of T. Marsh, compiled from a checkout of its source.

    git clone https://github.com/thomasmarsh/mcts rust-mcts
    python benchmarks/rust_search.py --checkout rust-mcts
    python benchmarks/rust_search.py --checkout rust-mcts --on othello hex --rounds 9 --json rust_search.json

Both search from the start with the same number of simulations, one thread and one uniform random game a leaf.
They take turns and are measured in processor time. The Rust search is plain UCT, `strategy::Ucb1`, with its
own weight. It adds sqrt(2) sqrt(ln N / n) to a mean from -1 to 1, which is c = sqrt(1/2) here. `q_init` is
not the default, so that each child is tried once first, as here; nothing is proven. Random games are its
`simulate::Uniform`. The numbers of moves and the mean returns of random games must agree. Its knightthrough
and Nim are other games than ours: knights may go back, and moves may split a heap.

Cargo takes libraries from crates.io. Without access to it, `--debian` builds from Debian's packages:

    apt-get install --no-install-recommends librust-rand-dev librust-rand-core-dev librust-rand-distr-dev \\
        librust-rand-xorshift-dev librust-rustc-hash-dev librust-serde-dev librust-serde-json-dev

It copies the crates, lets them use the versions of serde, serde_json and rand_core that Debian has, and
leaves out what Debian lacks: nimlib and proptest, which the crates do not use, and libraries for tests.
weighted_rand serves one rule of selection, which plain UCT does not use; a stand-in takes its place, and
panics if it is called. No line of the source is changed. Building takes a minute of processor time; with
`--folder`, what was built is kept and used again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
from math import sqrt
from pathlib import Path

import branchwise as bw
from compiled_peers import Contest, Peer, Rounds, heading, row

CONTESTS = tuple(
    Contest(name, bw.load_game(game), simulations, games, depth)
    for name, game, simulations, games, depth in (
        ("tic_tac_toe", "tic_tac_toe", 200_000, 1_000_000, 9),
        ("connect_four", "connect_four", 200_000, 1_000_000, 6),
        ("othello", "othello", 200_000, 100_000, 6),
        ("breakthrough", "breakthrough", 200_000, 100_000, 4),
        ("hex", "hex", 50_000, 20_000, 3),
        ("atari_go", "atari_go", 50_000, 100_000, 3),
    )
)
CRATES = ("mcts", "mcts-tune", "game-host", "bitboard", "games")
GAMES = ("atarigo", "breakthrough", "connect4", "hex-gen", "knightthrough", "othello", "ttt")
C = sqrt(0.5)
REGISTRY = "/usr/share/cargo/registry"
RELAXED = ("serde", "serde_json", "rand_core")
LEFT_OUT = ("nimlib", "proptest")

WORKSPACE = """
[workspace]
members = ["program"]
resolver = "2"

[workspace.lints.rust]

[profile.release]
lto = true
"""
PROGRAM = """
[package]
name = "rust_search"
version = "0.1.0"
edition = "2021"

[dependencies]
rand = { version = "0.8.5", features = ["small_rng"] }
"""
OFFLINE = f"""
[source.crates-io]
replace-with = "debian"

[source.debian]
directory = "{REGISTRY}"

[net]
offline = true
"""
STAND_IN = """
pub mod builder {
    pub struct WalkerTableBuilder;

    impl WalkerTableBuilder {
        pub fn new(_: &[f32]) -> Self {
            Self
        }
        pub fn build(&self) -> Self {
            Self
        }
        pub fn next_rng<R>(&self, _: &mut R) -> usize {
            unimplemented!("weighted_rand was left out")
        }
    }
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkout", type=Path, required=True, help="folder with its mcts/Cargo.toml")
    parser.add_argument("--debian", action="store_true", help="build from Debian's packages, offline")
    parser.add_argument("--folder", type=Path, help="build here, unless it was built here before")
    parser.add_argument("--on", nargs="+", choices=[contest.name for contest in CONTESTS], metavar="GAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write all measurements to this file")
    options = parser.parse_args()
    if not (options.checkout / "mcts" / "Cargo.toml").is_file():
        parser.error(f"{options.checkout} has no mcts/Cargo.toml: give a checkout of thomasmarsh/mcts")
    measured: dict[str, dict[str, Rounds]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        program = compiled(options.checkout.resolve(), folder, debian=options.debian)
        peer = Peer(program, C)
        print(heading("Rust"))
        for contest in CONTESTS:
            if options.on is None or contest.name in options.on:
                peer.check_moves(contest)
                measured[contest.name] = peer.measure(contest, options.rounds)
                print(row(contest.name, measured[contest.name]), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(measured, indent=1) + "\n")


def compiled(checkout: Path, folder: Path, *, debian: bool) -> Path:
    """Return the program that runs the checkout's search, built in a folder."""
    program = folder / "target" / "release" / "rust_search"
    if program.is_file():
        return program
    source = folder / "program" / "src"
    source.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_suffix(".rs"), source / "main.rs")
    crates = checkout
    if debian:
        crates = folder / "crates"
        take_debian_s(checkout, folder, crates)
    paths = {"mcts": crates / "mcts"} | {f"game-{game}": crates / "games" / game for game in GAMES}
    needed = "".join(f'{name} = {{ path = "{path}" }}\n' for name, path in paths.items())
    (folder / "program" / "Cargo.toml").write_text(PROGRAM + needed)
    (folder / "Cargo.toml").write_text(WORKSPACE)
    flags = {"RUSTFLAGS": "-C target-cpu=native --cap-lints warn"}
    command = ["cargo", "build", "--release", "--quiet", "--package", "rust_search"]
    subprocess.run(command, cwd=folder, env=os.environ | flags, check=True)
    return program


def take_debian_s(checkout: Path, folder: Path, crates: Path) -> None:
    """Copy the crates, with the libraries that Debian has, and configure Cargo to take no others."""
    for name in CRATES:
        shutil.copytree(checkout / name, crates / name, dirs_exist_ok=True)
    for file in crates.rglob("Cargo.toml"):
        file.write_text(with_debian_s_libraries(file.read_text()))
    stand_in = crates / "weighted_rand"
    (stand_in / "src").mkdir(parents=True, exist_ok=True)
    (stand_in / "src" / "lib.rs").write_text(STAND_IN)
    (stand_in / "Cargo.toml").write_text('[package]\nname = "weighted_rand"\nversion = "0.4.2"\n')
    (folder / ".cargo").mkdir(exist_ok=True)
    (folder / ".cargo" / "config.toml").write_text(OFFLINE)


def with_debian_s_libraries(manifest: str) -> str:
    kept = []
    section = ""
    for line in manifest.splitlines():
        section = line.strip() if line.startswith("[") else section
        name = line.split("=")[0].strip()
        if section == "[dev-dependencies]" or name in LEFT_OUT:
            continue
        if name in RELAXED:
            line = re.sub(r'"[\d.]+"', '"*"', line, count=1)
        elif name == "weighted_rand":
            line = 'weighted_rand = { path = "../weighted_rand" }'
        kept.append(line)
    return "\n".join(kept) + "\n"


if __name__ == "__main__":
    main()
