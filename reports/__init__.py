"""Outcomes and findings, made into something to read. Writers work from the run record and nothing else."""
