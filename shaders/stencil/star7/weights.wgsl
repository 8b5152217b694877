// The star of seven cells with a weight of the centre.
#import stencil/shared/weights3d

fn star(k: Weights, centre: Elem, faces: Elem) -> Elem { return k.centre * centre + k.face * faces; }
