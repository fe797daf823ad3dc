"""Who may do what: a local certificate authority, and the roles that each call takes."""
