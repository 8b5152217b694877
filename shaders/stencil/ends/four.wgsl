// The ends of a pack of four, its mirror image, and which of its cells are kept.
#import stencil/lanes/*
#import stencil/shared/pack_sources

alias Chosen = vec4<bool>;

fn first_of(pack: Pack) -> Elem { return pack.x; }
fn last_of(pack: Pack) -> Elem { return pack.w; }
fn reverse(pack: Pack) -> Pack { return pack.wzyx; }
fn keep_first(changed: Pack, same: Pack, keeps: bool) -> Pack { return Pack(select(changed.x, same.x, keeps), changed.yzw); }
fn keep_last(changed: Pack, same: Pack, keeps: bool) -> Pack { return Pack(changed.xyz, select(changed.w, same.w, keeps)); }

// The cells of a pack that a fixed side keeps.
fn fixed_in_pack(place: PackSource) -> Chosen {
    return Chosen(
        #for k in 0..4: is_fixed_col(place, $(k)u),
    );
}
