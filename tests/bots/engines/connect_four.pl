#!/usr/bin/perl
# An engine for Connect Four that speaks UGI: it takes a win, prevents one, and else plays near the middle.
# Its only options are `edge`, near the edge instead, and `seed`, which decides between equally good columns.
use strict;
use warnings;

$| = 1;
my ($columns, $rows) = (7, 6);
my @heights = (0) x $columns;
my %at;
my ($mover, $seed, $edge) = (0, 0, 0);

sub reset_board { @heights = (0) x $columns; %at = (); $mover = 0; }

sub drop {
    my ($column) = @_;
    $at{"$column $heights[$column]"} = $mover;
    $heights[$column]++;
    $mover = 1 - $mover;
}

sub undrop {
    my ($column) = @_;
    $mover = 1 - $mover;
    $heights[$column]--;
    delete $at{"$column $heights[$column]"};
}

# Whether the player who has just dropped a disc into this column has four in a row.
sub has_won {
    my ($column) = @_;
    my ($player, $row) = (1 - $mover, $heights[$column] - 1);
    for my $step ([1, 0], [0, 1], [1, 1], [1, -1]) {
        my $line = 1;
        for my $sign (1, -1) {
            my ($c, $r) = ($column, $row);
            while (1) {
                $c += $sign * $step->[0];
                $r += $sign * $step->[1];
                last unless defined $at{"$c $r"} && $at{"$c $r"} == $player;
                $line++;
            }
        }
        return 1 if $line >= 4;
    }
    return 0;
}

sub wins {
    my ($column) = @_;
    drop($column);
    my $won = has_won($column);
    undrop($column);
    return $won;
}

sub name_of { my ($column) = @_; return chr(ord('a') + $column) . ($heights[$column] + 1); }

sub choose {
    my @open = grep { $heights[$_] < $rows } 0 .. $columns - 1;
    for my $column (@open) { return $column if wins($column); }
    $mover = 1 - $mover;
    my @threats = grep { wins($_) } @open;
    $mover = 1 - $mover;
    return $threats[0] if @threats;
    my %worth = map { $_ => abs($_ - 3) * ($edge ? -1 : 1) + ($_ + $seed) % 7 / 10 } @open;
    return (sort { $worth{$a} <=> $worth{$b} } @open)[0];
}

while (my $line = <STDIN>) {
    my @words = split ' ', $line;
    my $command = shift @words // '';
    if ($command eq 'ugi') {
        print "id name Perl four\nid author Branchwise\n";
        print "option name seed type spin default 0 min 0 max 6\n";
        print "option name edge type check default false\nugiok\n";
    } elsif ($command eq 'isready') {
        print "readyok\n";
    } elsif ($command eq 'uginewgame') {
        reset_board();
    } elsif ($command eq 'setoption') {
        $seed = $words[3] if $words[1] eq 'seed';
        $edge = $words[3] eq 'true' if $words[1] eq 'edge';
    } elsif ($command eq 'position') {
        reset_board();
        shift @words;
        shift @words;
        drop(ord($_) - ord('a')) for map { substr $_, 0, 1 } @words;
    } elsif ($command eq 'go') {
        my $column = choose();
        print "info depth 1 nodes 7 time 1 score cp 0 pv " . name_of($column) . "\n";
        print "bestmove " . name_of($column) . "\n";
    } elsif ($command eq 'quit') {
        last;
    }
}
