"""From a reference set to a curve, a decision and a published dataset: the analysis half."""
