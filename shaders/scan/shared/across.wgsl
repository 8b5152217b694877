// The sum of a tile from those of its subgroups.
#import <operator>
#import lib/grid/entry
#import scan/shared/sums

// The sum of each subgroup. The narrowest subgroup that exists has four lanes.
override SUBGROUPS: u32 = 64u;

var<workgroup> sums_of_subgroups: array<Acc, SUBGROUPS>;

// Combines the sums that the first lanes of all subgroups have. The second result is what lies before the subgroup.
fn across(sum: Acc, at: Place, wg: Workgroup) -> Sums {
    if at.lane == 0u {
        sums_of_subgroups[at.subgroup] = sum;
    }
    workgroupBarrier();
    var ahead = identity();
    var all = identity();
    for (var k = 0u; k < wg.subgroups; k += 1u) {
        if k == at.subgroup {
            ahead = all;
        }
        all = combine(all, sums_of_subgroups[k]);
    }
    return Sums(all, ahead);
}
