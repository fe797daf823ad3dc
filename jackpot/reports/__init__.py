"""What the journal says to people: daily reports, payout slips, audits, signed exports."""
