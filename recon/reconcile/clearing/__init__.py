"""What a whole run proved plain, and runs over the rest alone."""
