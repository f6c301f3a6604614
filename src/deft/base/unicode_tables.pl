#!/usr/bin/perl
# Writes unicode_tables.cc from the Unicode data that comes with perl (Debian's perl-modules). Run it in this folder
# when a newer Unicode is wanted: ./unicode_tables.pl > unicode_tables.cc
use strict;
use warnings;
use Unicode::UCD qw(prop_invlist prop_invmap);

# An inversion list (where it goes in, out, in …) as a set of code points.
sub members {
    my %set;
    for my $property (@_) {
        my @list = prop_invlist($property);
        push @list, 0x110000 if @list % 2;
        for (my $i = 0; $i < @list; $i += 2) { $set{$_} = 1 for $list[$i] .. $list[$i + 1] - 1; }
    }
    return sort { $a <=> $b } keys %set;
}

sub print_ranges {
    my ($name, @points) = @_;
    my @ranges;
    for my $point (@points) {
        if (@ranges && $ranges[-1][1] == $point - 1) { $ranges[-1][1] = $point; }
        else { push @ranges, [$point, $point]; }
    }
    print_entries("constexpr CodePointRange $name\[]", map { sprintf "{0x%X, 0x%X}", @$_ } @ranges);
}

sub print_entries {
    my ($head, @entries) = @_;
    print "$head = {\n";
    my $line = "";
    for my $entry (@entries) {
        if (length($line) + length($entry) > 112) { print "    $line\n"; $line = ""; }
        $line .= ($line eq "" ? "" : " ") . "$entry,";
    }
    print "    $line\n};\n\n";
}

# Characters that fold to the same one stand in a ring; each names the next. Runs with one distance become one entry.
sub fold_entries {
    my ($starts, $maps) = prop_invmap("Simple_Case_Folding");
    my %ring;
    for my $i (0 .. $#$starts) {
        next if $maps->[$i] == 0;
        my $end = $i < $#$starts ? $starts->[$i + 1] : 0x110000;
        for my $point ($starts->[$i] .. $end - 1) {
            my $folded = $maps->[$i] + $point - $starts->[$i];
            push @{$ring{$folded}}, $point;
        }
    }
    my %next;
    for my $folded (keys %ring) {
        my @points = sort { $a <=> $b } ($folded, @{$ring{$folded}});
        $next{$points[$_]} = $points[($_ + 1) % @points] for 0 .. $#points;
    }
    my (@runs, %open);  # one open run for each distance: upper and lower case may alternate
    for my $point (sort { $a <=> $b } keys %next) {
        my $distance = $next{$point} - $point;
        my $run = $open{$distance};
        my $step = $run ? $point - $run->{high} : 0;
        if ($run && $step <= 2 && ($run->{low} == $run->{high} || $run->{step} == $step)) {
            @$run{qw(high step)} = ($point, $step);
            next;
        }
        push @runs, $open{$distance} = {low => $point, high => $point, step => 1, distance => $distance};
    }
    return map { sprintf "{0x%X, 0x%X, %d, %d}", @$_{qw(low high step distance)} } @runs;
}

my $version = Unicode::UCD::UnicodeVersion();
print <<"END";
// Written by unicode_tables.pl from Unicode $version. Do not edit.

#include "deft/base/unicode_tables.h"

namespace deft {
namespace {

// clang-format off
END
print_ranges("kWord", members("Alphabetic", "M", "Nd", "Pc", "Join_Control"));
print_ranges("kDigit", members("Nd"));
print_ranges("kSpace", members("White_Space"));
print_entries("constexpr FoldRun kFold[]", fold_entries());
print <<"END";
// clang-format on

}  // namespace

std::span<const CodePointRange> unicode_word() { return kWord; }
std::span<const CodePointRange> unicode_digit() { return kDigit; }
std::span<const CodePointRange> unicode_space() { return kSpace; }
std::span<const FoldRun> unicode_fold() { return kFold; }

}  // namespace deft
END
