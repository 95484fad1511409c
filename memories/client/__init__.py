"""A memory bank over REST, wherever it is: in this process, on another server, or on Agent Platform."""
