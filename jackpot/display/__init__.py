"""What people look at: signs for the floor, panels for tables, a page for operators, metrics."""
