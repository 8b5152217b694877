// Empty: keys in words are compared one by one.
