// The ends of a pack of one cell, its mirror image, and whether it is kept.
#import stencil/lanes/*
#import stencil/shared/pack_sources

alias Chosen = bool;

fn first_of(pack: Pack) -> Elem { return pack; }
fn last_of(pack: Pack) -> Elem { return pack; }
fn reverse(pack: Pack) -> Pack { return pack; }
fn keep_first(changed: Pack, same: Pack, keeps: bool) -> Pack { return select(changed, same, keeps); }
fn keep_last(changed: Pack, same: Pack, keeps: bool) -> Pack { return select(changed, same, keeps); }
fn fixed_in_pack(place: PackSource) -> Chosen { return is_fixed_col(place, 0u); }
