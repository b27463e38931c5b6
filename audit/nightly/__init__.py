"""The nightly job: take in what has come, archive it, audit it, issue reports, and answer for any period later."""
