// One value per lane becomes one value per subgroup: by the built-in operation, if the operator has one,
// otherwise by the tree of shuffles. Lane 0 ends with the result.
#ifdef subgroups
#ifdef native_subgroup
#import native_reduce
#else
#import subgroup_shuffle
#endif
#endif
