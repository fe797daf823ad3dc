"""What people look at: signs for the floor, panels for tables, a page for operators, metrics."""

ADDRESS = "127.0.0.1:7480"  # where the pages are unless an option says otherwise
