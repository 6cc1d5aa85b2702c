"""The sample terrain, made by a deterministic generator: `python -m sim3d.forge` writes it, byte for byte the same."""
