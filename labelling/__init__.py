"""From transcripts to a reference set: the labelling half of the workspace."""
