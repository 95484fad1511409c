"""Who may do what: roles, bindings, tokens, and the trail of every change."""
