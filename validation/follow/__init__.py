"""What a real library did under a tuning file: which algorithm ran in each call, by the messages that it sent."""
