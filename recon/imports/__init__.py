"""Files of the business into the lake: each KIND a module, each format a reader."""
