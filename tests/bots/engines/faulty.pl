#!/usr/bin/perl
# An engine for Nim that takes one chip, until it breaks in the way that its first argument names. The second
# is a file in which it writes its process id, that of its child if it has one, and every line it is told.
use strict;
use warnings;
use IO::Handle;

$| = 1;
my $fault = shift @ARGV // '';
my $gone = 0;
open(my $log, '>', shift @ARGV // '/dev/null') or die;
$log->autoflush(1);
print $log "$$\n";

if ($fault eq 'dies at the start') { print STDERR "no room\nfor the tables\n"; exit 3; }
if ($fault eq 'is killed') { kill 'SEGV', $$; }
if ($fault eq 'leaves its group') { setpgrp(0, 0); $SIG{PIPE} = 'IGNORE'; }
if ($fault eq 'leaves a child') {
    my $child = fork();
    if (!$child) { $SIG{TERM} = $SIG{HUP} = $SIG{INT} = 'IGNORE'; close STDOUT; sleep 1 while 1; }
    print $log "$child\n";
}

while (my $line = <STDIN>) {
    print $log $line;
    my @words = split ' ', $line;
    my $command = shift @words // '';
    if ($fault eq 'writes to its errors') { print STDERR "noise " x 50_000, "\n"; }
    if ($command eq 'ugi') {
        if ($fault eq 'keeps silent') { sleep 60; }
        if ($fault eq 'speaks another language') { print "uciok\n"; next; }
        if ($fault eq 'starts slowly') { select undef, undef, undef, 0.4; }
        if ($fault eq 'offers nonsense') { print "option type spin\n"; }
        if ($fault eq 'speaks in tongues') { print "id name \xc3\x9cn\xc3\xaf \xe2\x99\x9e \xff\xfe\r\n\r\n"; }
        print "option name hash size type spin default 16 min 1 max 64\n";
        print "option name style type combo default calm var calm var wild\n";
        print "option name book type check default true\noption name clear type button\n";
        print "option name log file type string default <empty>\nugiok\r\n";
    } elsif ($command eq 'isready') {
        if ($fault eq 'closes its input') { close STDIN; print "readyok\n"; sleep 60; }
        print "readyok\n";
    } elsif ($command eq 'position') {
        $gone = @words > 2 ? @words - 2 : 0;
    } elsif ($command eq 'go') {
        if ($fault eq 'dies in the game' && $gone > 1) { print STDERR "lost\x1b[31m it\n"; exit 1; }
        if ($fault eq 'closes its output') { close STDOUT; sleep 60; }
        if ($fault eq 'hangs in the game' && $gone > 3) { sleep 60; }
        if ($fault eq 'hangs') { print "info string thinking\n"; sleep 60; }
        if ($fault eq 'thinks until it is told to stop') { <STDIN>; }
        if ($fault eq 'plays what is illegal') { print "bestmove z9\n"; next; }
        if ($fault eq 'has no move') { print "info string error: no idea\nbestmove none\n"; next; }
        if ($fault eq 'says nothing') { print "bestmove\n"; next; }
        if ($fault eq 'writes without an end') { print "x" x 65536 while 1; }
        if ($fault eq 'talks without an end') { print "info depth 1 nodes 1 pv 0\n" while 1; }
        if ($fault eq 'writes garbage') {
            print join('', map { chr(($_ * 97) % 256) } 0 .. 5000), "\n\0\0\n bestmoves 0\ninfo depth x score\n";
        }
        if ($fault eq 'answers twice') { print "bestmove 0\n"; }
        print "bestmove 0 ponder 0\n";
    } elsif ($command eq 'quit') {
        if ($fault eq 'does not quit') { $SIG{TERM} = 'IGNORE'; sleep 60; }
        last;
    }
}
sleep 60 if $fault eq 'leaves its group';
