// Numbers of one word outside of the window: one window, which moves, and bins for all that is far from it. Workgroups that take few
// registers do without a second window.
#import exact/one_window
#import exact/bins
