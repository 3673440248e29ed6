"""The benchmark: what the service does, as ratios to baselines that are measured in the same minute."""
