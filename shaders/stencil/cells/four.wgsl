// Cells among packs of four.
#import stencil/lanes/four
