"""What both ends of the Memory Bank API agree on: names, resources, scopes, filters, errors, page tokens."""
