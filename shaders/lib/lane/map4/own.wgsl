// The operator declares `map4` itself.
