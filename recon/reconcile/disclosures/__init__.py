"""What a run does not prove, told in words: what is silent is no all clear."""
